import { existsSync } from 'node:fs'
import type { ManifestSource } from '../manifest.ts'
import type { ReadAgain } from '../scanned.ts'
import type { SaidPlace } from './checked-rows.ts'
import { holdsWords } from './find-words.ts'
import { linesAt } from './lines-at.ts'
import { hashSource, readSource, type SourceNow } from './source-bytes.ts'

export interface CheckedSource {
  problems: string[]
  notes: string[]
}

export interface SourceReaders {
  /** The words of a message whose row lies there in `messages.ndjson`. */
  wordsAt(at: SaidPlace['at']): string
  readAgain(source: ManifestSource): AsyncIterable<ReadAgain>
}

/**
 * Reads one source again: it begins with the bytes that were scanned, every place of a message holds its words, and a
 * second extraction finds as much.
 */
export async function checkSource(
  source: ManifestSource,
  places: readonly SaidPlace[],
  readers: SourceReaders,
): Promise<CheckedSource> {
  const { problem, notes } = lookAgain(source)
  if (problem !== null) return { problems: [problem], notes }
  try {
    const problems = [
      ...checkPlaces(source, places, readers),
      ...(await compareExtractions(source, places, readers.readAgain(source))),
    ]
    return { problems, notes }
  } catch (error) {
    return { problems: [`${source.file} cannot be read again: ${(error as Error).message}`], notes }
  }
}

function lookAgain({ file, size, sha256 }: ManifestSource): { problem: string | null; notes: string[] } {
  let now: SourceNow
  try {
    now = hashSource(file, size)
  } catch (error) {
    const packed = existsSync(`${file}.zst`) ? `; ${file}.zst is there, scan again` : ''
    return { problem: `${file} cannot be read any more: ${(error as Error).message}${packed}`, notes: [] }
  }
  if (now.sha256 !== sha256)
    return { problem: `${file} does not begin with the bytes that were scanned`, notes: [] }
  const grown = now.size - size
  return { problem: null, notes: grown > 0 ? [`${file} has grown by ${grown} bytes since the scan`] : [] }
}

function checkPlaces(
  { file, size }: ManifestSource,
  places: readonly SaidPlace[],
  { wordsAt }: SourceReaders,
): string[] {
  const problems: string[] = []
  const byOffset = new Map<number, SaidPlace[]>()
  for (const place of places) {
    const others = byOffset.get(place.offset)
    if (others) others.push(place)
    else byOffset.set(place.offset, [place])
  }
  const offsets = [...byOffset.keys()].sort((a, b) => a - b)
  for (const { offset, number, bytes } of linesAt(readSource(file, size), offsets)) {
    const here = byOffset.get(offset) ?? []
    byOffset.delete(offset)
    const row = bytes === null ? undefined : rowOf(bytes)
    for (const { id, line, at } of here) {
      const where = `${file} line ${line}`
      if (line !== number) problems.push(`${where}: the line of ${id} is line ${number}`)
      if (bytes === null) problems.push(`${where}: the line of ${id} is too long to be looked into`)
      else if (row === undefined) problems.push(`${where}: the line of ${id} is no JSON`)
      else if (!holdsWords(row, wordsAt(at))) problems.push(`${where}: the words of ${id} do not stand there`)
    }
  }
  for (const [offset, here] of byOffset)
    for (const { id, line } of here)
      problems.push(`${file} line ${line}: no line begins at byte ${offset}, where ${id} is said to stand`)
  return problems
}

function rowOf(bytes: Buffer): unknown {
  try {
    const text = bytes.toString('utf8')
    return JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text)
  } catch {
    return undefined
  }
}

/** Both must find the same words in the same lines, as often. */
async function compareExtractions(
  { file }: ManifestSource,
  places: readonly SaidPlace[],
  again: AsyncIterable<ReadAgain>,
): Promise<string[]> {
  const left = new Map<string, number>()
  for (const { line, sha256 } of places) add(left, `${line} ${sha256}`, 1)
  for await (const { place, sha256 } of again) add(left, `${place.line} ${sha256}`, -1)
  return [...left].flatMap(([key, count]) => {
    const [line, sha256 = ''] = key.split(' ')
    const words = `words with the hash ${sha256.slice(0, 16)}…`
    if (count > 0) return [`${file} line ${line}: a second extraction does not find ${words}`]
    return count < 0
      ? [`${file} line ${line}: a second extraction finds ${words}, which the result lacks`]
      : []
  })
}

function add(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count)
}
