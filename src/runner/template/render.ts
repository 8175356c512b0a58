import { parseText, type Reference } from './parse-template.ts'

/** Gives the value that a reference stands for; throws `NoValue` where there is none. */
export type LookUp = (reference: Reference) => unknown

/** A reference stands for nothing: its step failed or was skipped, or the answer has no such field. */
export class NoValue extends Error {
  override readonly name = 'NoValue'
}

/**
 * A value with its templates filled. A text that is one template alone becomes the value itself, of whatever type;
 * within a longer text a value stands as text, or as JSON where it is none. What is filled in is not looked at again.
 *
 * @throws NoValue
 */
export function render(value: unknown, lookUp: LookUp): unknown {
  if (typeof value === 'string') return renderText(value, lookUp)
  if (Array.isArray(value)) return value.map(part => render(part, lookUp))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, render(part, lookUp)]))
}

/** Like `render`, as text. */
export function renderToText(text: string, lookUp: LookUp): string {
  return asText(renderText(text, lookUp))
}

function renderText(text: string, lookUp: LookUp): unknown {
  const parsed = parseText(text)
  // Checked before anything runs (check-templates.ts).
  if ('mistake' in parsed) throw new Error(parsed.mistake)
  const [only, ...more] = parsed.parts
  if (only && more.length === 0) return 'literal' in only ? only.literal : lookUp(only.reference)
  return parsed.parts
    .map(part => ('literal' in part ? part.literal : asText(lookUp(part.reference))))
    .join('')
}

/** A value as it stands within a text. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}
