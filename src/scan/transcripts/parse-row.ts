import { isUtf8 } from 'node:buffer'
import { type JsonObject, objectOf } from './json-row.ts'

/** A line as a row, or why it is none. */
export type ParsedRow = { row: JsonObject } | { reason: string }

/** Reads a line of a transcript. One that is torn, not UTF-8 or no JSON object is told, and never repaired. */
export function parseRow(bytes: Buffer): ParsedRow {
  if (!isUtf8(bytes)) return { reason: 'not UTF-8' }
  const text = bytes.toString('utf8')
  try {
    const row = objectOf(JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text))
    return row ? { row } : { reason: 'not a JSON object' }
  } catch {
    return { reason: 'not JSON' }
  }
}
