import { hiddenCharacters } from '../../hostile-text/escape-text.ts'

const HIDDEN = hiddenCharacters('\\n')
/** Text without any of these has nothing to hide; most rows are such. */
const NOT_PLAIN = /[^\x20-\x7e\n]/

/** A row of a result's NDJSON file, with its line feed. */
export function rowLine(row: object): string {
  return `${shownJson(JSON.stringify(row))}\n`
}

/**
 * JSON in which hidden characters are `\uXXXX`, so that a file that is printed acts on no terminal; parsing gives the
 * exact words.
 */
export function shownJson(json: string): string {
  return NOT_PLAIN.test(json) ? json.replace(HIDDEN, escapeUnits) : json
}

function escapeUnits(character: string): string {
  return character.replace(/[\s\S]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
