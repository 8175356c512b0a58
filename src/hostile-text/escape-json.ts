import { hiddenCharacters } from './escape-text.ts'

// JSON.stringify writes C0 and lone surrogates as escapes itself; a raw line feed is its own indentation, or ends a row.
const HIDDEN = hiddenCharacters('\\n')
/** Text without any of these has nothing to hide; most of it is such. */
const NOT_PLAIN = /[^\x20-\x7e\n]/

/**
 * JSON in which no hidden character stands raw: DEL, C1, bidi controls, line separators and the invisible ones are
 * `\uXXXX`. Parsing gives the exact value; nothing of it acts on a terminal.
 */
export function escapeJson(json: string): string {
  return NOT_PLAIN.test(json) ? json.replace(HIDDEN, escapeUnits) : json
}

function escapeUnits(character: string): string {
  return character.replace(/[\s\S]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
