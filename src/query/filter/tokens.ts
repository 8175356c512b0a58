import { problemAt, quoted } from '../place-problem.ts'

/** A piece of a filter; `start` and `end` are offsets into it. */
export type Token = { readonly start: number; readonly end: number } & (
  | { readonly kind: 'word'; readonly text: string }
  | { readonly kind: 'string'; readonly text: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'bare-time'; readonly text: string }
  | { readonly kind: 'symbol'; readonly text: string }
  | { readonly kind: 'end' }
)

const SPACE = /\s+/y
const WORD = /[\p{L}_][\p{L}\p{N}\p{M}_]*/uy
const SYMBOL = /<>|<=|>=|==|!=|[=<>(),]/y
/** Numbers, and times that are written without quotes: `2h`, `2026-11-01`, `2026-11-01T10:00:00Z`. */
const DIGITS = /-?\d[\w:.]*(?:[+-][\w:.]+)*/y
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const OTHER_QUOTES: Record<string, string> = { '"': '"', '`': '`', '“': '”', '‘': '’', '«': '»' }

/** The pieces of a filter, with one of kind `end` at its end. */
export function tokenize(filter: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  const match = (pattern: RegExp): string | null => {
    pattern.lastIndex = at
    return pattern.exec(filter)?.[0] ?? null
  }
  while (true) {
    at += match(SPACE)?.length ?? 0
    if (at >= filter.length) break
    const token = readString(filter, at) ?? readDigits(filter, at, match) ?? readRest(at, match)
    if (token === null) throw unexpected(filter, at)
    tokens.push(token)
    at = token.end
  }
  tokens.push({ kind: 'end', start: filter.length, end: filter.length })
  return tokens
}

function readString(filter: string, start: number): Token | null {
  if (filter[start] !== "'") return null
  let at = start + 1
  while (true) {
    const close = filter.indexOf("'", at)
    if (close === -1) {
      throw problemAt(
        'filter',
        'a text that begins and has no end',
        filter,
        start,
        "close it with '; a quote inside a text is written twice: ''",
      )
    }
    if (filter[close + 1] !== "'") {
      return {
        kind: 'string',
        text: filter.slice(start + 1, close).replaceAll("''", "'"),
        start,
        end: close + 1,
      }
    }
    at = close + 2
  }
}

/** Where the character at `index` of a string's value stands in the filter. */
export function placeInString(token: { readonly start: number }, text: string, index: number): number {
  let place = token.start + 1 + index
  for (let at = text.indexOf("'"); at !== -1 && at < index; at = text.indexOf("'", at + 1)) place += 1
  return place
}

function readDigits(filter: string, start: number, match: (pattern: RegExp) => string | null): Token | null {
  const text = match(DIGITS)
  if (text === null) return null
  const end = start + text.length
  if (!NUMBER.test(text)) return { kind: 'bare-time', text, start, end }
  const value = Number(text)
  if (!Number.isFinite(value)) throw problemAt('filter', 'a number that is too large', filter, start)
  return { kind: 'number', value, start, end }
}

function readRest(start: number, match: (pattern: RegExp) => string | null): Token | null {
  const word = match(WORD)
  if (word !== null) return { kind: 'word', text: word, start, end: start + word.length }
  const symbol = match(SYMBOL)
  return symbol === null ? null : { kind: 'symbol', text: symbol, start, end: start + symbol.length }
}

function unexpected(filter: string, at: number) {
  const character = String.fromCodePoint(filter.codePointAt(at) as number)
  const closing = OTHER_QUOTES[character]
  if (closing !== undefined) {
    const close = filter.indexOf(closing, at + 1)
    const inside = filter.slice(at + 1, close === -1 ? undefined : close)
    const example = inside.length <= 60 ? `: ${inSingleQuotes(inside)}` : ''
    return problemAt(
      'filter',
      `unexpected ${character}`,
      filter,
      at,
      `a text stands in single quotes${example}; a column without quotes`,
    )
  }
  return problemAt('filter', `unexpected ${quoted(character)}`, filter, at, fitsInsteadOf(character))
}

export function inSingleQuotes(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

function fitsInsteadOf(character: string): string {
  if (character === '.') return 'columns stand without the name of their relation'
  if (character === '&') return 'write and'
  if (character === '|') return 'write or'
  if (character === '!') return 'write not, or != between a column and a value'
  if (character === '%' || character === '*') return "a pattern stands in quotes: cwd like '/home/%'"
  return 'a filter is made of columns, comparisons, values, and, or, not and parentheses'
}
