import { hash } from 'node:crypto'
import * as z from 'zod'

/** What kinds of results there are; a kind is also the beginning of its files' names. */
export const RESULT_KINDS = ['scan', 'run'] as const
export type ResultKind = (typeof RESULT_KINDS)[number]

const text = z.string('must be a string').min(1, 'must be a string')
const knownResultSchema = z.object(
  {
    /** A later version may know more kinds than `RESULT_KINDS`. */
    kind: text,
    /** Absolute path of the result. */
    path: text,
    /** When it was first made known; ISO 8601, UTC. */
    since: text,
  },
  'must be an object',
)

/** A result that lies somewhere on this machine, so that an index built from nothing finds it again. */
export type KnownResult = z.infer<typeof knownResultSchema>

/** The name of the file that makes a result known: one for each path. */
export function knownResultName(kind: ResultKind, path: string): string {
  return `${kind}-${hash('sha256', path).slice(0, 16)}.json`
}

/** Whether a name in the folder is that of a known result; all else there is ignored. */
export function isKnownResultName(name: string): boolean {
  return /^[a-z]+-[0-9a-f]{16}\.json$/.test(name)
}

/** A file's value as a known result, or what is wrong with it. */
export function parseKnownResult(value: unknown): KnownResult | { problem: string } {
  const checked = knownResultSchema.safeParse(value)
  if (checked.success) return checked.data
  const [issue] = checked.error.issues
  return { problem: `${issue?.path.join('.') || 'it'} ${issue?.message}` }
}
