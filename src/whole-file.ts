import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** A file that is being written under a temporary name and takes its own in one step. */
export interface WholeFile {
  write(text: string): void
  /** Everything is on disk, and the file has its name. */
  done(): void
  /** Nothing of it is left. */
  abandon(): void
}

const PIECE_LENGTH = 1 << 20
const LEFT_OVER_MS = 60_000

/**
 * Begins a file, private to the user. Readers see the old file or the new one and nothing between, whatever happens to
 * this process; what is written is held in pieces of a megabyte and no more.
 *
 * @throws the system's error
 */
export function beginWholeFile(path: string): WholeFile {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(8).toString('hex')}.tmp`)
  // Exclusive, so that no link that somebody has put there is followed.
  const file = openSync(temporary, 'wx', 0o600)
  let waiting: string[] = []
  let length = 0
  const flush = () => {
    writeAll(file, Buffer.from(waiting.join('')), path)
    waiting = []
    length = 0
  }
  return {
    write(text) {
      waiting.push(text)
      length += text.length
      if (length >= PIECE_LENGTH) flush()
    },
    done() {
      try {
        flush()
        naming(path, () => fsyncSync(file))
      } finally {
        closeSync(file)
      }
      renameSync(temporary, path)
      syncFolder(dirname(path))
    },
    abandon() {
      closeSync(file)
      rmSync(temporary, { force: true })
    },
  }
}

/**
 * Writes a file whole: to a temporary name, to disk, then renamed.
 *
 * @throws the system's error; the old file stands then
 */
export function writeWholeFile(path: string, content: string): void {
  const file = beginWholeFile(path)
  try {
    file.write(content)
  } catch (error) {
    file.abandon()
    throw error
  }
  file.done()
}

/**
 * Writes all of some bytes to an open file.
 *
 * @throws the system's error, with the file's name, which it does not know
 */
export function writeAll(file: number, bytes: Buffer, path: string): void {
  naming(path, () => {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
  })
}

function naming(path: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw Object.assign(new Error(`${message} '${path}'`, { cause: error }), { code, path })
  }
}

/** Whether a name is one that a file bears while it is being written. */
export function isTemporaryName(name: string): boolean {
  return /^\..+\.[0-9a-f]{16}\.tmp$/.test(name)
}

/** Removes what killed writers have left in a folder; a younger file may be another process's at work. */
export function removeLeftOvers(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!isTemporaryName(name)) continue
    const path = join(folder, name)
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats && Date.now() - stats.mtimeMs > LEFT_OVER_MS) rmSync(path, { force: true })
  }
}

/** A new name is on disk when its folder is. Windows has no such step. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const file = openSync(folder, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
