import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { nearest } from '../../problem/nearest.ts'
import { Problem } from '../../problem/problem.ts'
import type { Chain, ChainInput } from '../spec/chain-schema.ts'
import { typedValue } from './input-type.ts'

/** Whether an input has to be given: one with a default never has, one without has unless it says otherwise. */
function isRequired(input: ChainInput): boolean {
  return input.default === undefined && input.required !== false
}

/** The required inputs that are not among the given ones. */
export function missingInputs(chain: Chain, given: Record<string, string>): ChainInput[] {
  return (chain.inputs ?? []).filter(input => isRequired(input) && !Object.hasOwn(given, input.name))
}

/**
 * The inputs of a run: the given texts typed, defaults applied, null for what may be left out. A path is made
 * absolute, seen from `cwd`, and has to exist.
 *
 * @throws Problem `usage` with everything that is wrong: unknown, missing and mistyped ones in one list
 */
export function bindInputs(
  chain: Chain,
  given: Record<string, string>,
  cwd: string,
): Record<string, unknown> {
  const declared = chain.inputs ?? []
  const wrong = [
    ...Object.keys(given).flatMap(name => unknownInput(name, declared)),
    ...missingInputs(chain, given).map(input => `${describeInput(input)} is missing`),
  ]
  const inputs: Record<string, unknown> = {}
  for (const input of declared) {
    const text = Object.hasOwn(given, input.name) ? given[input.name] : undefined
    const bound = bind(input, text, cwd)
    if ('mistake' in bound) wrong.push(`${input.name} ${bound.mistake}`)
    else inputs[input.name] = bound.value
  }
  if (wrong.length === 0) return inputs
  throw new Problem('usage', `inputs of ${chain.name}: ${wrong.join('; ')}`, {
    hint: `--input NAME=VALUE; the chain takes ${declared.map(describeInput).join(', ') || 'none'}`,
  })
}

/** An input in words: its name, its type and what it is about. */
export function describeInput({ name, type, description }: ChainInput): string {
  return `${name} (${type}${description ? `: ${description}` : ''})`
}

function unknownInput(name: string, declared: ChainInput[]): string[] {
  const names = declared.map(input => input.name)
  if (names.includes(name)) return []
  const near = nearest(name, names)
  return [`there is no input ${name}${near === null ? '' : `, did you mean ${near}?`}`]
}

function bind(
  input: ChainInput,
  text: string | undefined,
  cwd: string,
): { value: unknown } | { mistake: string } {
  const typed = text === undefined ? { value: input.default ?? null } : typedValue(input.type, text)
  if ('mistake' in typed || input.type !== 'path' || typed.value === null) return typed
  const path = resolve(cwd, String(typed.value))
  return existsSync(path) ? { value: path } : { mistake: `names nothing that exists: ${path}` }
}
