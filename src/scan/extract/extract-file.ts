import { closeSync, fstatSync, fsyncSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from '../../make-folder.ts'

// An extract is what a scan took out of one transcript: a line of JSON for each finding, then one with all that is
// known of the transcript as a whole, then that line's length. It is made anew or kept whole, and can be deleted.

const TAIL = 17

/** Writes an extract under a temporary name. */
export interface ExtractWriter {
  add(finding: unknown): void
  /** Takes over the findings of an older extract, byte for byte. */
  addFrom(path: string): void
  /** Ends the extract with what is known of the whole, and puts it in place. */
  finish(whole: unknown): void
  /** Leaves what is in place as it is. */
  abandon(): void
}

export function writeExtract(path: string): ExtractWriter {
  makeFolder(dirname(path))
  const temporary = `${path}.${process.pid}.tmp`
  const fd = openSync(temporary, 'w', 0o600)
  let buffered: string[] = []
  let size = 0
  const flush = () => {
    if (buffered.length > 0) writeAll(fd, Buffer.from(buffered.join('')))
    buffered = []
    size = 0
  }
  const add = (value: unknown) => {
    const line = `${JSON.stringify(value)}\n`
    buffered.push(line)
    size += line.length
    if (size > 1 << 20) flush()
  }
  return {
    add,
    addFrom(from) {
      flush()
      const source = openSync(from, 'r')
      try {
        const end = findingsEnd(source)
        const chunk = Buffer.allocUnsafe(1 << 20)
        for (let at = 0; at < end; ) {
          const read = readSync(source, chunk, 0, Math.min(chunk.length, end - at), at)
          if (read === 0) break
          writeAll(fd, chunk.subarray(0, read))
          at += read
        }
      } finally {
        closeSync(source)
      }
    },
    finish(whole) {
      flush()
      const line = Buffer.from(`${JSON.stringify(whole)}\n`)
      writeAll(fd, line)
      writeAll(fd, Buffer.from(`${String(line.length).padStart(TAIL - 1, '0')}\n`))
      fsyncSync(fd)
      closeSync(fd)
      renameSync(temporary, path)
    },
    abandon() {
      closeSync(fd)
      rmSync(temporary, { force: true })
    },
  }
}

/** What an extract says of the whole transcript; null where there is no extract that is whole. */
export function readWhole(path: string): unknown {
  let fd: number
  try {
    fd = openSync(path, 'r')
  } catch {
    return null
  }
  try {
    const end = findingsEnd(fd)
    const { size } = fstatSync(fd)
    return JSON.parse(readAt(fd, end, size - TAIL - end).toString('utf8'))
  } catch {
    return null
  } finally {
    closeSync(fd)
  }
}

/** Where the findings of an open extract end. */
export function findingsEnd(fd: number): number {
  const { size } = fstatSync(fd)
  const length = Number(
    readAt(fd, size - TAIL, TAIL)
      .toString('latin1')
      .trim(),
  )
  if (!Number.isSafeInteger(length) || length <= 0 || length > size - TAIL)
    throw new Error('the extract is not whole')
  return size - TAIL - length
}

/** Bytes of a file. */
export function readAt(fd: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  let at = 0
  while (at < length) {
    const read = readSync(fd, bytes, at, length - at, position + at)
    if (read === 0) throw new Error('the file ends too early')
    at += read
  }
  return bytes
}

function writeAll(fd: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
}
