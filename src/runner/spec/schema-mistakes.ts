import type * as z from 'zod'
import { nearest } from '../../problem/nearest.ts'
import { chainSchema, gateSchemas, outputSchemas } from './chain-schema.ts'
import { knownFields } from './known-fields.ts'
import type { Mistake } from './mistake.ts'
import type { Path, YamlSource } from './yaml-source.ts'

/** What the closed schema refuses, each with its place and the nearest name that would fit. */
export function schemaMistakes(source: YamlSource): Mistake[] {
  const refused = verifierFamilies(source, source.data, [])
  const checked = chainSchema.safeParse(source.data)
  if (checked.success) return refused
  return [
    ...refused,
    ...checked.error.issues.flatMap(issue => issueMistakes(source, issue)).filter(notVerifierFamily),
  ]
}

const VERIFIER_FAMILY =
  'verifier_family is refused: the family that verifies is chosen by the rule of independence, never by the chain'

function notVerifierFamily({ message }: Mistake): boolean {
  return !message.includes('"verifier_family"')
}

/** The field `verifier_family` at whatever depth (spec, family-aware routing). */
function verifierFamilies(source: YamlSource, value: unknown, path: Path): Mistake[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]) => {
    const here = key === 'verifier_family' && !Array.isArray(value)
    const at = [...path, Array.isArray(value) ? Number(key) : key]
    const own = here ? [{ message: VERIFIER_FAMILY, ...source.placeOfKey(path, key) }] : []
    return [...own, ...verifierFamilies(source, part, at)]
  })
}

function issueMistakes(source: YamlSource, issue: z.core.$ZodIssue): Mistake[] {
  const path = issue.path as Path
  const data = valueAt(source.data, path)
  if (issue.code === 'unrecognized_keys') {
    const known = knownFields(path, data)
    return issue.keys.map(key => ({
      message: `unknown field "${key}"`,
      ...source.placeOfKey(path, key),
      ...hintOf(key, known, known.length > 0 ? `fields here: ${known.join(', ')}` : undefined),
    }))
  }
  const field = path.at(-1)
  if (data === undefined && typeof field === 'string') {
    const above = path.slice(0, -1)
    return [{ message: `"${field}" is missing${ofWhat(above)}`, ...source.placeOf(above) }]
  }
  const at = source.placeOf(path)
  const { message, allowed } = wordsOf(issue, data)
  const where = path.length === 0 ? 'the chain' : `"${path.join('.')}"`
  return [
    {
      message: `${where} ${message}`,
      ...at,
      ...(typeof data === 'string' && allowed ? hintOf(data, allowed) : {}),
    },
  ]
}

function ofWhat(path: Path): string {
  return path.length === 0 ? '' : ` in "${path.join('.')}"`
}

function hintOf(word: string, known: readonly string[], otherwise?: string): { hint?: string } {
  const near = nearest(word, known)
  if (near !== null) return { hint: `did you mean "${near}"?` }
  return otherwise === undefined ? {} : { hint: otherwise }
}

function wordsOf(issue: z.core.$ZodIssue, data: unknown): { message: string; allowed?: readonly string[] } {
  if (issue.code === 'invalid_union' && 'discriminator' in issue) {
    const allowed = Object.keys(issue.path.includes('gates') ? gateSchemas : outputSchemas)
    return { message: `is none of ${allowed.join(', ')}`, allowed }
  }
  if (issue.code === 'invalid_value') {
    const allowed = issue.values.map(String)
    return { message: `is none of ${allowed.join(', ')}`, allowed }
  }
  if (issue.code === 'invalid_type') {
    const is = data === null ? 'empty' : Array.isArray(data) ? 'a list' : `a ${typeof data}`
    return { message: `is ${is}, not ${WORDS[issue.expected] ?? issue.expected}` }
  }
  if (issue.code === 'invalid_format') return { message: `is not valid: ${issue.message}` }
  if (issue.code === 'too_small') return { message: 'is too small or empty' }
  if (issue.code === 'too_big') return { message: `is over ${issue.maximum}` }
  if (issue.code === 'invalid_key')
    return { message: 'has a name that is not valid: letters, digits, "_" and "-"' }
  return { message: `is not valid: ${issue.message}` }
}

const WORDS: Record<string, string> = {
  string: 'a text',
  array: 'a list',
  object: 'a map of fields',
  record: 'a map of fields',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
}

function valueAt(data: unknown, path: Path): unknown {
  let value = data
  for (const part of path) value = (value as Record<string | number, unknown> | null | undefined)?.[part]
  return value
}
