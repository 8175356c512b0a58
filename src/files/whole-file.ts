import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** A file that is being written under a temporary name and takes its own in one step. */
export interface WholeFile {
  write(content: string | Uint8Array): void
  /** Everything is on disk, and the file has its name. */
  done(): void
  /** Nothing of it is left; does nothing once it is done. */
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
  let isOpen = true
  let waiting: string[] = []
  let length = 0
  const put = (bytes: Uint8Array) => writeAll(file, bytes, path)
  const flush = () => {
    put(Buffer.from(waiting.join('')))
    waiting = []
    length = 0
  }
  const close = () => {
    if (isOpen) closeSync(file)
    isOpen = false
  }
  return {
    write(content) {
      if (typeof content !== 'string') {
        flush()
        return put(content)
      }
      waiting.push(content)
      length += content.length
      if (length >= PIECE_LENGTH) flush()
    },
    done() {
      flush()
      naming(path, () => fsyncSync(file))
      close()
      renameSync(temporary, path)
      syncFolder(dirname(path))
    },
    abandon() {
      close()
      rmSync(temporary, { force: true })
    },
  }
}

/**
 * Writes several files whole. Where anything fails before the first is done, all of them stand as they were; nothing is
 * left lying beside them.
 *
 * @throws the system's error, or what `write` throws
 */
export function writeWholeFiles<const Paths extends readonly string[]>(
  paths: Paths,
  write: (files: { [K in keyof Paths]: WholeFile }) => void,
): void {
  const files: WholeFile[] = []
  try {
    for (const path of paths) files.push(beginWholeFile(path))
    write(files as { [K in keyof Paths]: WholeFile })
    for (const file of files) file.done()
  } catch (error) {
    for (const file of files) file.abandon()
    throw error
  }
}

/**
 * Writes a file whole: to a temporary name, to disk, then renamed.
 *
 * @throws the system's error; the old file stands then
 */
export function writeWholeFile(path: string, content: string): void {
  writeWholeFiles([path], ([file]) => file.write(content))
}

/**
 * Writes all of some bytes to an open file.
 *
 * @throws the system's error, with the file's name, which it does not know
 */
export function writeAll(file: number, bytes: Uint8Array, path: string): void {
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

/** A new name is on disk when its folder is. Windows opens no folder; there a file's own flush is all there is. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const file = openSync(folder, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
