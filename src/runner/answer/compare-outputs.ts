import { canonicalJson } from '../log/canonical-json.ts'
import type { Output } from '../log/event.ts'

/** What two answers to the same step have in common. */
export interface Comparison {
  diverged: boolean
  detail: string
}

const SHOWN = 160

/**
 * Compares the primary's answer with a verifier's: field by field where fields are named, else JSON by its value and
 * text without regard to blanks.
 */
export function compareOutputs(first: Output, second: Output, fields?: readonly string[]): Comparison {
  if (fields === undefined) {
    const same =
      typeof first.value === 'string' && typeof second.value === 'string'
        ? plain(first.value) === plain(second.value)
        : canonicalJson(first.value) === canonicalJson(second.value)
    if (same) return { diverged: false, detail: 'the verifier answers the same' }
    return { diverged: true, detail: `the answers diverge: ${shown(first.value)} and ${shown(second.value)}` }
  }
  const different = fields.filter(
    field => canonicalJson(part(first, field)) !== canonicalJson(part(second, field)),
  )
  if (different.length === 0)
    return { diverged: false, detail: `the verifier agrees on ${fields.join(', ')}` }
  const told = different.map(
    field => `${field} is ${shown(part(first, field))} and ${shown(part(second, field))}`,
  )
  return { diverged: true, detail: `the answers diverge: ${told.join('; ')}` }
}

function part(output: Output, field: string): unknown {
  let at: unknown = output.fields ?? output.value
  for (const name of field.split('.')) at = (at as Record<string, unknown> | null | undefined)?.[name]
  return at ?? null
}

function plain(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}

function shown(value: unknown): string {
  const text = canonicalJson(value)
  return text.length > SHOWN ? `${text.slice(0, SHOWN).toWellFormed()}…` : text
}
