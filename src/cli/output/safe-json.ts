import { escapeJson } from '../../hostile-text/escape-json.ts'
import { deepJson } from './deep-json.ts'

/** The value as JSON that acts on no terminal, however deep it is nested. Parsing gives the exact value. */
export function safeJson(value: unknown, space?: number): string {
  return escapeJson(stringify(value, space))
}

function stringify(value: unknown, space?: number): string {
  try {
    return JSON.stringify(value, null, space) ?? 'null'
  } catch (error) {
    if (error instanceof RangeError) return deepJson(value)
    throw error
  }
}
