import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { readWhole, type Unread } from '../files/read-whole.ts'
import { type Entry, parseEntry } from '../record/entry.ts'
import { describeStat } from './listing.ts'

/** What one entry file holds. `reason` says why it cannot be read, for a person. */
export type EntryFile =
  | { stat: string; sha256: string; entry: Entry }
  | { stat: string; sha256: string | null; reason: string }

/** No entry comes near it, since the host writes at most 4 MiB at a time; a larger file is not read into memory. */
const LARGEST = 16 * 1024 * 1024

/**
 * Reads one entry file; null where it is gone. Never throws for what the file holds or may not be opened for. A link is
 * not followed and a pipe is not waited for, even when it took the file's place after the listing.
 */
export function readEntryFile(path: string): EntryFile | null {
  const read = readWhole(path, { largest: LARGEST, followsLinks: false })
  if ('bytes' in read) return entryIn(read.bytes, describeStat(read.stats))
  if (read.code === 'ENOENT') return null
  return { stat: read.stats ? describeStat(read.stats) : '', sha256: null, reason: whyUnread(read) }
}

function whyUnread({ unread, code, stats }: Unread): string {
  if (unread === 'no-file') return 'not a file, never read'
  if (unread === 'too-large') return `too large: ${stats?.size} bytes`
  return `cannot be ${stats ? 'read' : 'opened'} (${code})`
}

function entryIn(bytes: Buffer, stat: string): EntryFile {
  const sha256 = hash('sha256', bytes)
  if (!isUtf8(bytes)) return { stat, sha256, reason: 'not UTF-8' }
  if (bytes.length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return { stat, sha256, reason: 'begins with a byte order mark: another program has rewritten it' }
  }
  const parsed = parseEntry(bytes.toString('utf8'))
  return 'entry' in parsed ? { stat, sha256, entry: parsed.entry } : { stat, sha256, reason: parsed.reason }
}
