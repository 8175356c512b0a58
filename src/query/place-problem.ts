import { displayWidth } from '../hostile-text/display-width.ts'
import { escapeText } from '../hostile-text/escape-text.ts'
import { Problem, type ProblemKind } from '../problem/problem.ts'

/** Display columns shown on either side of the place. */
const AROUND = 38

/**
 * A problem at one place of a text that the person typed. The message says what and the character's number; the hint
 * holds the text (long ones cut around the place), a caret under the place and what would fit, each on its own line.
 */
export function problemAt(
  kind: ProblemKind,
  what: string,
  source: string,
  index: number,
  fits?: string,
): Problem {
  const lines = [...pointAt(source, index), ...(fits === undefined ? [] : [escapeText(fits)])]
  return new Problem(kind, `${escapeText(what)} at character ${characterNumber(source, index)}`, {
    hint: lines.join('\n'),
  })
}

/** A name or text of the person's, short enough for one line; `problemAt` escapes it. */
export function quoted(text: string): string {
  return text.length > 60 ? `"${text.slice(0, 60).replace(/[\uD800-\uDBFF]$/, '')}…"` : `"${text}"`
}

function pointAt(source: string, index: number): [string, string] {
  const before = take(source, index, -1)
  const after = take(source, index, 1)
  return [before + after, `${' '.repeat(displayWidth(before))}^`]
}

/** The escaped characters before or after `index`, as many as fit, with a mark where more were left off. */
function take(source: string, index: number, step: 1 | -1): string {
  const taken: string[] = []
  let at = index
  let width = 0
  while (step === 1 ? at < source.length : at > 0) {
    const character = step === 1 ? characterFrom(source, at) : characterBefore(source, at)
    const escaped = escapeText(character)
    width += displayWidth(escaped)
    if (width > AROUND) {
      taken.push('…')
      break
    }
    taken.push(escaped)
    at += step * character.length
  }
  return (step === 1 ? taken : taken.reverse()).join('')
}

function characterFrom(source: string, at: number): string {
  return String.fromCodePoint(source.codePointAt(at) as number)
}

function characterBefore(source: string, at: number): string {
  const last = source.slice(at - 1, at)
  const pair = at > 1 ? source.slice(at - 2, at) : ''
  return pair !== '' && pair.isWellFormed() && (pair.codePointAt(0) as number) > 0xffff ? pair : last
}

/** Counts characters from 1, as people do. */
function characterNumber(source: string, index: number): number {
  let count = 1
  for (let at = 0; at < index; at += characterFrom(source, at).length) count += 1
  return count
}
