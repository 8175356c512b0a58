import { isUtf8 } from 'node:buffer'
import { type ReadOptions, readWhole, type Unread } from './read-whole.ts'

/** Why a file has no text that can be used. */
export type Unusable = Omit<Unread, 'unread'> & { unread: Unread['unread'] | 'not-utf8' }

/**
 * Reads a whole file as UTF-8. A byte order mark stays where it is: whether it may stand there is the format's own rule.
 *
 * @returns the text, or why there is none
 */
export function readText(path: string, options: ReadOptions): { text: string } | Unusable {
  const read = readWhole(path, options)
  if (!('bytes' in read)) return read
  if (!isUtf8(read.bytes)) return { unread: 'not-utf8', why: 'is not UTF-8', stats: read.stats }
  return { text: read.bytes.toString('utf8') }
}
