import * as z from 'zod'
import { DURATION } from './duration.ts'

/** The closed schema of a YAML chain (docs/chains.md): a field that does not stand here is refused. */

const NAME = /^[a-z][a-z0-9-]{0,63}$/
// Not `__proto__` and its like: ids are keys of objects.
const ID = /^(?!__)[A-Za-z_][A-Za-z0-9_-]{0,63}$/
const name = z.string().regex(NAME, 'lower-case letters, digits and "-", beginning with a letter')
const id = z.string().regex(ID, 'letters, digits, "_" and "-", beginning with a letter or "_"')
const text = z.string().min(1)
const duration = z.string().regex(DURATION, 'a number and s, m or h, such as 90s or 10m')
const jsonSchema = z.union([z.record(z.string(), z.json()), z.boolean()])

const INPUT_TYPES = ['string', 'number', 'integer', 'boolean', 'path', 'list', 'json'] as const

export const inputSchema = z.strictObject({
  name: id,
  type: z.enum(INPUT_TYPES),
  required: z.boolean().optional(),
  default: z.json().optional(),
  description: z.string().optional(),
})

const onFail = { on_fail: z.enum(['halt', 'retry', 'warn']), name: text.optional() }
const timeout = duration.optional()

export const gateSchemas = {
  file_exists: z.strictObject({ type: z.literal('file_exists'), path: text, ...onFail }),
  file_contains: z.strictObject({
    type: z.literal('file_contains'),
    path: text,
    text: text.optional(),
    pattern: text.optional(),
    ...onFail,
  }),
  bash_exit_code: z.strictObject({
    type: z.literal('bash_exit_code'),
    argv: z.array(text).min(1).optional(),
    script: text.optional(),
    shell: z.enum(['bash', 'sh']).optional(),
    args: z.array(z.string()).optional(),
    env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string()).optional(),
    expect: z.int().min(0).max(255).optional(),
    timeout,
    ...onFail,
  }),
  http_status: z.strictObject({
    type: z.literal('http_status'),
    url: text,
    method: z.enum(['GET', 'HEAD']).optional(),
    expect: z.union([z.int().min(100).max(599), z.array(z.int().min(100).max(599)).min(1)]).optional(),
    timeout,
    ...onFail,
  }),
  json_schema: z.strictObject({
    type: z.literal('json_schema'),
    schema: jsonSchema.optional(),
    schema_file: text.optional(),
    value: text.optional(),
    path: text.optional(),
    ...onFail,
  }),
  skill: z.strictObject({
    type: z.literal('skill'),
    skill: text,
    input: z.record(id, z.json()).optional(),
    timeout,
    ...onFail,
  }),
  ai_cross_check: z.strictObject({
    type: z.literal('ai_cross_check'),
    instruction: text,
    input: z.record(id, z.json()).optional(),
    timeout,
    ...onFail,
  }),
  mcp_call: z.strictObject({
    type: z.literal('mcp_call'),
    server: text,
    tool: text,
    arguments: z.record(z.string(), z.json()).optional(),
    contains: text.optional(),
    schema: jsonSchema.optional(),
    timeout,
    ...onFail,
  }),
}

export const outputSchemas = {
  text: z.strictObject({ type: z.literal('text') }),
  json: z.strictObject({ type: z.literal('json'), schema: jsonSchema }),
  jsonl: z.strictObject({ type: z.literal('jsonl'), schema: jsonSchema.optional() }),
  'structured-text': z.strictObject({ type: z.literal('structured-text'), output_anchor: text }),
}

export const isolationSchema = z.strictObject({
  type: z.literal('worktree'),
  base: text.optional(),
  cleanup: z.enum(['always', 'on_success', 'keep']).optional(),
})

export const verificationSchema = z.strictObject({ fields: z.array(text).min(1).optional() })

export const stepSchema = z.strictObject({
  id,
  kind: z.enum(['step', 'cross_check']).optional(),
  description: z.string().optional(),
  runner: text.optional(),
  skill: text.optional(),
  instruction: text.optional(),
  input: z.record(id, z.json()).optional(),
  of: z.array(text).min(1).optional(),
  needs: z.array(text).optional(),
  run_if: z.union([z.boolean(), text]).optional(),
  output_schema: z
    .discriminatedUnion('type', [
      outputSchemas.text,
      outputSchemas.json,
      outputSchemas.jsonl,
      outputSchemas['structured-text'],
    ])
    .optional(),
  retry: z.int().min(0).max(10).optional(),
  on_failure: z.enum(['halt', 'continue', 'escalate']).optional(),
  timeout,
  isolation: isolationSchema.optional(),
  gates: z
    .array(
      z.discriminatedUnion('type', [
        gateSchemas.file_exists,
        gateSchemas.file_contains,
        gateSchemas.bash_exit_code,
        gateSchemas.http_status,
        gateSchemas.json_schema,
        gateSchemas.skill,
        gateSchemas.ai_cross_check,
        gateSchemas.mcp_call,
      ]),
    )
    .optional(),
  verification: verificationSchema.optional(),
})

export const auditSchema = z.strictObject({ log_path: text })
export const budgetSchema = z.strictObject({ max_model_calls: z.int().min(1) })

export const chainSchema = z.strictObject({
  name,
  description: text,
  version: z.string().regex(/^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/, 'three numbers such as 1.0.0'),
  primary: name,
  inputs: z.array(inputSchema).optional(),
  steps: z.array(stepSchema).min(1),
  outputs: z.record(id, z.json()).optional(),
  audit: auditSchema.optional(),
  budget: budgetSchema.optional(),
})

export type Chain = z.infer<typeof chainSchema>
export type ChainInput = z.infer<typeof inputSchema>
export type Step = z.infer<typeof stepSchema>
export type Gate = NonNullable<Step['gates']>[number]
export type GateOf<Type extends Gate['type']> = Extract<Gate, { type: Type }>
export type OutputSchema = NonNullable<Step['output_schema']>
export type JsonSchema = z.infer<typeof jsonSchema>

/** How often a step is tried again unless it says otherwise (spec, procedure 4). */
export const DEFAULT_RETRY = 1
