import type { Chain, Step } from '../spec/chain-schema.ts'
import { parseCondition, referencesOf } from '../template/condition.ts'
import { type Reference, referencesIn } from '../template/parse-template.ts'

/** What a step waits for, and what of it it reads. */
export interface Dependencies {
  /** Steps that have to have ended: those of `needs`, and those that its templates name. */
  waitsFor: string[]
  /** Steps whose output it reads: without that output it cannot run. */
  reads: string[]
}

/** The dependencies of every step, by its id. */
export function dependenciesOf(chain: Chain): Map<string, Dependencies> {
  return new Map(chain.steps.map(step => [step.id, dependencies(step)]))
}

function dependencies(step: Step): Dependencies {
  const parsed = typeof step.run_if === 'string' ? parseCondition(step.run_if) : null
  const condition = parsed && 'condition' in parsed ? referencesOf(parsed.condition) : []
  const filled = referencesOfStep(step)
  const gates = found(step.gates)
  const checked = (step.of ?? []).flatMap(what => (what.startsWith('steps.') ? [what.slice(6)] : []))
  const ids = (references: Reference[]) =>
    references.flatMap(one => (one.of === 'step' && one.id !== step.id ? [one.id] : []))
  const outputs = (references: Reference[]) =>
    ids(references.filter(one => one.of === 'step' && one.what === 'output'))
  return {
    waitsFor: unique([...(step.needs ?? []), ...checked, ...ids([...condition, ...filled, ...gates])]),
    reads: unique([...checked, ...outputs([...filled, ...gates])]),
  }
}

/** The references in what a step's agent is given. */
export function referencesOfStep(step: Step): Reference[] {
  return [...found(step.instruction), ...found(step.input), ...found(step.isolation?.base)]
}

function found(value: unknown): Reference[] {
  return referencesIn(value).flatMap(one => ('reference' in one ? [one.reference] : []))
}

function unique(names: string[]): string[] {
  return [...new Set(names)]
}
