/** What a template names: an input, or something of a step. `run_id` is known only to the log's path. */
export type Reference =
  | { of: 'input'; name: string; fields: string[] }
  | { of: 'step'; id: string; what: 'output' | 'success'; fields: string[] }

/** A text as its literal parts and the references between them; `at` is the place of the template in the text. */
export type Part = { literal: string } | { reference: Reference; source: string; at: number }

export type ParsedText = { parts: Part[] } | { mistake: string; at: number }

const NAME = '[A-Za-z_][A-Za-z0-9_-]*'
const INPUT = new RegExp(`^inputs\\.(${NAME})((?:\\.[A-Za-z0-9_-]+)*)$`)
const STEP = new RegExp(`^steps\\.(${NAME})\\.(output|success)((?:\\.[A-Za-z0-9_-]+)*)$`)
export const GRAMMAR =
  '{{ inputs.x }}, {{ steps.id.output }}, {{ steps.id.output.field }} and {{ steps.id.success }} are all there is'

/** Splits a text at its templates (docs/chains.md, templates). Values that a template is filled with are never parsed again. */
export function parseText(text: string): ParsedText {
  const parts: Part[] = []
  let from = 0
  for (;;) {
    const open = text.indexOf('{{', from)
    if (open < 0) break
    const close = text.indexOf('}}', open)
    if (close < 0) return { mistake: 'a template is not closed: }} is missing', at: open }
    const source = text.slice(open, close + 2)
    const reference = parseReference(source.slice(2, -2).trim())
    if (reference === null) return { mistake: `no template: ${source}`, at: open }
    if (open > from) parts.push({ literal: text.slice(from, open) })
    parts.push({ reference, source, at: open })
    from = close + 2
  }
  if (from < text.length || parts.length === 0) parts.push({ literal: text.slice(from) })
  return { parts }
}

/** The reference of an expression such as `steps.a.output.count`; null where it is none. */
export function parseReference(expression: string): Reference | null {
  const input = INPUT.exec(expression)
  if (input) return { of: 'input', name: input[1] as string, fields: fieldsIn(input[2]) }
  const step = STEP.exec(expression)
  if (!step) return null
  const [, id = '', what, rest] = step
  const fields = fieldsIn(rest)
  if (what === 'success' && fields.length > 0) return null
  return { of: 'step', id, what: what as 'output' | 'success', fields }
}

function fieldsIn(text = ''): string[] {
  return text.split('.').filter(Boolean)
}

/** Every reference in a value of any depth, with the path of the text it stands in. */
export function referencesIn(value: unknown, path: (string | number)[] = []): Located[] {
  if (typeof value === 'string') {
    const parsed = parseText(value)
    if ('mistake' in parsed) return [{ path, mistake: parsed.mistake }]
    return parsed.parts.flatMap(part => ('reference' in part ? [{ path, reference: part.reference }] : []))
  }
  if (Array.isArray(value)) return value.flatMap((part, index) => referencesIn(part, [...path, index]))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]) => referencesIn(part, [...path, key]))
}

export type Located = { path: (string | number)[] } & ({ reference: Reference } | { mistake: string })
