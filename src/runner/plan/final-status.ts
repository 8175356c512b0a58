import type { RunStatus } from '../log/event.ts'
import type { Chain } from '../spec/chain-schema.ts'
import type { RunState } from './run-state.ts'

/**
 * The headline of a run (spec, procedure 5). Halted: something stopped it before its last step. Else succeeded where
 * no step failed or was blocked, failed where none succeeded, partial in between. A step that `run_if` left out
 * counts as neither.
 */
export function finalStatus(chain: Chain, state: RunState): { status: RunStatus; reason: string | null } {
  if (state.halted) return { status: 'halted', reason: state.halted.reason }
  const statuses = chain.steps.map(({ id }) => state.results.get(id)?.status)
  const bad = statuses.filter(status => status === 'failed' || status === 'blocked').length
  if (bad === 0) return { status: 'succeeded', reason: null }
  const reason = `${bad} of ${statuses.length} steps failed or could not run`
  return { status: statuses.includes('succeeded') ? 'partial' : 'failed', reason }
}
