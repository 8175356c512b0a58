import { finalStatus } from '../plan/final-status.ts'
import { allEnded, nextSteps } from '../plan/next-steps.ts'
import type { RunState } from '../plan/run-state.ts'
import { valuesIn } from '../plan/values.ts'
import type { Step } from '../spec/chain-schema.ts'
import { NoValue, render } from '../template/render.ts'
import { Interrupted, type Run } from './run-context.ts'
import { runStep } from './run-step.ts'
import type { RunSummary } from './run-summary.ts'
import { cleanUpWorktrees } from './step-folder.ts'

/**
 * Runs what is left of a run: begins the steps that the planner names, until none is left, the run is halted, a
 * decision is awaited, or the person interrupts it. The last line of the log is then `chain_complete`, unless the run
 * can be resumed.
 */
export async function runChain(run: Run): Promise<RunSummary> {
  const { journal, read } = run
  const running = new Map<string, Promise<unknown>>()
  let failure: { error: unknown } | null = null
  const stop = new AbortController()
  const stoppable = { ...run, signal: AbortSignal.any([run.signal, stop.signal]) }
  for (;;) {
    const next = failure || run.signal.aborted ? [] : nextToBegin(run, running)
    for (const step of next) {
      const work = runStep(stoppable, step)
        .catch(error => {
          if (error instanceof Interrupted) return
          failure ??= { error }
          // The others are not waited for: what they came to could not be written either.
          stop.abort()
        })
        .finally(() => running.delete(step.id))
      running.set(step.id, work)
    }
    if (running.size === 0) break
    await Promise.race(running.values())
  }
  if (failure) throw (failure as { error: unknown }).error
  if (run.signal.aborted && !(allEnded(read.chain, journal.state) || journal.state.halted)) {
    journal.write({ event: 'run_interrupted', signal: String(run.signal.reason ?? 'SIGINT') })
    return summaryOf(run, 'interrupted')
  }
  await cleanUpWorktrees(run)
  if (journal.state.escalated) return summaryOf(run, 'escalated')
  finish(run)
  return summaryOf(run, 'complete')
}

/** The planner counts a step from its first event on; one whose first event is not written yet is counted here. */
function nextToBegin(run: Run, running: ReadonlyMap<string, unknown>): Step[] {
  const inFlight = new Map(run.journal.state.inFlight)
  for (const id of running.keys()) inFlight.set(id, inFlight.get(id) ?? 1)
  const ids = nextSteps(run.read.chain, run.dependencies, { ...run.journal.state, inFlight }, run.jobs)
  return run.read.chain.steps.filter(step => ids.includes(step.id))
}

function finish(run: Run): void {
  const { journal, read } = run
  const { outputs, missing } = outputsOf(run)
  for (const text of missing) journal.write({ event: 'warning', step: null, text })
  const { status, reason } = finalStatus(read.chain, journal.state)
  const { modelCalls, warnings } = journal.state
  journal.write({
    event: 'chain_complete',
    ...{ status, reason, outputs, warnings: [...warnings], refused: journal.state.halted?.refused ?? false },
    model_calls: modelCalls,
    budget_remaining: remaining(run),
  })
}

/** The chain's outputs; one that reads what is not there is null, and why stands beside. */
function outputsOf(run: Run): { outputs: Record<string, unknown>; missing: string[] } {
  const lookUp = valuesIn(run.inputs, run.journal.state)
  const outputs: Record<string, unknown> = {}
  const missing: string[] = []
  for (const [name, template] of Object.entries(run.read.chain.outputs ?? {})) {
    try {
      outputs[name] = render(template, lookUp)
    } catch (error) {
      if (!(error instanceof NoValue)) throw error
      outputs[name] = null
      missing.push(`output ${name}: ${error.message}`)
    }
  }
  return { outputs, missing }
}

function remaining(run: Run): number | null {
  const most = run.read.chain.budget?.max_model_calls
  return most === undefined ? null : Math.max(most - run.journal.state.modelCalls, 0)
}

function summaryOf(run: Run, ended: 'complete' | 'interrupted' | 'escalated'): RunSummary {
  const { journal, read } = run
  const { state } = journal
  const final = finalStatus(read.chain, state)
  const stopped =
    ended === 'interrupted'
      ? { status: 'halted' as const, reason: 'interrupted' }
      : { status: 'halted' as const, reason: `step ${state.escalated?.step}: ${state.escalated?.reason}` }
  return {
    runId: run.runId,
    chain: read.chain.name,
    ...(ended === 'complete' ? final : stopped),
    outputs: ended === 'complete' ? outputsOf(run).outputs : {},
    steps: read.chain.steps.map(({ id }) => {
      const { status, attempts, agent, family, elapsedMs, reason } =
        state.results.get(id) ?? (state.escalated?.step === id ? escalatedStep(state) : NOT_RUN)
      return { id, status, attempts, agent, family, elapsedMs, reason }
    }),
    warnings: [...state.warnings],
    modelCalls: state.modelCalls,
    budgetRemaining: remaining(run),
    logPath: journal.log.path,
    head: journal.log.head(),
    isResumable: ended !== 'complete',
    escalated: state.escalated && { step: state.escalated.step, reason: state.escalated.reason },
    refused: state.halted?.refused ?? state.escalated?.refused ?? false,
  }
}

/** A step that waits for a person's decision has run, and has no result yet. */
function escalatedStep({ escalated, refusals }: RunState) {
  const attempts = refusals.get(escalated?.step ?? '')?.count ?? 0
  return { ...NOT_RUN, status: 'escalated' as const, attempts, reason: escalated?.reason ?? null }
}

const NOT_RUN = {
  ...{ status: 'not run' as const, attempts: 0, agent: null, family: null, elapsedMs: 0, reason: null },
}
