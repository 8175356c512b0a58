import type { TranscriptFormat } from '../transcript-format.ts'
import { DamagedArchive, type OpenedFile } from '../transcripts/file-chunks.ts'
import type { SourceFile } from '../transcripts/find-sources.ts'
import { parseRow } from '../transcripts/parse-row.ts'
import { type Line, LONGEST_LINE, readLines } from '../transcripts/read-lines.ts'
import { clippedFields } from './clip.ts'
import type { Finding, Whole } from './extract.ts'
import type { ExtractWriter } from './extract-file.ts'
import type { Findings } from './found.ts'
import { newSeen, notesInto, type Seen } from './seen.ts'
import { sourceReader } from './source-reader.ts'

export interface ReadOptions {
  formats: readonly TranscriptFormat[]
  onBytes: ((bytes: number) => void) | undefined
}

/** What reading alone tells of a transcript. */
export type WholeRead = Omit<Whole, 'revision' | 'identity' | 'isSettled' | 'findings'>

/**
 * Goes through a transcript once, line by line, and writes what is found.
 *
 * @param before what an earlier reading said; the transcript is read on from there
 */
export function readSource(
  source: SourceFile,
  opened: OpenedFile,
  writer: ExtractWriter,
  before: Whole | null,
  { formats, onBytes }: ReadOptions,
): WholeRead {
  const seen = newSeen(before)
  const told = { findings: findingsInto(writer, seen), whole: notesInto(seen) }
  const reader = sourceReader(source, before, told, formats)
  const { readTo, unfinishedBytes, damage } = eachLine(
    opened,
    before,
    ({ number, offset, length, bytes }) => {
      seen.lines = number
      onBytes?.(length + 1)
      const parsed = bytes === null ? { reason: `longer than ${LONGEST_LINE >> 20} MiB` } : parseRow(bytes)
      if ('row' in parsed) return reader.read(parsed.row, { line: number, offset })
      seen.malformed += 1
      writer.add({ is: 'bad-line', line: number, reason: parsed.reason } satisfies Finding)
    },
  )
  const { messages, traces } = reader.provisional()
  return {
    ...{ file: source.file, kind: source.kind, product: reader.product },
    ...{ size: opened.size, sha256: opened.sha256(), readTo, unfinishedBytes, damage },
    ...{ lines: seen.lines, malformed: seen.malformed },
    ...{ toolResults: seen.toolResults, messages: seen.messages },
    sessions: [...seen.sessions],
    derivedFrom: [...seen.derivedFrom].filter(id => !seen.sessions.has(id)),
    ...{ cwds: [...seen.cwds], versions: [...seen.versions] },
    ...{ firstAt: seen.firstAt, lastAt: seen.lastAt, state: reader.state },
    provisional: {
      messages: messages.map(one => ({ ...one, fields: clippedFields(one.fields) })),
      traces,
    },
  }
}

/** Hands on each whole line, up to the end or to where the file is damaged. */
function eachLine(
  opened: OpenedFile,
  before: Whole | null,
  take: (line: Line) => void,
): Pick<Whole, 'readTo' | 'unfinishedBytes' | 'damage'> {
  let readTo = before?.readTo ?? 0
  const lines = readLines(opened.chunks(), { offset: readTo, lines: before?.lines ?? 0 })
  try {
    for (let next = lines.next(); ; next = lines.next()) {
      if (next.done) return { readTo, unfinishedBytes: next.value, damage: null }
      readTo = next.value.offset + next.value.length + 1
      take(next.value)
    }
  } catch (error) {
    if (!(error instanceof DamagedArchive)) throw error
    return { readTo, unfinishedBytes: 0, damage: error.message }
  }
}

function findingsInto(writer: ExtractWriter, seen: Seen): Findings {
  const add = (finding: Finding) => writer.add(finding)
  return {
    message(found) {
      const seq = seen.messages++
      add({ is: 'message', seq, ...found, fields: clippedFields(found.fields) })
      return seq
    },
    alsoAt: (seq, { line, offset, row }) => add({ is: 'also', seq, line, offset, row }),
    key: (seq, key) => add({ is: 'key', seq, key }),
    trace: (seq, trace) => add({ is: 'trace', seq, trace }),
    abandoned: seq => add({ is: 'abandoned', seq }),
    send: send => add({ is: 'send', ...send }),
    toolResult: () => {
      seen.toolResults += 1
    },
  }
}
