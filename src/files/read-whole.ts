import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs'

/** Why a file was not read. */
export interface Unread {
  unread: 'missing' | 'link' | 'no-file' | 'too-large' | 'failed'
  /** What is wrong with it, as the end of a sentence that begins with its name. */
  why: string
  /** The system's code where the system refused. */
  code?: string
  /** What the opened file is; absent where it could not be opened. */
  stats?: Stats
}

export interface ReadOptions {
  /** A larger file is not taken into memory, however it grows while it is read. */
  largest: number
  /** Whether a link is followed; to a person's own files it is. */
  followsLinks?: boolean
}

/**
 * Reads a regular file to its end, without waiting for a pipe or a device: what counts is what was opened, not what
 * lay at the path before.
 *
 * @returns the bytes and the file's facts before it was read, or why there are none; it throws nothing
 */
export function readWhole(
  path: string,
  { largest, followsLinks = true }: ReadOptions,
): { bytes: Buffer; stats: Stats } | Unread {
  let file: number
  try {
    file = openSync(path, openFlags(followsLinks))
  } catch (error) {
    return refused(error)
  }
  let stats: Stats | undefined
  try {
    stats = fstatSync(file)
    if (!stats.isFile()) return { unread: 'no-file', why: 'is no file', stats }
    const bytes = stats.size > largest ? null : readToEnd(file, stats.size, largest)
    return bytes ? { bytes, stats } : { unread: 'too-large', why: `is over ${largest} bytes`, stats }
  } catch (error) {
    return { ...refused(error), ...(stats && { stats }) }
  } finally {
    closeSync(file)
  }
}

/** Windows has neither flag: it opens no pipe by a path, and gives no folder to read. */
function openFlags(followsLinks: boolean): number {
  const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants
  return O_RDONLY | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW)
}

/** All bytes of an open file; null where they are more than `largest`. Its size is only what it was. */
function readToEnd(file: number, size: number, largest: number): Buffer | null {
  let bytes = Buffer.allocUnsafe(size + 1)
  let length = 0
  for (;;) {
    const read = readSync(file, bytes, length, bytes.length - length, length)
    length += read
    if (length > largest) return null
    if (read === 0) return bytes.subarray(0, length)
    if (length === bytes.length) bytes = Buffer.concat([bytes, Buffer.allocUnsafe(bytes.length + 4_096)])
  }
}

function refused(error: unknown): Unread {
  const { code = '', message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') return { unread: 'missing', why: 'is missing', code }
  if (code === 'ELOOP') return { unread: 'link', why: 'is a link that is not followed', code }
  // A socket is refused where it is opened, a folder on Windows too.
  if (code === 'ENXIO' || code === 'EISDIR') return { unread: 'no-file', why: 'is no file', code }
  return { unread: 'failed', why: `cannot be read: ${message}`, code }
}
