import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { Parser, type ReadEntry } from 'tar'
import { Problem } from '../problem/problem.ts'
import { systemProblem } from './system-problem.ts'

/** One entry of a tar; `bytes` where they were wanted. */
export interface TarEntry {
  path: string
  type: string
  size: number
  bytes: Buffer | null
}

const READ_AT_ONCE = 64 * 1024
const HINT = 'name a record folder, or a whole tar of one'

/**
 * The entries of a tar, compressed or not, one after the other; no more of it is in memory than what one read of it
 * unpacks to. Every entry handed over is whole.
 *
 * @throws Problem `record` where the file is no tar, or ends before its end-of-archive blocks
 */
export function* tarEntries(path: string, wantsBytes: (entry: ReadEntry) => boolean): Generator<TarEntry> {
  const ready: TarEntry[] = []
  let failure: Error | undefined
  let isWhole = false
  const parser = new Parser({ file: path, strict: true })
  // Nothing is thrown in these handlers and nothing copied: an error there would leave by the event loop.
  parser.on('error', error => {
    failure ??= error as Error
  })
  parser.on('eof', () => {
    isWhole = true
  })
  parser.on('entry', (entry: ReadEntry) => {
    const chunks: Buffer[] | null = wantsBytes(entry) ? [] : null
    entry.on('data', chunk => chunks?.push(chunk))
    entry.on('end', () => {
      const { type, size } = entry
      ready.push({ path: entry.path, type, size, bytes: chunks && Buffer.concat(chunks) })
    })
  })
  const feed = (chunk: Buffer | null) => {
    try {
      if (chunk) parser.write(chunk)
      else parser.end()
    } catch (error) {
      failure ??= error as Error
    }
    if (failure) throw notRead(path, failure.message, failure)
  }
  const file = openTar(path)
  try {
    for (let chunk = readChunk(file, path); chunk.length > 0; chunk = readChunk(file, path)) {
      feed(chunk)
      yield* ready.splice(0)
    }
    feed(null)
    if (!isWhole) throw notRead(path, 'it is cut off: it has no end-of-archive blocks')
    yield* ready.splice(0)
  } finally {
    closeSync(file)
  }
}

function notRead(path: string, why: string, cause?: unknown): Problem {
  return new Problem('record', `${path} cannot be read as a tar: ${why}`, { path, hint: HINT, cause })
}

function openTar(path: string): number {
  try {
    const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    if (fstatSync(file).isFile()) return file
    closeSync(file)
  } catch (error) {
    throw systemProblem(`${path} cannot be opened`, error, path, 'check its rights')
  }
  throw notRead(path, 'it is not a file')
}

function readChunk(file: number, path: string): Buffer {
  try {
    // A new buffer each time: the parser keeps parts of it.
    const chunk = Buffer.allocUnsafe(READ_AT_ONCE)
    return chunk.subarray(0, readSync(file, chunk))
  } catch (error) {
    throw systemProblem(`${path} cannot be read`, error, path, 'copy it anew')
  }
}
