import { parsedJson } from '../../files/parsed-json.ts'
import type { Output } from '../log/event.ts'
import type { JsonSchema, OutputSchema } from '../spec/chain-schema.ts'
import { jsonSchemaCheck } from './json-schema-check.ts'
import { withinTime } from './within-time.ts'

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
    const read = parsedJson(inner)
    if ('refused' in read) return { refused: `the answer is not JSON: ${read.refused}` }
    const misfit = firstMisfit(form.schema, [read.value])
    return misfit === null ? { output: { text, value: read.value } } : { refused: misfit.what }
  }
  const values: unknown[] = []
  const lines: number[] = []
  for (const [index, line] of inner.split('\n').entries()) {
    if (line.trim() === '') continue
    const read = parsedJson(line)
    if ('refused' in read) return { refused: `line ${index + 1} is not JSON: ${read.refused}` }
    values.push(read.value)
    lines.push(index + 1)
  }
  const misfit = form.schema === undefined ? null : firstMisfit(form.schema, values)
  if (misfit !== null) return { refused: `line ${lines[misfit.index]}: ${misfit.what}` }
  return { output: { text, value: values } }
}

function anchored(pattern: string, text: string): ReadAnswer {
  const looked = withinTime(() => new RegExp(pattern, 'mu').exec(text))
  if ('problem' in looked) return { refused: `the output_anchor ${pattern}: ${looked.problem}` }
  const found = looked.result
  if (!found) return { refused: `nothing in the answer fits the output_anchor ${pattern}` }
  const fields = Object.fromEntries(
    Object.entries(found.groups ?? {}).map(([name, value]) => [name, value ?? '']),
  )
  return { output: { text, value: text, fields } }
}

function firstMisfit(schema: JsonSchema, values: unknown[]): { index: number; what: string } | null {
  const check = jsonSchemaCheck(schema)
  if ('mistake' in check) return { index: 0, what: `no JSON Schema: ${check.mistake}` }
  const misfit = check.firstMisfit(values)
  return misfit && { ...misfit, what: `the answer does not fit its schema: ${misfit.what}` }
}

function withoutFence(text: string): string {
  return /^```[a-z]*\n([\s\S]*?)\n?```$/.exec(text)?.[1] ?? text
}
