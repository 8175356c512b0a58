import { hash } from 'node:crypto'

/** What kinds of results there are; a kind is also the beginning of its files' names. */
export const RESULT_KINDS = ['scan', 'run'] as const
export type ResultKind = (typeof RESULT_KINDS)[number]

/** A result that lies somewhere on this machine, so that an index built from nothing finds it again. */
export interface KnownResult {
  /** A later version may know more kinds than `RESULT_KINDS`. */
  kind: string
  /** Absolute path of the result. */
  path: string
  /** When it was first made known; ISO 8601, UTC. */
  since: string
}

/** The name of the file that makes a result known: one for each path. */
export function knownResultName(kind: ResultKind, path: string): string {
  return `${kind}-${hash('sha256', path).slice(0, 16)}.json`
}

/** Whether a name in the folder is that of a known result; all else there is ignored. */
export function isKnownResultName(name: string): boolean {
  return /^[a-z]+-[0-9a-f]{16}\.json$/.test(name)
}

/** The content of a file as a known result, or what is wrong with it. */
export function parseKnownResult(content: string): KnownResult | { problem: string } {
  let value: unknown
  try {
    value = JSON.parse(content)
  } catch {
    return { problem: 'not JSON' }
  }
  const { kind, path, since } = (value ?? {}) as Record<string, unknown>
  for (const [name, field] of Object.entries({ kind, path, since }))
    if (typeof field !== 'string' || field === '') return { problem: `${name} must be a string` }
  return { kind, path, since } as KnownResult
}
