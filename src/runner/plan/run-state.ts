import type { Family } from '../agents/family.ts'
import type { Decision, LoggedEvent, Output, RunEvent, StepStatus } from '../log/event.ts'

/** A step that has ended. */
export interface StepResult {
  status: StepStatus
  reason: string | null
  output: Output | null
  attempts: number
  elapsedMs: number
  agent: string | null
  family: Family | null
}

/** A worktree that was made and is neither removed nor kept for good. */
export interface OpenWorktree {
  step: string
  path: string
  base: string
}

/** All that a run's next act depends on, as its log tells it. */
export interface RunState {
  results: ReadonlyMap<string, StepResult>
  /** Steps that began and have not ended, with the attempt they are at. */
  inFlight: ReadonlyMap<string, number>
  /** Attempts of steps that were refused; a step's retries are counted over crashes too. */
  refusals: ReadonlyMap<string, { count: number; reason: string }>
  /** Why no further step begins; null while steps may. */
  halted: { reason: string; refused: boolean } | null
  /** The step that waits for a person's decision. */
  escalated: { step: string; reason: string; refused: boolean } | null
  worktrees: readonly OpenWorktree[]
  modelCalls: number
  warnings: readonly string[]
  /** Agents and commands that were started and not heard of since: a crash may have left them running. */
  processes: readonly { step: string; what: string; pid: number; identity: string | null }[]
}

export const BEFORE_START: RunState = {
  results: new Map(),
  inFlight: new Map(),
  refusals: new Map(),
  halted: null,
  escalated: null,
  worktrees: [],
  modelCalls: 0,
  warnings: [],
  processes: [],
}

/** The state after an event. The same events always give the same state, so a resumed run goes on where it was. */
export function stateAfter(state: RunState, event: RunEvent): RunState {
  switch (event.event) {
    case 'step_started':
      return { ...state, inFlight: new Map(state.inFlight).set(event.step, event.attempt) }
    case 'step_cut_off':
      return { ...state, inFlight: without(state.inFlight, event.step) }
    case 'step_completed': {
      const { step, status, reason, output, attempts, agent, family } = event
      const result = { status, reason, output, attempts, elapsedMs: event.elapsed_ms, agent, family }
      const halts = event.halts ? { reason: `step ${step}: ${reason}`, refused: event.refused } : null
      return {
        ...state,
        inFlight: without(state.inFlight, step),
        results: new Map(state.results).set(step, result),
        halted: state.halted ?? halts,
      }
    }
    case 'escalated': {
      const { step, reason, refused } = event
      return {
        ...state,
        inFlight: without(state.inFlight, step),
        escalated: state.escalated ?? { step, reason, refused },
      }
    }
    case 'attempt_failed': {
      const count = (state.refusals.get(event.step)?.count ?? 0) + 1
      return { ...state, refusals: new Map(state.refusals).set(event.step, { count, reason: event.reason }) }
    }
    case 'decision':
      return decided(state, event.step, event.decision)
    case 'worktree_opened': {
      const { step, path, base } = event
      return { ...state, worktrees: [...state.worktrees, { step, path, base }] }
    }
    case 'worktree_removed':
      return { ...state, worktrees: state.worktrees.filter(({ path }) => path !== event.path) }
    case 'worktree_kept':
      return {
        ...state,
        worktrees: state.worktrees.filter(({ path }) => path !== event.path),
        warnings: [...state.warnings, `worktree kept at ${event.path}: ${event.reason}`],
      }
    case 'agent_called':
      return { ...state, modelCalls: state.modelCalls + 1 }
    case 'agent_started':
      return withProcess(state, event, event.purpose)
    case 'agent_answered':
      return withoutProcess(state, event.step, event.purpose)
    case 'command_started':
      return withProcess(state, event, `gate ${event.gate}`)
    case 'command_ended':
      return withoutProcess(state, event.step, `gate ${event.gate}`)
    case 'run_resumed':
      // Each of them is looked after as the run is resumed.
      return { ...state, processes: [] }
    case 'gate':
      return event.passed || event.on_fail !== 'warn'
        ? state
        : {
            ...state,
            warnings: [...state.warnings, `step ${event.step}: gate ${event.name}: ${event.detail}`],
          }
    case 'verification':
      return !event.diverged
        ? state
        : { ...state, warnings: [...state.warnings, `step ${event.step}: ${event.detail}`] }
    case 'warning':
      return { ...state, warnings: [...state.warnings, event.text] }
    default:
      return state
  }
}

/** A person's decision about an escalated step: it begins anew, or counts as failed, with or without an end to the run. */
function decided(state: RunState, step: string, decision: Decision): RunState {
  const refused = state.refusals.get(step)
  const open = { ...state, escalated: null }
  if (decision === 'retry') return { ...open, refusals: without(state.refusals, step) }
  const { reason, refused: byCheck } = state.escalated ?? {
    reason: refused?.reason ?? 'failed',
    refused: false,
  }
  const result: StepResult = {
    status: 'failed',
    reason,
    output: null,
    attempts: refused?.count ?? 0,
    elapsedMs: 0,
    agent: null,
    family: null,
  }
  return {
    ...open,
    results: new Map(state.results).set(step, result),
    halted: decision === 'halt' ? { reason: `step ${step}: ${reason}`, refused: byCheck } : state.halted,
  }
}

/** The state that the events of a log lead to. */
export function stateOf(events: readonly LoggedEvent[]): RunState {
  return events.reduce(stateAfter, BEFORE_START)
}

function withProcess(
  state: RunState,
  { step, pid, identity }: { step: string; pid: number; identity: string | null },
  what: string,
): RunState {
  return { ...state, processes: [...state.processes, { step, what, pid, identity }] }
}

function withoutProcess(state: RunState, step: string, what: string): RunState {
  return { ...state, processes: state.processes.filter(one => one.step !== step || one.what !== what) }
}

function without<Value>(map: ReadonlyMap<string, Value>, key: string): Map<string, Value> {
  const left = new Map(map)
  left.delete(key)
  return left
}
