import { existsSync, rmSync } from 'node:fs'
import { removeLeftOvers } from '../files/whole-file.ts'
import type { Extract } from './extract/extract.ts'
import { type ExtractOptions, extractSource } from './extract/extract-source.ts'
import { FORMATS } from './formats.ts'
import { type ManifestSource, rootsOf, type ScanOptions } from './manifest.ts'
import { LostExtract } from './merge/findings-of.ts'
import { type Merged, type MergeOptions, mergeExtracts } from './merge/merge-extracts.ts'
import type { RecordLookup } from './merge/record-lookup.ts'
import { type Label, noneOfEach } from './message.ts'
import type { Scanned, ScannedMessage } from './scanned.ts'
import { type TranscriptFormat, titlesOf } from './transcript-format.ts'
import { cannotBeRead, findSources } from './transcripts/find-sources.ts'

export interface ScanRequest extends ExtractOptions {
  options: ScanOptions
  /** What the record says; null where there is none to ask. */
  record: RecordLookup | null
  onSource?: (file: string, at: number, of: number) => void
}

/** What a scan did: `read` counts transcripts that were opened. */
export interface ScanWork {
  kept: number
  resumed: number
  read: number
}

/**
 * Finds the person's words in transcripts (rule.personsWords) without changing or resuming anything (rule.readOnly).
 * Memory depends on how many messages there are, and on the longest line, not on the bytes read.
 *
 * @throws Problem `not-found` where a named root is not there
 */
export function scanTranscripts(request: ScanRequest): Scanned & { work: ScanWork } {
  const { options, record, formats = FORMATS } = request
  const { files, exclusions } = findSources(rootsOf(options), formats)
  if (existsSync(request.cacheDir)) removeLeftOvers(request.cacheDir)
  const extracts: Extract[] = []
  const work: ScanWork = { kept: 0, resumed: 0, read: 0 }
  const exclude = (file: string, reason: string, line: number | null = null) =>
    void exclusions.push({ file, line, reason })
  for (const [at, source] of files.entries()) {
    request.onSource?.(source.file, at, files.length)
    try {
      const extract = extractSource(source, request)
      work[extract.work] += 1
      const { damage, product } = extract.whole
      const reason = whyNot(extract, options, formats)
      if (reason === null) extracts.push(extract)
      // Of what nothing could be read, the damage is the reason.
      else if (damage === null || product !== null) exclude(source.file, reason)
      if (damage !== null) exclude(source.file, `damaged, read up to there: ${damage}`)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === undefined) throw error
      exclude(source.file, cannotBeRead(error))
    }
  }
  const { since, until } = options
  const isInPeriod = (at: string) => (since === null || at >= since) && (until === null || at <= until)
  const merged = mergeAll(extracts, request, {
    ...{ record, isInPeriod },
    isInProject: cwd => options.project === null || (cwd !== null && isBelow(cwd, options.project)),
  })
  for (const { file, line, reason } of merged.badLines) exclude(file, reason, line)
  for (const [file, count] of merged.left.period) exclude(file, `${count} messages outside the period`)
  for (const [file, count] of merged.left.project) exclude(file, `${count} messages of other projects`)
  return { sources: sourcesOf(extracts, merged.messages()), exclusions, messages: merged.messages, work }
}

/** Puts extracts together; one that is damaged, or was replaced since it was made, is made anew, once. */
function mergeAll(extracts: Extract[], request: ExtractOptions, options: MergeOptions): Merged {
  const again = new Set<string>()
  for (;;) {
    try {
      return mergeExtracts(extracts, options)
    } catch (error) {
      if (!(error instanceof LostExtract)) throw error
      const { path, whole } = error.extract
      if (again.has(path)) throw error
      again.add(path)
      rmSync(path, { force: true })
      extracts[extracts.indexOf(error.extract)] = extractSource(whole, request)
    }
  }
}

/** Why a transcript is not part of the scan; null where it is. */
function whyNot(
  { whole }: Extract,
  { project, since, until }: ScanOptions,
  formats: readonly TranscriptFormat[],
): string | null {
  if (whole.product === null) return noTranscript(whole, formats)
  if (project !== null && !whole.cwds.some(cwd => isBelow(cwd, project)))
    return whole.cwds.length === 0 ? 'it names no project' : 'another project'
  if (since !== null && whole.lastAt !== null && whole.lastAt < since) return 'ends before the period'
  if (until !== null && whole.firstAt !== null && whole.firstAt > until) return 'begins after the period'
  return null
}

function isBelow(cwd: string, project: string): boolean {
  const folder = project.replace(/\/+$/, '')
  return cwd === folder || cwd.startsWith(`${folder}/`)
}

function noTranscript(
  { lines, unfinishedBytes }: Extract['whole'],
  formats: readonly TranscriptFormat[],
): string {
  if (lines > 0) return `not a transcript of ${titlesOf(formats)}`
  return unfinishedBytes === 0 ? 'empty' : 'no whole line yet'
}

function sourcesOf(extracts: Extract[], messages: Iterable<ScannedMessage>): ManifestSource[] {
  const places = new Map(extracts.map(({ whole }) => [whole.file, noneOfEach()]))
  for (const { message } of messages) {
    for (const { file } of [message.source, ...message.alsoAt]) {
      const count = places.get(file)
      if (count) count[message.label] += 1
    }
  }
  return extracts.map(({ whole }) => ({
    ...{ file: whole.file, product: whole.product as ManifestSource['product'], kind: whole.kind },
    ...{ sessions: whole.sessions, cwd: whole.cwds[0] ?? null, versions: whole.versions },
    ...{
      size: whole.size,
      sha256: whole.sha256,
      readTo: whole.readTo,
      firstAt: whole.firstAt,
      lastAt: whole.lastAt,
    },
    counts: {
      ...{ lines: whole.lines, malformed: whole.malformed, unfinishedBytes: whole.unfinishedBytes },
      ...{ toolResults: whole.toolResults, places: places.get(whole.file) as Record<Label, number> },
    },
  }))
}
