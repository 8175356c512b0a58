import { hash } from 'node:crypto'
import { isSessionId } from '../../record/session-id.ts'
import { inputFiles } from '../inputs/input-files.ts'
import { canonicalJson } from '../log/canonical-json.ts'
import { logPathOf } from '../log/log-path.ts'
import { newLog } from '../log/log-writer.ts'
import { newRunId } from '../log/run-id.ts'
import { lockRun } from '../log/run-lock.ts'
import { BEFORE_START } from '../plan/run-state.ts'
import { journalOn } from './journal.ts'
import { runChain } from './run-chain.ts'
import type { Prepared, RunObserver, RunPlace } from './run-context.ts'
import type { RunSummary } from './run-summary.ts'

export interface StartOptions {
  jobs: number
  signal: AbortSignal
  observer: RunObserver
  /** This program and its version, for the log. */
  program: string
  /** Told where the log lies before anything runs. */
  begins(runId: string, logPath: string): void
}

/**
 * Begins a run: its log first, and nothing without one.
 *
 * @throws Problem `environment` where the log cannot be made
 */
export async function startRun(
  prepared: Prepared,
  place: RunPlace,
  options: StartOptions,
): Promise<RunSummary> {
  const { read, inputs, secrets } = prepared
  const { chain } = read
  const runId = newRunId(chain.name, new Date())
  const logPath = logPathOf(chain, runId, place)
  const log = newLog(logPath)
  const unlock = lockRun(logPath)
  let isComplete = false
  try {
    options.begins(runId, logPath)
    const journal = journalOn(log, BEFORE_START, secrets, options.observer.event)
    journal.write({
      event: 'run_started',
      run_id: runId,
      chain: chain.name,
      chain_version: chain.version,
      chain_path: read.path,
      yaml_sha256: read.sha256,
      yaml: read.text,
      inputs,
      inputs_sha256: hash('sha256', canonicalJson(inputs)),
      files: inputFiles(chain, inputs),
      authors: prepared.authors,
      primary: prepared.primary.name,
      primary_family: prepared.primary.family,
      log_path: logPath,
      project: place.project,
      jobs: options.jobs,
      max_model_calls: chain.budget?.max_model_calls ?? null,
      session_id: sessionOf(place.env),
      program: options.program,
    })
    const { jobs, signal, observer } = options
    const summary = await runChain({ ...prepared, runId, place, jobs, journal, observer, signal })
    isComplete = !summary.isResumable
    return summary
  } finally {
    log.close()
    unlock(isComplete)
  }
}

/** The session that a run was started from, as the host names it to the commands of a session. */
export function sessionOf(env: NodeJS.ProcessEnv): string | null {
  const id = env.CLAUDE_CODE_SESSION_ID
  return id !== undefined && isSessionId(id) ? id : null
}
