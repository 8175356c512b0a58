import * as z from 'zod'
import { parsedJson } from '../../files/parsed-json.ts'
import type { ChainInput } from '../spec/chain-schema.ts'

type InputType = ChainInput['type']

const SCHEMAS: Record<InputType, z.ZodType> = {
  string: z.string(),
  path: z.string().min(1),
  number: z.number(),
  integer: z.int(),
  boolean: z.boolean(),
  list: z.array(z.unknown()),
  json: z.custom(value => value !== undefined),
}

/** Why a value is not of a type, in words that follow its name; null where it is. */
export function typeMistake(type: InputType, value: unknown): string | null {
  return SCHEMAS[type].safeParse(value).success ? null : `is not ${WORDS[type]}`
}

/**
 * A value as a person types it, as a value of the type: `true`, `12`, `["a", "b"]`. A list may also be written with
 * commas.
 */
export function typedValue(type: InputType, text: string): { value: unknown } | { mistake: string } {
  if (type === 'string' || type === 'path') {
    const mistake = typeMistake(type, text)
    return mistake === null ? { value: text } : { mistake }
  }
  const value = parsed(type, text)
  const mistake = typeMistake(type, value)
  return mistake === null ? { value } : { mistake }
}

function parsed(type: InputType, text: string): unknown {
  const read = parsedJson(text)
  if ('value' in read) return read.value
  const isPlainList = type === 'list' && text.trim() !== '' && !text.trim().startsWith('[')
  return isPlainList ? text.split(',').map(part => part.trim()) : undefined
}

const WORDS: Record<InputType, string> = {
  string: 'a text',
  path: 'a path',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  list: 'a list, as ["a", "b"] or a, b',
  json: 'JSON',
}
