import { stateOf } from '../plan/run-state.ts'
import type { LoggedEvent } from './event.ts'
import { readLog } from './read-log.ts'

/** A run as one row. */
export interface RunRow {
  runId: string
  chain: string
  chainVersion: string
  startedAt: string
  /** When its last line was written; null while it can still go on. */
  endedAt: string | null
  /** `running` says only that the log has no end: the run goes on, was interrupted, waits for a decision or crashed. */
  status: 'succeeded' | 'partial' | 'failed' | 'halted' | 'running' | 'broken'
  /** The session that started it; null where it was started from none. */
  sessionId: string | null
  modelCalls: number
  resumes: number
  logPath: string
  yamlSha256: string
  project: string
  primary: string
}

/** A step of a run as one row; only steps that began or ended have one. */
export interface StepRow {
  runId: string
  step: string
  status: 'succeeded' | 'failed' | 'skipped' | 'blocked' | 'running'
  reason: string | null
  startedAt: string | null
  endedAt: string | null
  attempts: number
  agent: string | null
  family: string | null
  outputSha256: string | null
  skill: string | null
  skillSha256: string | null
}

/**
 * The rows of a run, from its log. A log that is not whole gives the status `broken` and what its whole lines say; null
 * where not even its first line is whole.
 *
 * @throws Problem `not-found`, `environment`
 */
export function readRunRows(logPath: string): { run: RunRow; steps: StepRow[] } | null {
  const { events, broken } = readLog(logPath)
  const [first] = events
  if (first?.event !== 'run_started') return null
  const last = events.at(-1)
  const complete = last?.event === 'chain_complete' ? last : null
  const run: RunRow = {
    runId: first.run_id,
    chain: first.chain,
    chainVersion: first.chain_version,
    startedAt: first.at,
    endedAt: complete?.at ?? null,
    status: broken ? 'broken' : (complete?.status ?? 'running'),
    sessionId: first.session_id,
    modelCalls: stateOf(events).modelCalls,
    resumes: events.filter(event => event.event === 'run_resumed').length,
    logPath,
    yamlSha256: first.yaml_sha256,
    project: first.project,
    primary: first.primary,
  }
  return { run, steps: stepRows(first.run_id, events) }
}

function stepRows(runId: string, events: readonly LoggedEvent[]): StepRow[] {
  const { results } = stateOf(events)
  const rows = new Map<string, StepRow>()
  for (const event of events) {
    if (event.event === 'step_started') {
      const before = rows.get(event.step)
      rows.set(event.step, {
        ...{ runId, step: event.step, status: 'running', reason: null, endedAt: null, outputSha256: null },
        startedAt: before?.startedAt ?? event.at,
        attempts: event.attempt,
        agent: event.agent,
        family: event.family,
        skill: event.skill?.reference ?? null,
        skillSha256: event.skill?.sha256 ?? null,
      })
    } else if (event.event === 'step_completed' || event.event === 'decision') {
      const result = results.get(event.step)
      if (event.event === 'decision' && event.decision === 'retry') continue
      const before = rows.get(event.step) ?? NOT_STARTED
      rows.set(event.step, {
        ...before,
        ...{ runId, step: event.step, status: result?.status ?? 'running', reason: result?.reason ?? null },
        attempts: result?.attempts ?? before.attempts,
        endedAt: event.at,
        outputSha256: event.event === 'step_completed' ? event.output_sha256 : null,
      })
    }
  }
  return [...rows.values()]
}

const NOT_STARTED = {
  ...{ startedAt: null, attempts: 0, agent: null, family: null, outputSha256: null },
  ...{ skill: null, skillSha256: null },
}
