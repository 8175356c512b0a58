import { realpathSync } from 'node:fs'
import { escapeText } from '../hostile-text/escape-text.ts'
import { isInside, type Place } from '../indexer/place.ts'
import type { ResultKind } from '../known-results/known-result.ts'
import { makeResultKnown } from '../known-results/make-known.ts'
import type { Console } from './console.ts'

/**
 * Makes a result known, so that every index of this record takes it in. Where it cannot be, the result is whole all the
 * same, and a note says what will not find it.
 *
 * @returns whether it is known now
 */
export function makeKnown(place: Place, kind: ResultKind, path: string, console: Console): boolean {
  const why = whyNot(place, kind, path)
  if (why !== null) console.tell(`coord: coord query will not find this result: ${escapeText(why)}`)
  return why === null
}

function whyNot({ knownDir, recordDir }: Place, kind: ResultKind, path: string): string | null {
  if (knownDir === null) return 'there is no folder for data; set HOME or XDG_DATA_HOME'
  if (isInside(recordDir, knownDir))
    return `${knownDir} lies in the record, which holds nothing but entries; set XDG_DATA_HOME`
  try {
    // One result that is reached by two names is one.
    makeResultKnown(knownDir, kind, realpathSync(path), new Date())
    return null
  } catch (error) {
    return (error as Error).message
  }
}
