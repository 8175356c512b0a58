import { createHash, hash } from 'node:crypto'
import { rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { claudeReader, newClaudeState } from '../claude/read-claude.ts'
import { newCodexState } from '../codex/codex-state.ts'
import { codexReader } from '../codex/read-codex.ts'
import type { Product } from '../message.ts'
import { DamagedArchive, isCompressed, type OpenedFile, openFile } from '../transcripts/file-chunks.ts'
import type { SourceFile } from '../transcripts/find-sources.ts'
import { historyReader } from '../transcripts/history.ts'
import { parseRow } from '../transcripts/parse-row.ts'
import { productOf } from '../transcripts/product.ts'
import { LONGEST_LINE, readLines } from '../transcripts/read-lines.ts'
import { clippedFields } from './clip.ts'
import type { Extract, Finding, Whole } from './extract.ts'
import { type ExtractWriter, readWhole, writeExtract } from './extract-file.ts'
import type { Findings, RowPlace, RowReader } from './found.ts'
import { newSeen, noteRow, productIn, type Seen } from './seen.ts'

export interface ExtractOptions {
  /** Where extracts are kept; they can be deleted at any time. */
  cacheDir: string
  revision: string
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
    const read = readSource(source, opened, writer, resumed, options)
    const whole = { ...read, identity, isSettled, findings: writer.added() }
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

function readSource(
  source: SourceFile,
  opened: OpenedFile,
  writer: ExtractWriter,
  before: Whole | null,
  options: ExtractOptions,
): Omit<Whole, 'identity' | 'isSettled' | 'findings'> {
  const seen = newSeen(before)
  const findings = findingsInto(writer, seen)
  let reader = before ? readerFor(source, before.product, before.state, findings) : null
  let product = before?.product ?? null
  if (source.kind === 'history') reader = historyReader(findings)
  const lines = readLines(opened.chunks(), { offset: before?.readTo ?? 0, lines: before?.lines ?? 0 })
  let readTo = before?.readTo ?? 0
  let damage: string | null = null
  let unfinishedBytes = 0
  try {
    for (let next = lines.next(); ; next = lines.next()) {
      if (next.done) {
        unfinishedBytes = next.value
        break
      }
      const { number, offset, length, bytes } = next.value
      readTo = offset + length + 1
      seen.lines = number
      options.onBytes?.(length + 1)
      const parsed = bytes === null ? { reason: `longer than ${LONGEST_LINE >> 20} MiB` } : parseRow(bytes)
      if ('reason' in parsed) {
        seen.malformed += 1
        writer.add({ is: 'bad-line', line: number, reason: parsed.reason } satisfies Finding)
        continue
      }
      noteRow(seen, parsed.row)
      if (reader === null) {
        product = productOf(parsed.row)
        reader = readerFor(source, product, null, findings)
      }
      reader?.read(parsed.row, { line: number, offset })
    }
  } catch (error) {
    if (!(error instanceof DamagedArchive)) throw error
    damage = error.message
  }
  const { size } = opened
  const lists = {
    sessions: [...seen.sessions],
    derivedFrom: [...seen.derivedFrom].filter(id => !seen.sessions.has(id)),
    cwds: [...seen.cwds],
    versions: [...seen.versions],
  }
  return {
    ...{
      revision: options.revision,
      file: source.file,
      kind: source.kind,
      product: productIn(source, product, seen),
    },
    ...{ size, sha256: opened.sha256(), readTo, unfinishedBytes, damage },
    ...{
      lines: seen.lines,
      malformed: seen.malformed,
      toolResults: seen.toolResults,
      messages: seen.messages,
    },
    ...lists,
    ...{ firstAt: seen.firstAt, lastAt: seen.lastAt, state: reader?.state ?? null },
    provisional: provisionalOf(reader),
  }
}

function provisionalOf(reader: RowReader<unknown> | null): Whole['provisional'] {
  const { messages, traces } = reader?.provisional() ?? { messages: [], traces: [] }
  return { messages: messages.map(one => ({ ...one, fields: clippedFields(one.fields) })), traces }
}

/** The id of a session or thread that stands in the name of its file. */
function idInName(file: string): string {
  const name = basename(file).replace(/\.jsonl(\.zst)?$/, '')
  return /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.exec(name)?.[0] ?? name
}

function readerFor(
  source: SourceFile,
  product: Product | null,
  state: unknown,
  findings: Findings,
): RowReader<unknown> | null {
  const id = idInName(source.file)
  if (product === 'claude-code') return claudeReader((state as never) ?? newClaudeState(id), findings)
  if (product === 'codex') return codexReader((state as never) ?? newCodexState(id), findings)
  return null
}

function findingsInto(writer: ExtractWriter, seen: Seen): Findings {
  const add = (finding: Finding) => writer.add(finding)
  return {
    message(found) {
      const seq = seen.messages++
      add({ is: 'message', seq, ...found, fields: clippedFields(found.fields) })
      return seq
    },
    alsoAt: (seq: number, { line, offset, row }: RowPlace & { row: string | null }) =>
      add({ is: 'also', seq, line, offset, row }),
    key: (seq, key) => add({ is: 'key', seq, key }),
    trace: (seq, trace) => add({ is: 'trace', seq, trace }),
    abandoned: seq => add({ is: 'abandoned', seq }),
    send: send => add({ is: 'send', ...send }),
    toolResult: () => {
      seen.toolResults += 1
    },
  }
}
