import { existsSync, statSync } from 'node:fs'
import type { ManifestSource } from '../manifest.ts'
import type { TranscriptFormat } from '../transcript-format.ts'
import { DamagedArchive, openFile } from '../transcripts/file-chunks.ts'
import { parseRow } from '../transcripts/parse-row.ts'
import type { SaidPlace } from './checked-rows.ts'
import { type ExtractedAgain, extractAgain } from './extract-again.ts'
import { holdsBeginning, holdsWords, listsWords } from './find-words.ts'
import { linesAt } from './lines-at.ts'
import type { NamedIds } from './message-ids.ts'

export interface CheckedSource {
  problems: string[]
  notes: string[]
}

/** What looking at a source again needs. */
export interface LookingAgain {
  /** The words of a message whose row lies there in `messages.ndjson`. */
  wordsAt(at: SaidPlace['at']): string
  ids: Pick<NamedIds, 'lookInto'>
  formats: readonly TranscriptFormat[]
}

/** What the result says of a source beside its manifest. */
export interface SaidOfSource {
  places: readonly SaidPlace[]
  /** The exclusions tell that it is damaged from some place on. */
  isDamaged: boolean
  /** The exclusions tell that messages of it lie outside the period. */
  isCut: boolean
}

/**
 * Reads one source again: it begins with the bytes that were scanned, every place of a message holds its words, and a
 * second extraction finds as much.
 */
export function checkSource(
  source: ManifestSource,
  said: SaidOfSource,
  looking: LookingAgain,
): CheckedSource {
  const { problem, grown } = lookAgain(source)
  if (problem !== null) return { problems: [problem], notes: [] }
  const notes = grown > 0 ? [`${source.file} has grown by ${grown} bytes since the scan`] : []
  try {
    const again = extractAgain(source, looking.formats)
    const compared = compareExtractions(source, said, again)
    const looked = checkPlaces(source, said, looking, hashesByLine(again))
    return {
      problems: [
        ...looked.problems,
        ...(grown > 0 ? [] : compareCounts(source, again)),
        ...compared.problems,
      ],
      notes: [...notes, ...looked.notes, ...compared.notes],
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
    return { problems: [`${source.file} cannot be read again: ${(error as Error).message}`], notes }
  }
}

/** Whether the first bytes of a source are those that were scanned, and how many came after them. */
function lookAgain({ file, size, sha256 }: ManifestSource): { problem: string | null; grown: number } {
  try {
    const opened = openFile(file, size)
    try {
      if (opened.size < size || opened.sha256() !== sha256)
        return { problem: `${file} does not begin with the bytes that were scanned`, grown: 0 }
      return { problem: null, grown: statSync(file).size - size }
    } finally {
      opened.close()
    }
  } catch (error) {
    const packed = existsSync(`${file}.zst`) ? `; ${file}.zst is there, scan again` : ''
    return { problem: `${file} cannot be read any more: ${(error as Error).message}${packed}`, grown: 0 }
  }
}

/**
 * Finds the words of every place in its line. Beside its own place a message may stand in another form, as in a queue
 * that holds it shortened or as something that is delivered with other words: that is noted, and the message's own place
 * never is such a one.
 */
function checkPlaces(
  source: ManifestSource,
  said: SaidOfSource,
  { wordsAt, ids, formats }: LookingAgain,
  extracted: ReadonlySet<string>,
): CheckedSource {
  const { file } = source
  const problems: string[] = []
  const notes: string[] = []
  const byOffset = groupByOffset(said.places)
  const offsets = [...byOffset.keys()].sort((a, b) => a - b)
  const isHeld = (row: unknown, words: string) =>
    source.kind === 'history' ? listsWords(row, words) : holdsWords(row, words, formats)
  const opened = openFile(file, source.size)
  try {
    for (const { offset, number, bytes } of linesAt(opened.chunks(), offsets)) {
      const here = byOffset.get(offset) ?? []
      byOffset.delete(offset)
      const parsed = bytes === null ? null : parseRow(bytes)
      for (const { id, line, sha256, isFirst, at } of here) {
        if (parsed !== null && 'row' in parsed) ids.lookInto(id, parsed.row)
        const where = `${file} line ${line}`
        if (line !== number) problems.push(`${where}: the line of ${id} is line ${number}`)
        if (parsed === null) problems.push(`${where}: the line of ${id} is too long to be looked into`)
        else if ('reason' in parsed) problems.push(`${where}: the line of ${id} is ${parsed.reason}`)
        else if (isHeld(parsed.row, wordsAt(at))) continue
        else if (!isFirst && (holdsBeginning(parsed.row, wordsAt(at)) || !extracted.has(`${line} ${sha256}`)))
          notes.push(`${where} holds ${id} in another form`)
        else problems.push(`${where}: the words of ${id} do not stand there`)
      }
    }
  } catch (error) {
    if (!(error instanceof DamagedArchive)) throw error
    if (!said.isDamaged) problems.push(`${file}: ${error.message}`)
  } finally {
    opened.close()
  }
  for (const [offset, here] of byOffset)
    for (const { id, line } of here)
      problems.push(`${file} line ${line}: no line begins at byte ${offset}, where ${id} is said to stand`)
  return { problems, notes }
}

/** `<line> <hash>` of all that a second extraction finds. */
function hashesByLine({ places }: ExtractedAgain): Set<string> {
  return new Set(places.map(({ place, sha256 }) => `${place.line} ${sha256}`))
}

function groupByOffset(places: readonly SaidPlace[]): Map<number, SaidPlace[]> {
  const byOffset = new Map<number, SaidPlace[]>()
  for (const place of places) {
    const others = byOffset.get(place.offset)
    if (others) others.push(place)
    else byOffset.set(place.offset, [place])
  }
  return byOffset
}

function compareCounts({ file, counts }: ManifestSource, again: ExtractedAgain): string[] {
  return Object.entries(again.counts).flatMap(([name, found]) => {
    const said = counts[name as keyof ExtractedAgain['counts']]
    return said === found ? [] : [`${file}: ${name}: ${said} said, a second extraction finds ${found}`]
  })
}

/**
 * Both must find as much in the same lines. Of the places that share one message the texts may differ: a list of typed
 * prompts marks what was pasted, and a queue holds what is delivered later in another form.
 */
function compareExtractions(
  { file, readTo }: ManifestSource,
  { places, isCut }: SaidOfSource,
  again: ExtractedAgain,
): CheckedSource {
  const lines = new Map<number, number>()
  const words = hashesByLine(again)
  const found = again.places.filter(({ place }) => place.offset < readTo)
  for (const { place } of found) lines.set(place.line, (lines.get(place.line) ?? 0) - 1)
  const problems: string[] = []
  for (const { id, line, sha256, isFirst } of places) {
    lines.set(line, (lines.get(line) ?? 0) + 1)
    if (isFirst && !words.has(`${line} ${sha256}`))
      problems.push(`${file} line ${line}: a second extraction does not find the words of ${id}`)
  }
  let outside = 0
  for (const [line, count] of lines) {
    if (count > 0) problems.push(`${file} line ${line}: a second extraction finds ${count} fewer places`)
    else if (count < 0 && isCut) outside -= count
    else if (count < 0)
      problems.push(`${file} line ${line}: a second extraction finds ${-count} more than the result holds`)
  }
  return { problems, notes: outside > 0 ? [`${file}: ${outside} places lie outside the period`] : [] }
}
