import { hiddenCharacters } from '../../hostile-text/escape-text.ts'
import { deepJson } from './deep-json.ts'

// JSON.stringify writes C0 and lone surrogates as escapes itself; a raw line feed is its own indentation.
const HIDDEN = hiddenCharacters('\\n')

/**
 * The value as JSON in which no hidden character stands raw: DEL, C1, bidi controls, line separators and the
 * invisible ones are `\uXXXX`. Parsing gives the exact value; nothing of it acts on a terminal.
 */
export function safeJson(value: unknown, space?: number): string {
  return stringify(value, space).replace(HIDDEN, escapeUnits)
}

function stringify(value: unknown, space?: number): string {
  try {
    return JSON.stringify(value, null, space) ?? 'null'
  } catch (error) {
    if (error instanceof RangeError) return deepJson(value)
    throw error
  }
}

function escapeUnits(character: string): string {
  let escaped = ''
  for (let index = 0; index < character.length; index++) {
    escaped += `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`
  }
  return escaped
}
