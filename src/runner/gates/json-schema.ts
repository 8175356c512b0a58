import { parsedJson } from '../../files/parsed-json.ts'
import { jsonSchemaCheck } from '../answer/json-schema-check.ts'
import type { GateOf, JsonSchema } from '../spec/chain-schema.ts'
import { render } from '../template/render.ts'
import { pathOf, readText } from './files.ts'
import type { GateContext, GateResult } from './gate-context.ts'

/** `json_schema`: whether a value fits a JSON Schema: the step's answer, a template's value, or a file's. */
export function jsonSchemaGate(gate: GateOf<'json_schema'>, context: GateContext): GateResult {
  const schema = schemaOf(gate, context)
  if ('problem' in schema) return { passed: false, detail: schema.problem }
  const check = jsonSchemaCheck(schema.value as JsonSchema)
  if ('mistake' in check) return { passed: false, detail: `no JSON Schema: ${check.mistake}` }
  const value = valueToCheck(gate, context)
  if ('problem' in value) return { passed: false, detail: value.problem }
  const wrong = check.firstMisfit([value.value])?.what ?? null
  return { passed: wrong === null, detail: wrong ?? 'the value fits the schema' }
}

type Read = { value: unknown } | { problem: string }

function schemaOf(gate: GateOf<'json_schema'>, context: GateContext): Read {
  return gate.schema_file === undefined ? { value: gate.schema } : jsonFile(gate.schema_file, context)
}

function valueToCheck(gate: GateOf<'json_schema'>, context: GateContext): Read {
  if (gate.path !== undefined) return jsonFile(gate.path, context)
  const value = gate.value === undefined ? context.output.value : render(gate.value, context.lookUp)
  if (typeof value !== 'string') return { value }
  // The answer of a step without a form of its own is text; a schema is about what that text says as JSON.
  return parsed(value, 'the value', context)
}

function jsonFile(path: string, context: GateContext): Read {
  const full = pathOf(path, context)
  const read = readText(full)
  return 'problem' in read ? read : parsed(read.text, full, context)
}

function parsed(text: string, what: string, { redact }: GateContext): Read {
  const read = parsedJson(text)
  if ('value' in read) return read
  // Why it is not JSON quotes a part of it.
  const told = parsedJson(redact(text))
  return { problem: `${what} is not JSON${'refused' in told ? `: ${told.refused}` : ''}` }
}
