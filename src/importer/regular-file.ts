import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { systemCode } from './system-problem.ts'

/** No entry comes near it; a larger file is not copied through memory. */
export const LARGEST_FILE = 64 * 1024 * 1024

/** The bytes of a file, or why it has none that count. A link is not followed, and nothing waits for a pipe. */
export function readRegularFile(path: string): { bytes: Buffer } | { problem: string } {
  try {
    return readOpened(
      openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)),
    )
  } catch (error) {
    const code = systemCode(error)
    if (code === undefined) throw error
    return { problem: code === 'ELOOP' ? 'a symbolic link, not followed' : `cannot be read (${code})` }
  }
}

function readOpened(file: number): { bytes: Buffer } | { problem: string } {
  try {
    const stats = fstatSync(file)
    if (!stats.isFile()) return { problem: 'not a file, never read' }
    if (stats.size > LARGEST_FILE) return { problem: `too large: ${stats.size} bytes` }
    return { bytes: readFileSync(file) }
  } finally {
    closeSync(file)
  }
}
