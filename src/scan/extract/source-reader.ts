import { basename } from 'node:path'
import type { Product } from '../message.ts'
import type { TranscriptFormat, WholeNotes } from '../transcript-format.ts'
import type { SourceFile } from '../transcripts/find-sources.ts'
import { tellListed } from '../transcripts/history.ts'
import type { JsonObject } from '../transcripts/json-row.ts'
import type { Whole } from './extract.ts'
import type { Findings, RowPlace, RowReader } from './found.ts'

/** Reads the rows of a source of any format. */
export interface SourceReader extends RowReader {
  /** The program that wrote the rows so far; null where none of them tells. */
  readonly product: Product | null
}

/** What a reader of a source tells. */
export interface Told {
  findings: Findings
  whole: WholeNotes
}

/** @param before what an earlier reading said of the source; null where it is read from its beginning */
export function sourceReader(
  source: SourceFile,
  before: Whole | null,
  told: Told,
  formats: readonly TranscriptFormat[],
): SourceReader {
  return source.kind === 'history'
    ? historyReader(before, told, formats)
    : transcriptReader(source, before, told, formats)
}

/** The first row that a format recognises makes the transcript one of it; what stands before says nothing. */
function transcriptReader(
  { file }: SourceFile,
  before: Whole | null,
  { findings, whole }: Told,
  formats: readonly TranscriptFormat[],
): SourceReader {
  let format = formats.find(({ product }) => product === before?.product)
  let reader = format?.reader(before?.state ?? null, idInName(file), findings)
  return {
    get product() {
      return format?.product ?? null
    },
    get state() {
      return reader?.state ?? null
    },
    read(row, place) {
      format ??= formats.find(one => one.wrote(row))
      if (format === undefined) return
      reader ??= format.reader(null, idInName(file), findings)
      format.describe(row, whole)
      reader.read(row, place)
    },
    provisional: () => reader?.provisional() ?? { messages: [], traces: [] },
  }
}

/** A list of typed prompts: each line tells by itself which program wrote it. */
function historyReader(
  before: Whole | null,
  { findings, whole }: Told,
  formats: readonly TranscriptFormat[],
): SourceReader {
  let product = before?.product ?? null
  return {
    get product() {
      return product
    },
    state: null,
    read(row: JsonObject, place: RowPlace) {
      for (const format of formats) {
        const listed = format.listedPrompt(row)
        if (listed === null) continue
        product ??= format.product
        whole.session(listed.session)
        whole.cwd(listed.cwd)
        return tellListed(listed, place, findings)
      }
    },
    provisional: () => ({ messages: [], traces: [] }),
  }
}

/** The id of a session or thread that stands in the name of its file. */
function idInName(file: string): string {
  const name = basename(file).replace(/\.jsonl(\.zst)?$/, '')
  return /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.exec(name)?.[0] ?? name
}
