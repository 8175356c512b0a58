import { createHash, type Hash } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import type { Extract, Finding } from '../extract/extract.ts'
import { readAt } from '../extract/extract-file.ts'
import { readLines } from '../transcripts/read-lines.ts'
import type { Spot } from './item.ts'

/** An extract that was deleted or damaged, or replaced by another scan, since it was made. */
export class LostExtract extends Error {
  readonly extract: Extract

  constructor(extract: Extract, cause?: unknown) {
    super('an extract is not what it was', { cause })
    this.extract = extract
  }
}

/**
 * The findings of an extract, each with where it stands.
 *
 * @throws LostExtract, at the latest after the last finding
 */
export function* findingsOf(extract: Extract): Generator<{ finding: Finding; spot: Spot }> {
  const { bytes: end, sha256 } = extract.whole.findings
  const seen = createHash('sha256')
  try {
    const fd = openSync(extract.path, 'r')
    try {
      for (const { offset, length, bytes } of readLines(piecesOf(fd, end, seen), { offset: 0, lines: 0 })) {
        if (bytes === null) continue
        const finding = JSON.parse(bytes.toString('utf8')) as Finding
        yield { finding, spot: { extract, position: offset, length } }
      }
    } finally {
      closeSync(fd)
    }
  } catch (cause) {
    throw new LostExtract(extract, cause)
  }
  if (seen.digest('hex') !== sha256) throw new LostExtract(extract)
}

const PIECE = 1 << 20

function* piecesOf(fd: number, end: number, seen: Hash): Generator<Buffer> {
  for (let at = 0; at < end; at += PIECE) {
    const piece = readAt(fd, at, Math.min(PIECE, end - at))
    seen.update(piece)
    yield piece
  }
}
