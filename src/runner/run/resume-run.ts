import type { Decision, RunEvent } from '../log/event.ts'
import { continueLog } from '../log/log-writer.ts'
import { type ReadLog, readWholeLog } from '../log/read-log.ts'
import { lockRun } from '../log/run-lock.ts'
import { type RunState, stateOf } from '../plan/run-state.ts'
import { endOrphan } from '../processes/process-identity.ts'
import { type ReadChain, readChain } from '../spec/read-chain.ts'
import { type Journal, journalOn } from './journal.ts'
import { prepareRun } from './prepare-run.ts'
import { runChain } from './run-chain.ts'
import type { Prepared, RunObserver, RunPlace } from './run-context.ts'
import type { RunSummary } from './run-summary.ts'
import { sessionOf } from './start-run.ts'
import {
  changedFiles,
  refuseChangedChain,
  refuseChangedFiles,
  refuseCopy,
  refuseOtherDecisions,
  refuseOtherFamily,
  refuseOtherInputs,
  startOf,
} from './unchanged.ts'

export interface ResumeOptions {
  jobs?: number | undefined
  signal: AbortSignal
  observer: RunObserver
  /** Inputs as the person gives them again; they have to be those that the run began with. */
  inputs?: ((chain: ReadChain) => Record<string, unknown>) | undefined
  /** Decisions about escalated steps, by step. */
  decisions: Record<string, Decision>
  begins(runId: string, logPath: string): void
}

/**
 * Goes on with a run that ended before it was complete, at the exact step: what is finished stays, what was cut off
 * begins again and the log says so.
 *
 * @throws Problem `check` where the log is not whole, the run complete or going on, or the chain or an input changed
 */
export async function resumeRun(
  logPath: string,
  place: Omit<RunPlace, 'project'>,
  options: ResumeOptions,
): Promise<RunSummary> {
  // The lock before the log is read: of two who resume, the second reads what the first has not finished writing.
  const log = readWholeLog(logPath)
  const unlock = lockRun(logPath)
  let isComplete = log.isComplete
  try {
    const summary = await resume(log.path, place, options)
    isComplete = !summary.isResumable
    return summary
  } finally {
    unlock(isComplete)
  }
}

async function resume(
  logPath: string,
  around: Omit<RunPlace, 'project'>,
  options: ResumeOptions,
): Promise<RunSummary> {
  const log = readWholeLog(logPath)
  const started = startOf(log)
  refuseCopy(started, logPath)
  refuseChangedChain(started)
  const read = readChain(started.chain_path)
  const again = options.inputs?.(read)
  refuseOtherInputs(started, again)
  const changed = changedFiles(started, read)
  refuseChangedFiles(changed, again, started)
  const place = { ...around, project: started.project }
  const prepared = await prepareRun(read, started.inputs, started.authors, place)
  refuseOtherFamily(started, prepared.primary)
  const before = stateOf(log.events)
  refuseOtherDecisions(before.escalated?.step, options.decisions, started.run_id)
  const { observer, signal } = options
  const writer = continueLog(log)
  try {
    options.begins(started.run_id, logPath)
    const journal = journalOn(writer, before, prepared.secrets, observer.event)
    journal.write({
      event: 'run_resumed',
      session_id: sessionOf(place.env),
      torn_bytes: log.torn?.bytes ?? 0,
      torn_sha256: log.torn?.sha256 ?? null,
    })
    takeUp(journal, before)
    for (const event of [...skillWarnings(log, prepared.skills), ...fileWarnings(changed)])
      journal.write(event)
    const step = before.escalated?.step
    if (step !== undefined)
      journal.write({ event: 'decision', step, decision: options.decisions[step] as Decision, by: 'option' })
    const run = { ...prepared, runId: started.run_id, place, journal, observer, signal }
    return await runChain({ ...run, jobs: options.jobs ?? started.jobs })
  } finally {
    writer.close()
  }
}

/** Ends what a crash has left running, and says what it has cut off. */
function takeUp(journal: Journal, { processes, inFlight }: RunState): void {
  for (const { step, pid, identity } of processes)
    if (endOrphan(pid, identity)) journal.write({ event: 'orphan_ended', step, pid })
  for (const [step, attempt] of inFlight) journal.write({ event: 'step_cut_off', step, attempt })
}

function skillWarnings({ events }: ReadLog, skills: Prepared['skills']): RunEvent[] {
  return [...skills].flatMap(([reference, { sha256 }]) => {
    const before = events.find(
      event => event.event === 'step_started' && event.skill?.reference === reference,
    )
    if (before?.event !== 'step_started' || before.skill?.sha256 === sha256) return []
    const text = `${reference} holds another text than when the run began`
    return [{ event: 'warning', step: before.step, text }]
  })
}

function fileWarnings(inputs: string[]): RunEvent[] {
  return inputs.map(name => {
    const text = `the file of input ${name} has changed since the run began`
    return { event: 'warning', step: null, text }
  })
}
