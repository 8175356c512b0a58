import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from '../../files/make-folder.ts'
import { beginWholeFile } from '../../files/whole-file.ts'
import { Problem } from '../../problem/problem.ts'

// An extract is what a scan took out of one transcript: a line of JSON for each finding, then one with all that is
// known of the transcript as a whole, then that line's length. It is made anew or kept whole, and can be deleted.

const TAIL = 17

/** The findings of an extract as bytes: what another scan put in their place is told from them. */
export interface AddedFindings {
  bytes: number
  sha256: string
}

/** Writes an extract under a temporary name. */
export interface ExtractWriter {
  add(finding: unknown): void
  /** Takes over the findings of an older extract, byte for byte. False: they are not what they were. */
  addFrom(path: string, expected: AddedFindings): boolean
  /** What was added so far. */
  added(): AddedFindings
  /** Ends the extract with what is known of the whole, and puts it in place. */
  finish(whole: unknown): void
  /** Leaves what is in place as it is. */
  abandon(): void
}

/** @throws Problem `environment` where the extract cannot be written */
export function writeExtract(path: string): ExtractWriter {
  const file = orProblem(path, () => {
    makeFolder(dirname(path))
    return beginWholeFile(path)
  })
  const written = { hash: createHash('sha256'), bytes: 0 }
  const write = (bytes: Buffer) => {
    orProblem(path, () => file.write(bytes))
    written.hash.update(bytes)
    written.bytes += bytes.length
  }
  let buffered: string[] = []
  let size = 0
  const flush = () => {
    if (buffered.length > 0) write(Buffer.from(buffered.join('')))
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
    addFrom(from, { bytes: end, sha256 }) {
      flush()
      const source = openSync(from, 'r')
      try {
        const chunk = Buffer.allocUnsafe(1 << 20)
        for (let at = 0; at < end; ) {
          const read = readSync(source, chunk, 0, Math.min(chunk.length, end - at), at)
          if (read === 0) break
          write(chunk.subarray(0, read))
          at += read
        }
      } finally {
        closeSync(source)
      }
      return this.added().sha256 === sha256
    },
    added() {
      flush()
      return { bytes: written.bytes, sha256: written.hash.copy().digest('hex') }
    },
    finish(whole) {
      flush()
      const line = Buffer.from(`${JSON.stringify(whole)}\n`)
      write(line)
      write(Buffer.from(`${String(line.length).padStart(TAIL - 1, '0')}\n`))
      orProblem(path, file.done)
    },
    abandon: file.abandon,
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
function findingsEnd(fd: number): number {
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

/** A failure here is not one of the transcript, and no transcript is passed over because of it. */
function orProblem<Result>(path: string, work: () => Result): Result {
  try {
    return work()
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    throw new Problem(
      'environment',
      `what a scan reads cannot be kept in ${dirname(path)}: ${code ?? message}`,
      {
        ...{ path: dirname(path), cause },
        hint: 'make the cache folder writable, or name another one',
      },
    )
  }
}
