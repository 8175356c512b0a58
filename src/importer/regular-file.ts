import { readWhole } from '../files/read-whole.ts'

/** No entry comes near it; a larger file is not copied through memory. */
export const LARGEST_FILE = 64 * 1024 * 1024

/** The bytes of a file, or why it has none that count. A link is not followed, and nothing waits for a pipe. */
export function readRegularFile(path: string): { bytes: Buffer } | { problem: string } {
  const read = readWhole(path, { largest: LARGEST_FILE, followsLinks: false })
  if ('bytes' in read) return { bytes: read.bytes }
  const { unread, code, stats } = read
  if (unread === 'link') return { problem: 'a symbolic link, not followed' }
  if (unread === 'no-file') return { problem: 'not a file, never read' }
  if (unread === 'too-large') return { problem: `too large: ${stats?.size} bytes` }
  return { problem: `cannot be read (${code})` }
}
