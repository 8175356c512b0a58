import type { Family } from '../agents/family.ts'
import type { Chain, Gate, Step } from '../spec/chain-schema.ts'
import { type Reference, referencesIn } from '../template/parse-template.ts'

export type Authors = Record<string, Family | 'person'>

/**
 * Who wrote what a cross-check looks at (spec, family-aware routing): the steps and inputs of `of`, every step that its
 * templates name, and every input of type `path` among them, since a file's author is not the person who names it.
 *
 * @param familyOfStep the family that wrote a step's output
 * @param given who wrote inputs, as the person said
 */
export function authorsOfCheck(
  chain: Chain,
  step: Step,
  familyOfStep: (id: string) => Family,
  given: Authors,
): Authors {
  const named = (step.of ?? []).map(what => what.split('.') as [string, string])
  return {
    ...authorsOf(chain, { instruction: step.instruction, input: step.input }, familyOfStep, given),
    ...Object.fromEntries(
      named.map(([of, name]) => [
        `${of}.${name}`,
        of === 'steps' ? familyOfStep(name) : (givenAuthor(given, name) ?? 'unknown'),
      ]),
    ),
  }
}

/** Who wrote what a semantic gate looks at: the answer of its step, and what its templates name. */
export function authorsOfGate(
  chain: Chain,
  step: Step,
  gate: Gate,
  familyOfStep: (id: string) => Family,
  given: Authors,
): Authors {
  return {
    ...authorsOf(chain, gate, familyOfStep, given),
    [`steps.${step.id}`]: familyOfStep(step.id),
  }
}

function authorsOf(
  chain: Chain,
  value: unknown,
  familyOfStep: (id: string) => Family,
  given: Authors,
): Authors {
  const references = referencesIn(value).flatMap(one => ('reference' in one ? [one.reference] : []))
  return Object.fromEntries(references.flatMap(reference => authorOf(chain, reference, familyOfStep, given)))
}

function authorOf(
  chain: Chain,
  reference: Reference,
  familyOfStep: (id: string) => Family,
  given: Authors,
): [string, Family | 'person'][] {
  if (reference.of === 'step')
    return reference.what === 'output' ? [[`steps.${reference.id}`, familyOfStep(reference.id)]] : []
  const input = chain.inputs?.find(one => one.name === reference.name)
  const author = givenAuthor(given, reference.name)
  if (input?.type !== 'path' && author === undefined) return []
  return [[`inputs.${reference.name}`, author ?? 'unknown']]
}

function givenAuthor(given: Authors, name: string): Family | 'person' | undefined {
  return Object.hasOwn(given, name) ? given[name] : undefined
}
