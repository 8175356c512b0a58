import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { type Entry, parseEntry } from '../record/entry.ts'
import { describeStat } from './listing.ts'

/** What one entry file holds. `reason` says why it cannot be read, for a person. */
export type EntryFile =
  | { stat: string; sha256: string; entry: Entry }
  | { stat: string; sha256: string | null; reason: string }

/** No entry comes near it, since the host writes at most 4 MiB at a time; a larger file is not read into memory. */
const LARGEST = 16 * 1024 * 1024

/** A link is not followed and a pipe is not waited for, even when it took the file's place after the listing. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** Reads one entry file; null where it is gone. Never throws for what the file holds or may not be opened for. */
export function readEntryFile(path: string): EntryFile | null {
  let file: number
  try {
    file = openSync(path, OPEN_FLAGS)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    return { stat: '', sha256: null, reason: `cannot be opened (${code})` }
  }
  try {
    return readOpenFile(file)
  } catch (error) {
    return { stat: '', sha256: null, reason: `cannot be read (${(error as NodeJS.ErrnoException).code})` }
  } finally {
    closeSync(file)
  }
}

function readOpenFile(file: number): EntryFile {
  const stats = fstatSync(file)
  const stat = describeStat(stats)
  if (!stats.isFile()) return { stat, sha256: null, reason: 'not a file, never read' }
  if (stats.size > LARGEST) return { stat, sha256: null, reason: `too large: ${stats.size} bytes` }
  const bytes = readWhole(file, stats.size)
  const sha256 = hash('sha256', bytes)
  if (!isUtf8(bytes)) return { stat, sha256, reason: 'not UTF-8' }
  if (bytes.length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return { stat, sha256, reason: 'begins with a byte order mark: another program has rewritten it' }
  }
  const parsed = parseEntry(bytes.toString('utf8'))
  return 'entry' in parsed ? { stat, sha256, entry: parsed.entry } : { stat, sha256, reason: parsed.reason }
}

function readWhole(file: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size)
  let length = 0
  while (length < size) {
    const read = readSync(file, bytes, length, size - length, length)
    if (read === 0) break
    length += read
  }
  return bytes.subarray(0, length)
}
