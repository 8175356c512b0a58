import { createHash, hash } from 'node:crypto'
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { FORMATS } from '../formats.ts'
import type { TranscriptFormat } from '../transcript-format.ts'
import { isCompressed, openFile } from '../transcripts/file-chunks.ts'
import type { SourceFile } from '../transcripts/find-sources.ts'
import type { Extract, Whole } from './extract.ts'
import { readWhole, writeExtract } from './extract-file.ts'
import { readSource } from './read-source.ts'

export interface ExtractOptions {
  /** Where extracts are kept; they can be deleted at any time. */
  cacheDir: string
  revision: string
  formats?: readonly TranscriptFormat[]
  onBytes?: (bytes: number) => void
}

/** A change within this time before a reading may come again without another time of change. */
const SETTLED_MS = 2_000

/**
 * Takes out of a transcript what a scan needs. A transcript that has not changed since its extract was made is not
 * opened; one that has grown is read on from where its last whole line ended, once its beginning is shown to be the
 * same bytes.
 *
 * @throws the system's error where the transcript cannot be read
 */
export function extractSource(source: SourceFile, options: ExtractOptions): Extract {
  const path = join(options.cacheDir, `${hash('sha256', source.file).slice(0, 32)}.ndjson`)
  const before = wholeOf(path, source, options.revision)
  const stat = statSync(source.file, { bigint: true })
  const identity = [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(':')
  if (before?.identity === identity && before.isSettled) return { path, whole: before, work: 'kept' }
  const isSettled = Date.now() - Number(stat.ctimeNs / 1_000_000n) > SETTLED_MS
  const opened = openFile(source.file)
  const writer = writeExtract(path)
  try {
    const resumed =
      before !== null && mayResume(before, stat) && hasSameBeginning(source.file, before) ? before : null
    if (resumed && !writer.addFrom(path, resumed.findings)) {
      writer.abandon()
      rmSync(path, { force: true })
      return extractSource(source, options)
    }
    const { revision, formats = FORMATS, onBytes } = options
    const read = readSource(source, opened, writer, resumed, { formats, onBytes })
    const whole = { ...read, revision, identity, isSettled, findings: writer.added() }
    writer.finish(whole)
    return { path, whole, work: resumed ? 'resumed' : 'read' }
  } catch (error) {
    writer.abandon()
    throw error
  } finally {
    opened.close()
  }
}

function wholeOf(path: string, source: SourceFile, revision: string): Whole | null {
  const whole = readWhole(path) as Whole | null
  const isOurs = whole?.revision === revision && whole.file === source.file && whole.kind === source.kind
  return isOurs ? whole : null
}

function mayResume(before: Whole, stat: { dev: bigint; ino: bigint; size: bigint }): boolean {
  const isSameFile = before.identity.startsWith(`${stat.dev}:${stat.ino}:`)
  return (
    isSameFile && stat.size >= BigInt(before.size) && !isCompressed(before.file) && before.damage === null
  )
}

function hasSameBeginning(file: string, before: Whole): boolean {
  const opened = openFile(file)
  const sha256 = createHash('sha256')
  let left = before.size
  try {
    for (const chunk of opened.chunks()) {
      sha256.update(chunk.subarray(0, Math.min(left, chunk.length)))
      left -= Math.min(left, chunk.length)
      if (left === 0) break
    }
  } finally {
    opened.close()
  }
  return left === 0 && sha256.digest('hex') === before.sha256
}
