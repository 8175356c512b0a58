import { existsSync, realpathSync } from 'node:fs'
import { escapeText } from '../../hostile-text/escape-text.ts'
import { Problem } from '../../problem/problem.ts'
import { endOrphan } from '../agents/process-identity.ts'
import type { Agent } from '../agents/runner-settings.ts'
import { inputFiles } from '../inputs/input-files.ts'
import { canonicalJson } from '../log/canonical-json.ts'
import type { Decision, RunEvent } from '../log/event.ts'
import { continueLog } from '../log/log-writer.ts'
import { type ReadLog, readWholeLog } from '../log/read-log.ts'
import { lockRun } from '../log/run-lock.ts'
import { stateOf } from '../plan/run-state.ts'
import { type ReadChain, readChain, readChainText } from '../spec/read-chain.ts'
import { journalOn } from './journal.ts'
import { prepareRun } from './prepare-run.ts'
import { runChain } from './run-chain.ts'
import type { RunObserver, RunPlace } from './run-context.ts'
import type { RunSummary } from './run-summary.ts'
import { sessionOf } from './start-run.ts'
import { textDifference } from './text-difference.ts'

type Started = RunEvent & { event: 'run_started' }

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
  const started = log.events[0] as Started | undefined
  if (!started) {
    throw new Problem('check', 'this log holds no event: nothing was run', {
      path: logPath,
      hint: 'coord chain run begins a run',
    })
  }
  if (log.isComplete) {
    throw new Problem('check', `run ${started.run_id} is complete`, {
      path: logPath,
      hint: `nothing is left to do; coord chain run ${started.chain} begins another one`,
    })
  }
  refuseCopy(started, logPath)
  refuseChange(started)
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
  const writer = continueLog(log)
  try {
    options.begins(started.run_id, logPath)
    const journal = journalOn(writer, before, prepared.secrets, options.observer.event)
    const session = sessionOf(place.env)
    journal.write({
      event: 'run_resumed',
      session_id: session,
      torn_bytes: log.torn?.bytes ?? 0,
      torn_sha256: log.torn?.sha256 ?? null,
    })
    for (const { step, pid, identity } of before.processes)
      if (endOrphan(pid, identity)) journal.write({ event: 'orphan_ended', step, pid })
    for (const [step, attempt] of before.inFlight) journal.write({ event: 'step_cut_off', step, attempt })
    for (const [reference, skill] of prepared.skills)
      warnOfChangedSkill(log, reference, skill.sha256, journal.write)
    for (const name of changed) {
      const text = `the file of input ${name} has changed since the run began`
      journal.write({ event: 'warning', step: null, text })
    }
    const step = before.escalated?.step
    if (step !== undefined)
      journal.write({ event: 'decision', step, decision: options.decisions[step] as Decision, by: 'option' })
    const { observer, signal } = options
    const run = { ...prepared, runId: started.run_id, place, journal, observer, signal }
    return await runChain({ ...run, jobs: options.jobs ?? started.jobs })
  } finally {
    writer.close()
  }
}

/** A log may have been moved; but where its first place still holds one, steps would run in both. */
function refuseCopy(started: Started, logPath: string): void {
  const first = started.log_path
  if (first === undefined || first === logPath || !existsSync(first) || isSame(first, logPath)) return
  throw new Problem('check', 'this log is a copy, in which finished steps could run a second time', {
    path: logPath,
    hint: `coord chain resume ${escapeText(first)}`,
  })
}

function isSame(one: string, other: string): boolean {
  return realpathSync(one) === realpathSync(other)
}

function refuseChange(started: Started): void {
  const now = readChainText(started.chain_path)
  if (now === started.yaml) return
  const difference = textDifference(started.yaml, now).map(escapeText)
  throw new Problem('check', 'the chain has changed since the run began', {
    path: started.chain_path,
    hint: [...difference, 'change it back to go on, or begin another run'].join('\n'),
  })
}

function refuseOtherInputs(started: Started, inputs: Record<string, unknown> | undefined): void {
  if (inputs === undefined) return
  const changed = Object.keys(inputs).filter(
    name => canonicalJson(inputs[name]) !== canonicalJson(started.inputs[name] ?? null),
  )
  if (changed.length === 0) return
  const lines = changed.flatMap(name => [
    `${name}: - ${canonicalJson(started.inputs[name] ?? null)}`,
    `${name}: + ${canonicalJson(inputs[name])}`,
  ])
  throw new Problem('check', `inputs are not those that the run began with: ${changed.join(', ')}`, {
    hint: [...lines.map(escapeText), 'leave them out to go on, or begin another run'].join('\n'),
  })
}

/** The inputs whose files hold something else than when the run began. */
function changedFiles(started: Started, { chain }: ReadChain): string[] {
  const now = inputFiles(chain, started.inputs)
  return Object.keys(started.files).filter(name => now[name] !== started.files[name])
}

/** A step may have changed a file in place, which only the person knows; who gives the input again means it as it is. */
function refuseChangedFiles(
  changed: string[],
  again: Record<string, unknown> | undefined,
  started: Started,
): void {
  const name = changed.find(one => again === undefined || !Object.hasOwn(again, one))
  if (name === undefined) return
  const path = String(started.inputs[name])
  throw new Problem('check', `the file of input ${name} has changed since the run began`, {
    path,
    hint: [
      `sha256: - ${started.files[name]}`,
      `to go on with it as it is now, give it again: --input ${name}=${escapeText(path)}`,
    ].join('\n'),
  })
}

/** Who may verify depends on the primary's family, which therefore stays what it was. */
function refuseOtherFamily({ primary_family }: Started, { name, family }: Agent): void {
  if (family === primary_family) return
  throw new Problem(
    'check',
    `agent "${name}" is of family ${family}, and was of ${primary_family} when the run began`,
    {
      hint: 'change the settings back to go on, or begin another run',
    },
  )
}

function refuseOtherDecisions(
  step: string | undefined,
  decisions: Record<string, Decision>,
  runId: string,
): void {
  const other = Object.keys(decisions).find(one => one !== step)
  if (other !== undefined) {
    throw new Problem('usage', `step ${other} waits for no decision`, {
      hint: step === undefined ? 'leave --decide out: the run goes on by itself' : `step ${step} does`,
    })
  }
  if (step === undefined || Object.hasOwn(decisions, step)) return
  throw new Problem('usage', `step ${step} waits for a decision`, {
    hint: `coord chain resume ${runId} --decide ${step}=retry (or continue, or halt)`,
  })
}

function warnOfChangedSkill(
  log: ReadLog,
  reference: string,
  sha256: string,
  write: (event: RunEvent) => void,
): void {
  const before = log.events.find(
    event => event.event === 'step_started' && event.skill?.reference === reference,
  )
  if (before?.event !== 'step_started' || before.skill?.sha256 === sha256) return
  const text = `${reference} holds another text than when the run began`
  write({ event: 'warning', step: before.step, text })
}
