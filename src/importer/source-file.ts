import { parseEntry } from '../record/entry.ts'
import { classifyName } from '../record/file-name.ts'

/** One file of a source, with the session folder it lies in. `path` is for a person. */
export interface SourceFile {
  path: string
  folder: string
  name: string
  /** The folder's name as an entry in it spells it; null where none can be read that states this session. */
  spelling(): string | null
  read(): { bytes: Buffer } | { problem: string }
}

/** What a source holds that cannot be copied. */
export interface SourceProblem {
  path: string
  problem: string
}

/** Whether a name alone says that a folder holding it is a session's: an entry's, or the other bytes of one. */
export function isEntryLike(name: string): boolean {
  const named = classifyName(name)
  return named === 'entry' || named === 'conflict'
}

/** Why one file is not copied; the rest of the import goes on. */
export class NotCopied extends Error {}

/** The session an entry states; null where it cannot be read. */
export function statedSession(bytes: Buffer): string | null {
  const parsed = parseEntry(bytes.toString('utf8'))
  return 'entry' in parsed ? parsed.entry.sessionId : null
}

/** The session an entry states, where it is this folder's but for the letter case; else null. */
export function statedSpelling(bytes: Buffer, folder: string): string | null {
  const stated = statedSession(bytes)
  return stated?.toLowerCase() === folder.toLowerCase() ? stated : null
}
