import type { Chain } from '../spec/chain-schema.ts'
import type { Dependencies } from './dependencies.ts'
import type { RunState } from './run-state.ts'

/**
 * The steps to begin now, in declared order. With one job a step begins when all before it have ended; with more, when
 * those that it waits for have (spec, limitations: concurrency). None begins once the run is halted, or while a
 * person's decision is awaited.
 */
export function nextSteps(
  chain: Chain,
  dependencies: ReadonlyMap<string, Dependencies>,
  state: RunState,
  jobs: number,
): string[] {
  if (state.halted || state.escalated) return []
  const free = jobs - state.inFlight.size
  const waiting = chain.steps.filter(({ id }) => !state.results.has(id) && !state.inFlight.has(id))
  if (jobs === 1) return free > 0 ? waiting.slice(0, 1).map(({ id }) => id) : []
  return waiting
    .filter(({ id }) => dependencies.get(id)?.waitsFor.every(other => state.results.has(other)))
    .slice(0, Math.max(free, 0))
    .map(({ id }) => id)
}

/** Whether every step has ended. */
export function allEnded(chain: Chain, state: RunState): boolean {
  return chain.steps.every(({ id }) => state.results.has(id))
}
