import { escapeJson } from '../../hostile-text/escape-json.ts'

/** A row of a result's NDJSON file, with its line feed; a file that is printed acts on no terminal. */
export function rowLine(row: object): string {
  return `${escapeJson(JSON.stringify(row))}\n`
}
