import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { UnknownEvidence } from '../chain/chain-tree.ts'
import { findCycles } from '../chain/cycles.ts'
import {
  type ChainProjection,
  LARGEST_PROJECTION,
  PROJECTION_FORMAT,
  type ProjectionManifest,
  rootsOf,
  type SessionMapShard,
  shardCount,
  shardOf,
} from '../chain/projection.ts'
import type { SessionFacts } from '../chain/session-facts.ts'
import type { Database } from '../database/database.ts'
import { parseStoredFacts } from '../database/stored-facts.ts'
import { readUnknownEvidence } from '../database/unknown-evidence.ts'
import { makeFolder } from '../files/make-folder.ts'
import { readJson } from '../files/read-json.ts'
import { readWhole } from '../files/read-whole.ts'
import { isTemporaryName, removeLeftOvers, writeWholeFile } from '../files/whole-file.ts'
import { openSqlite } from '../sqlite/open-sqlite.ts'
import { isSqliteError } from '../sqlite/sqlite-error.ts'
import type { Place } from './place.ts'

/**
 * Publishes what the mod reads (ruling 3), where the present projection is not that of the index. Every file is
 * written whole; unchanged ones are left as they are. A projection that
 * cannot be written costs the mod speed and nothing else, so it is a note and no failure.
 */
export function publishProjections(place: Place, note: (text: string) => void): void {
  const db = openSqlite(place.indexPath, { readonly: true, timeout: 60_000 })
  try {
    const indexedAt = db.prepare(`select value from meta where key = 'changed_at'`).pluck().get() as string
    if (isPublished(place, indexedAt)) return
    publish(place, db, indexedAt, note)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === undefined || isSqliteError(error)) throw error
    note(`the projection for the plugin could not be written: ${message}`)
  } finally {
    db.close()
  }
}

function isPublished(place: Place, indexedAt: string): boolean {
  const read = readJson(join(place.projectionDir, 'manifest.json'), { largest: LARGEST_PROJECTION })
  const manifest = 'value' in read ? (read.value as ProjectionManifest | null) : null
  return (
    manifest?.format === PROJECTION_FORMAT &&
    manifest.recordDir === place.recordDir &&
    manifest.indexedAt === indexedAt
  )
}

function publish(place: Place, db: Database, indexedAt: string, note: (text: string) => void): void {
  const sessions = (
    db.prepare('select facts from session order by session_id').pluck().all() as string[]
  ).map(parseStoredFacts)
  const chains = join(place.projectionDir, 'chains')
  makeFolder(chains)
  const roots: Record<string, string | null> = {}
  const published = new Set<string>()
  for (const chain of chainsOf(sessions, readUnknownEvidence(db))) {
    const content = chainContent(chain)
    if (chain.sessions.length === 1 && chain.sessions[0]?.join === null) {
      roots[chain.root] = null
    } else if (content === null) {
      note(`the chain of ${chain.root} is too large to publish; the plugin reads its files instead`)
    } else {
      for (const { sessionId } of chain.sessions) roots[sessionId] = chain.root
      published.add(`${chain.root}.json`)
      writeChanged(join(chains, `${chain.root}.json`), content)
    }
  }
  for (const name of readdirSync(chains))
    if (!published.has(name) && !isTemporaryName(name)) rmSync(join(chains, name), { force: true })
  const shards = writeMap(place.projectionDir, roots)
  const manifest: ProjectionManifest = {
    format: PROJECTION_FORMAT,
    recordDir: place.recordDir,
    indexedAt,
    shards,
  }
  writeChanged(join(place.projectionDir, 'manifest.json'), JSON.stringify(manifest))
  removeLeftOvers(place.projectionDir)
  removeLeftOvers(chains)
}

/** A chain's file; null where it would be too large. Measured as it grows: a hostile record's could not even be one string. */
function chainContent(chain: ChainProjection): string | null {
  const sessions: string[] = []
  let size = 0
  for (const facts of chain.sessions) {
    const json = JSON.stringify(facts)
    size += Buffer.byteLength(json) + 1
    if (size > LARGEST_PROJECTION) return null
    sessions.push(json)
  }
  const { format, root, unknown } = chain
  const head = JSON.stringify({ format, root, unknown })
  const content = `${head.slice(0, -1)},"sessions":[${sessions.join(',')}]}`
  return Buffer.byteLength(content) > LARGEST_PROJECTION ? null : content
}

/** The sessions by chain, each chain with the unknown evidence in its sessions' folders. */
function chainsOf(sessions: SessionFacts[], unknown: UnknownEvidence[]): ChainProjection[] {
  const parents = new Map(sessions.map(one => [one.sessionId, one.join?.parent ?? null]))
  const roots = rootsOf(parents, findCycles(parents))
  const chains = new Map<string, ChainProjection>()
  for (const one of sessions) {
    const root = roots.get(one.sessionId) as string
    const chain = chains.get(root) ?? { format: PROJECTION_FORMAT, root, sessions: [], unknown: [] }
    chain.sessions.push(one)
    chains.set(root, chain)
  }
  for (const one of unknown) chains.get(roots.get(one.sessionId) ?? '')?.unknown.push(one)
  return [...chains.values()]
}

function writeMap(folder: string, roots: Record<string, string | null>): number {
  const sessions = Object.entries(roots)
  const count = shardCount(sessions.length)
  const shards = Array.from(
    { length: count },
    (): SessionMapShard => ({ format: PROJECTION_FORMAT, roots: {} }),
  )
  for (const [sessionId, root] of sessions)
    (shards[shardOf(sessionId, count)] as SessionMapShard).roots[sessionId] = root
  shards.forEach((shard, index) => {
    writeChanged(join(folder, `sessions-${index}.json`), JSON.stringify(shard))
  })
  return count
}

function writeChanged(path: string, content: string): void {
  if (!isContent(path, content)) writeWholeFile(path, content)
}

function isContent(path: string, content: string): boolean {
  const bytes = Buffer.from(content)
  const read = readWhole(path, { largest: bytes.length })
  return 'bytes' in read && read.bytes.equals(bytes)
}
