import { createHash, type Hash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { Decompress } from 'fzstd'

const CHUNK = 1 << 20

/** A file as it was when it was opened: what is appended later belongs to the next reading. */
export interface OpenedFile {
  size: number
  /** The content in pieces, unpacked where the file is compressed. */
  chunks(): Generator<Buffer>
  /** SHA-256 of the bytes on disk, hex. */
  sha256(): string
  close(): void
}

/** A compressed file that cannot be unpacked to its end. */
export class DamagedArchive extends Error {}

/**
 * Opens a transcript for reading and nothing else (rule.readOnly).
 *
 * @param upTo read no more bytes than this, which an earlier reading saw
 * @param from read nothing before this byte; the hash is of what is read
 * @throws the system's error
 */
export function openFile(path: string, upTo = Number.POSITIVE_INFINITY, from = 0): OpenedFile {
  // Opening waits for nothing: a file may have become a FIFO since it was found.
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  const stat = fstatSync(fd)
  if (!stat.isFile()) {
    closeSync(fd)
    throw Object.assign(new Error(`not a regular file: ${path}`), { code: 'not a regular file' })
  }
  const size = Math.min(stat.size, upTo)
  const hashing = { hash: createHash('sha256'), at: from }
  const raw = () => rawChunks(fd, size, hashing)
  return {
    size,
    chunks: () => (isCompressed(path) ? unpacked(raw()) : raw()),
    sha256() {
      // What nobody asked for is gone through now: a reader may have stopped at damage.
      for (const _ of raw());
      return hashing.hash.copy().digest('hex')
    },
    close: () => closeSync(fd),
  }
}

/** Whether a file is packed with Zstandard, by its name: Codex writes `….jsonl.zst`. */
export function isCompressed(path: string): boolean {
  return path.endsWith('.zst')
}

/** The content from where an earlier call stopped: a file is gone through once. */
function* rawChunks(fd: number, size: number, hashing: { hash: Hash; at: number }): Generator<Buffer> {
  while (hashing.at < size) {
    const { at } = hashing
    // Each piece is its own memory: a reader may keep the beginning of a line until its end arrives.
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK, size - at))
    const read = readSync(fd, chunk, 0, chunk.length, at)
    if (read === 0) return
    hashing.at += read
    const bytes = chunk.subarray(0, read)
    hashing.hash.update(bytes)
    yield bytes
  }
}

function* unpacked(raw: Generator<Buffer>): Generator<Buffer> {
  const ready: Uint8Array[] = []
  const decompress = new Decompress(chunk => {
    ready.push(chunk.slice())
  })
  const push = (bytes: Uint8Array, isLast: boolean) => {
    try {
      decompress.push(bytes, isLast)
    } catch (error) {
      throw new DamagedArchive(`the compressed data is damaged: ${(error as Error).message}`)
    }
  }
  for (const bytes of raw) {
    push(bytes, false)
    for (const chunk of ready.splice(0)) yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
  }
  push(new Uint8Array(0), true)
  for (const chunk of ready.splice(0)) yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
}
