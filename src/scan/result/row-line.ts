import { hiddenCharacters } from '../../hostile-text/escape-text.ts'

const HIDDEN = hiddenCharacters('\\n')

/**
 * A row of a result's NDJSON file, with its line feed. Hidden characters of its words are `\uXXXX`, so that a file that
 * is printed acts on no terminal; parsing gives the exact words.
 */
export function rowLine(row: object): string {
  return `${JSON.stringify(row).replace(HIDDEN, escapeUnits)}\n`
}

function escapeUnits(character: string): string {
  return character.replace(/[\s\S]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
