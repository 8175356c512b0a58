import { FORMATS } from '../formats.ts'
import type { TranscriptFormat } from '../transcript-format.ts'

/** Strings in strings are looked into so often: a row in a row, and what a tool was given in that. */
const DEEPEST_NESTING = 3
/** Words that are made of more pieces than this are not searched for. */
const MOST_PIECES = 200

/**
 * Whether words stand in a row of a transcript, looked for without what took them out of it: verbatim in one of the
 * row's strings, also in one inside another that holds JSON; in JSON quotes, which a list of answers puts around one; as
 * a program's own form of what was typed, such as a command with its arguments; or as several pieces of its strings with line feeds between, which is how text blocks
 * beside a picture or a pasted text are put together.
 */
export function holdsWords(
  row: unknown,
  words: string,
  formats: readonly TranscriptFormat[] = FORMATS,
): boolean {
  const strings = [...stringsOf(row, 0)]
  return (
    strings.some(text => text.includes(words)) ||
    strings.some(text => text.includes(JSON.stringify(words))) ||
    strings.some(text => formats.some(format => format.typedIn(text) === words)) ||
    isMadeOfPieces(strings, words)
  )
}

/**
 * Whether a list of typed prompts names words: it has a `!` before what went to the shell, and a mark where something
 * was pasted.
 */
export function listsWords(row: unknown, words: string): boolean {
  const strings = [...stringsOf(row, DEEPEST_NESTING)]
  return strings.some(text => typedPart(text) === typedPart(words)) || isMadeOfPieces(strings, words)
}

/** Whether a text stands in one of the strings of a row. */
export function holdsString(row: unknown, text: string): boolean {
  return [...stringsOf(row, 0)].some(one => one.includes(text))
}

/** So many first characters in common are no chance. */
const ENOUGH = 64

/** Whether a row holds words in a shortened form: a string that begins as they do, for more than a few characters. */
export function holdsBeginning(row: unknown, words: string): boolean {
  if (words.length <= ENOUGH) return false
  const beginning = words.slice(0, ENOUGH)
  return [...stringsOf(row, 0)].some(text => text.startsWith(beginning))
}

function typedPart(text: string): string {
  return text
    .replace(/^!/, '')
    .replace(/\[Pasted text #\d+[^\]]*\]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

function* stringsOf(value: unknown, depth: number): Generator<string> {
  // A list of its own of what is still to be looked at: rows may be nested deeper than the call stack.
  const waiting: unknown[] = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next === 'string') {
      yield next
      if (depth < DEEPEST_NESTING) yield* stringsIn(next, depth)
    } else if (typeof next === 'object' && next !== null) {
      for (const part of Object.values(next)) waiting.push(part)
    }
  }
}

function* stringsIn(text: string, depth: number): Generator<string> {
  if (!/^\s*[[{"]/.test(text)) return
  try {
    yield* stringsOf(JSON.parse(text), depth + 1)
  } catch {
    // It begins like JSON and is none.
  }
}

/**
 * Takes the longest beginning that stands in some string, then the longest of the rest. A part of a piece that stands
 * there stands there too, so taking the longest never spoils what follows.
 */
function isMadeOfPieces(strings: readonly string[], words: string): boolean {
  const ends = [...lineEnds(words)]
  if (ends.length < 2) return false
  let from = 0
  let at = 0
  for (let pieces = 0; pieces < MOST_PIECES; pieces++) {
    const piece = longestPiece(strings, words, from, ends, at)
    if (piece === null) return false
    if (piece === ends.length - 1) return true
    from = (ends[piece] as number) + 1
    at = piece + 1
  }
  return false
}

/** The last of the line ends up to which the words from `from` stand in some string; null where none does. */
function longestPiece(
  strings: readonly string[],
  words: string,
  from: number,
  ends: readonly number[],
  first: number,
): number | null {
  const isThere = (end: number) => {
    const piece = words.slice(from, ends[end])
    return strings.some(text => text.includes(piece))
  }
  if (!isThere(first)) return null
  let low = first
  let high = ends.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (isThere(middle)) low = middle
    else high = middle - 1
  }
  return low
}

function* lineEnds(words: string): Generator<number> {
  for (let end = words.indexOf('\n'); end !== -1; end = words.indexOf('\n', end + 1)) yield end
  yield words.length
}
