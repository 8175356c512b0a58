import { hash } from 'node:crypto'
import type { Agent } from '../agents/runner-settings.ts'
import { canonicalJson } from '../log/canonical-json.ts'
import type { Output, StepStatus } from '../log/event.ts'
import type { Step } from '../spec/chain-schema.ts'
import type { Run } from './run-context.ts'

/** Why an attempt is over. `refused`: a check of the chain refused it; `isFinal`: no retry, and the chain halts. */
export interface Failure {
  reason: string
  refused: boolean
  isFinal?: boolean
}

/** Ends a step that failed, by its `on_failure`: halt, go on, or ask the person. */
export async function fail(
  run: Run,
  step: Step,
  failure: Failure,
  started: number,
  agent: Agent | null,
): Promise<void> {
  const { reason, refused, isFinal } = failure
  const policy = isFinal ? 'halt' : (step.on_failure ?? 'halt')
  if (policy !== 'escalate') {
    const halts = policy === 'halt'
    return complete(run, step, 'failed', { reason, refused, halts, started, agent })
  }
  run.journal.write({ event: 'escalated', step: step.id, reason, refused })
  const decision = await run.observer.decide(step.id, reason)
  if (decision !== null) run.journal.write({ event: 'decision', step: step.id, decision, by: 'terminal' })
}

/** Writes how a step ended. */
export function complete(
  run: Run,
  step: Step,
  status: StepStatus,
  more: {
    reason?: string
    output?: Output
    agent?: Agent | null
    started?: number
    halts?: boolean
    refused?: boolean
  },
): void {
  const { reason = null, output = null, agent = null, started, halts = false, refused = false } = more
  run.journal.write({
    event: 'step_completed',
    step: step.id,
    status,
    reason,
    output,
    output_sha256: output === null ? null : hash('sha256', canonicalJson(output)),
    attempts: run.journal.state.inFlight.get(step.id) ?? 0,
    elapsed_ms: started === undefined ? 0 : Date.now() - started,
    agent: agent?.name ?? null,
    family: agent?.family ?? null,
    halts,
    refused,
  })
}
