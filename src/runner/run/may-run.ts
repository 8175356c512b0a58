import type { Step } from '../spec/chain-schema.ts'
import { holds, parseCondition } from '../template/condition.ts'
import { type LookUp, NoValue } from '../template/render.ts'
import type { Run } from './run-context.ts'

/** Whether a step's `run_if` holds. */
export function isToRun(step: Step, lookUp: LookUp): boolean {
  if (step.run_if === undefined || typeof step.run_if === 'boolean') return step.run_if !== false
  const parsed = parseCondition(step.run_if)
  if ('mistake' in parsed) return false
  return holds(parsed.condition, reference => {
    try {
      return lookUp(reference)
    } catch (error) {
      // A condition may ask after what is not there; that it is not is its answer.
      if (error instanceof NoValue) return null
      throw error
    }
  })
}

/** A step never goes on with the output of one that has none: the contract of the chain is broken there. */
export function blockedBy(run: Run, step: Step): string | null {
  const reads = run.dependencies.get(step.id)?.reads ?? []
  const missing = reads.find(id => !run.journal.state.results.get(id)?.output)
  if (missing === undefined) return null
  return `it reads the output of ${missing}, which ${run.journal.state.results.get(missing)?.status ?? 'did not run'}`
}
