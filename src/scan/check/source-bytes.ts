import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { Decompress } from 'fzstd'

const CHUNK = 1 << 20

/** A source as it is now: how long, and the SHA-256 of as many first bytes as the scan read. */
export interface SourceNow {
  size: number
  sha256: string
}

/**
 * Looks at a source again, in pieces of a megabyte.
 *
 * @param size how many bytes the scan read
 * @throws the system's error
 */
export function hashSource(file: string, size: number): SourceNow {
  const fd = openSync(file, 'r')
  try {
    const hash = createHash('sha256')
    for (const chunk of chunksOf(fd, size)) hash.update(chunk)
    return { size: fstatSync(fd).size, sha256: hash.digest('hex') }
  } finally {
    closeSync(fd)
  }
}

/** The first `size` bytes of a source in pieces, unpacked where it is packed with Zstandard. */
export function* readSource(file: string, size: number): Generator<Buffer> {
  const fd = openSync(file, 'r')
  try {
    if (file.endsWith('.zst')) yield* unpacked(chunksOf(fd, size))
    else yield* chunksOf(fd, size)
  } finally {
    closeSync(fd)
  }
}

function* chunksOf(fd: number, size: number): Generator<Buffer> {
  for (let at = 0; at < size; ) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK, size - at))
    const read = readSync(fd, chunk, 0, chunk.length, at)
    if (read === 0) return
    at += read
    yield chunk.subarray(0, read)
  }
}

function* unpacked(chunks: Iterable<Buffer>): Generator<Buffer> {
  const ready: Buffer[] = []
  const decompress = new Decompress(piece => void ready.push(Buffer.from(piece)))
  for (const chunk of chunks) {
    decompress.push(chunk)
    yield* ready.splice(0)
  }
  decompress.push(new Uint8Array(0), true)
  yield* ready.splice(0)
}
