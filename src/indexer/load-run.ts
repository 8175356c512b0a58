import type { ResultWriter } from '../database/index-writer.ts'
import { toStored } from '../database/stored-text.ts'
import type { RunStepRow, RunRow as StoredRun } from '../database/tables.ts'
import { Problem } from '../problem/problem.ts'
import { type RunRow, readRunRows, type StepRow } from '../runner/log/run-rows.ts'
import type { ResultLoader } from './result-loader.ts'

/** Loads runs of YAML chains from their audit logs (docs/chains.md). */
export function runLoader(writer: ResultWriter): ResultLoader {
  const addRun = writer.adding('run', RUN_COLUMNS)
  const addStep = writer.adding('run_step', STEP_COLUMNS)
  const removals = (['run', 'run_step'] as const).map(table => writer.removing(table, 'result_id'))
  return {
    load(log, resultId) {
      const rows = readRunRows(log)
      if (rows === null) {
        throw new Problem('failed', `${log} does not begin with a whole line of a run`, {
          path: log,
          hint: 'the run crashed before it began; delete the log',
        })
      }
      const { run, steps } = rows
      addRun(runRow(run, resultId))
      for (const [position, step] of steps.entries()) addStep(stepRow(step, position, resultId))
      return { status: run.status, made_at: run.startedAt, version: null, revision: null }
    },
    remove(resultId) {
      for (const remove of removals) remove(resultId)
    },
  }
}

function runRow(run: RunRow, resultId: number): Omit<StoredRun, 'id'> {
  return {
    result_id: resultId,
    run_id: toStored(run.runId),
    yaml_chain: toStored(run.chain),
    chain_version: toStored(run.chainVersion),
    started_at: run.startedAt,
    ended_at: run.endedAt,
    status: run.status,
    session_id: stored(run.sessionId),
    model_calls: run.modelCalls,
    resumes: run.resumes,
    log: toStored(run.logPath),
    yaml_sha256: run.yamlSha256,
    project: toStored(run.project),
    primary_agent: toStored(run.primary),
  }
}

function stepRow(step: StepRow, position: number, resultId: number): Omit<RunStepRow, 'id'> {
  return {
    result_id: resultId,
    run_id: toStored(step.runId),
    position,
    step: toStored(step.step),
    status: step.status,
    reason: stored(step.reason),
    started_at: step.startedAt,
    ended_at: step.endedAt,
    attempts: step.attempts,
    agent: stored(step.agent),
    family: stored(step.family),
    output_sha256: step.outputSha256,
    skill: stored(step.skill),
    skill_sha256: step.skillSha256,
  }
}

const RUN_COLUMNS = [
  ...['result_id', 'run_id', 'yaml_chain', 'chain_version', 'started_at', 'ended_at', 'status', 'session_id'],
  ...['model_calls', 'resumes', 'log', 'yaml_sha256', 'project', 'primary_agent'],
]
const STEP_COLUMNS = [
  ...['result_id', 'run_id', 'position', 'step', 'status', 'reason', 'started_at', 'ended_at', 'attempts'],
  ...['agent', 'family', 'output_sha256', 'skill', 'skill_sha256'],
]

function stored(text: string | null): string | null {
  return text === null ? null : toStored(text)
}
