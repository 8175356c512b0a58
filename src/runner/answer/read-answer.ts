import type { Output } from '../log/event.ts'
import type { OutputSchema } from '../spec/chain-schema.ts'
import { jsonSchemaCheck } from './json-schema-check.ts'

export type ReadAnswer = { output: Output } | { refused: string }

/**
 * An agent's answer as the form that its step declares (spec, procedure 4), or why it does not fit. An empty answer
 * never fits. A single code fence around JSON is taken off.
 */
export function readAnswer(form: OutputSchema | undefined, answer: string): ReadAnswer {
  const text = answer.trim()
  if (text === '') return { refused: 'the answer is empty' }
  if (form === undefined || form.type === 'text') return { output: { text, value: text } }
  if (form.type === 'structured-text') return anchored(form.output_anchor, text)
  const inner = withoutFence(text)
  if (form.type === 'json') {
    const read = parsed(inner)
    if ('refused' in read) return { refused: `the answer is not JSON: ${read.refused}` }
    const wrong = fits(form.schema, read.value)
    return wrong === null ? { output: { text, value: read.value } } : { refused: wrong }
  }
  const values: unknown[] = []
  for (const [index, line] of inner.split('\n').entries()) {
    if (line.trim() === '') continue
    const read = parsed(line)
    if ('refused' in read) return { refused: `line ${index + 1} is not JSON: ${read.refused}` }
    const wrong = form.schema === undefined ? null : fits(form.schema, read.value)
    if (wrong !== null) return { refused: `line ${index + 1}: ${wrong}` }
    values.push(read.value)
  }
  return { output: { text, value: values } }
}

function anchored(pattern: string, text: string): ReadAnswer {
  const found = new RegExp(pattern, 'mu').exec(text)
  if (!found) return { refused: `nothing in the answer fits the output_anchor ${pattern}` }
  const fields = Object.fromEntries(
    Object.entries(found.groups ?? {}).map(([name, value]) => [name, value ?? '']),
  )
  return { output: { text, value: text, fields } }
}

function fits(schema: Parameters<typeof jsonSchemaCheck>[0], value: unknown): string | null {
  const check = jsonSchemaCheck(schema)
  if ('mistake' in check) return `no JSON Schema: ${check.mistake}`
  const wrong = check.isValid(value)
  return wrong === null ? null : `the answer does not fit its schema: ${wrong}`
}

function withoutFence(text: string): string {
  return /^```[a-z]*\n([\s\S]*?)\n?```$/.exec(text)?.[1] ?? text
}

function parsed(text: string): { value: unknown } | { refused: string } {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { refused: (error as Error).message }
  }
}
