import type { UnknownEvidence } from './chain-tree.ts'
import type { SessionFacts } from './session-facts.ts'

/**
 * What the indexer publishes for a mod, which opens no database (rule.modOnly): a manifest, a map from session to
 * root in shards, and a file for each chain. A reader that meets another format, or a file that does not parse,
 * goes to the record's own files.
 */
export const PROJECTION_FORMAT = 2

/** The host reads at most this much of a file at a time; a chain that needs more is not published. */
export const LARGEST_PROJECTION = 4 * 1024 * 1024

/** `manifest.json`, written last: what it names is there. */
export interface ProjectionManifest {
  format: number
  recordDir: string
  /** The time up to which the projection agrees with the record. */
  indexedAt: string
  /** Number of map files, `sessions-0.json` and up. */
  shards: number
}

/** `sessions-<n>.json`: the root of every session in a published chain; null for one that stands alone. */
export interface SessionMapShard {
  format: number
  roots: Record<string, string | null>
}

/**
 * `chains/<root>.json`: all that the tree of one chain is made of. Each session's facts name the newest file they
 * hold (`newestName`); what is newer in its folder is to be added.
 */
export interface ChainProjection {
  format: number
  root: string
  sessions: SessionFacts[]
  unknown: UnknownEvidence[]
}

const SESSIONS_IN_A_SHARD = 20_000

/** How many map files so many sessions need. */
export function shardCount(sessions: number): number {
  return Math.max(1, Math.ceil(sessions / SESSIONS_IN_A_SHARD))
}

/** The map file that holds a session. */
export function shardOf(sessionId: string, shards: number): number {
  let hash = 0
  for (let at = 0; at < sessionId.length; at++) hash = (Math.imul(hash, 31) + sessionId.charCodeAt(at)) >>> 0
  return hash % shards
}

/**
 * The root of every session: the end of its parents, which may be a session that has no entries here; of a cycle,
 * and of all that hangs below it, the smallest id of the cycle.
 */
export function rootsOf(
  parents: ReadonlyMap<string, string | null>,
  cycles: readonly string[][],
): Map<string, string> {
  const roots = new Map<string, string>()
  for (const cycle of cycles) for (const member of cycle) roots.set(member, cycle[0] as string)
  for (const start of parents.keys()) {
    const path: string[] = []
    let at = start
    for (let parent = parents.get(at); !roots.has(at) && parent; parent = parents.get(at)) {
      path.push(at)
      at = parent
    }
    const root = roots.get(at) ?? at
    for (const one of [...path, at]) roots.set(one, root)
  }
  return roots
}
