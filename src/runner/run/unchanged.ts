import { existsSync, realpathSync } from 'node:fs'
import { escapeText } from '../../hostile-text/escape-text.ts'
import { Problem } from '../../problem/problem.ts'
import type { Agent } from '../agents/runner-settings.ts'
import { inputFiles } from '../inputs/input-files.ts'
import { canonicalJson } from '../log/canonical-json.ts'
import type { Decision, RunEvent } from '../log/event.ts'
import type { ReadLog } from '../log/read-log.ts'
import { type ReadChain, readChainText } from '../spec/read-chain.ts'
import { textDifference } from './text-difference.ts'

/** What has to be as it was when the run began, so that going on is the same run (rule.resumeRefuses). */

export type Started = RunEvent & { event: 'run_started' }

/** How a run began that is not complete yet. */
export function startOf(log: ReadLog): Started {
  const started = log.events[0] as Started | undefined
  if (!started) {
    throw new Problem('check', 'this log holds no event: nothing was run', {
      path: log.path,
      hint: 'coord chain run begins a run',
    })
  }
  if (!log.isComplete) return started
  throw new Problem('check', `run ${started.run_id} is complete`, {
    path: log.path,
    hint: `nothing is left to do; coord chain run ${started.chain} begins another one`,
  })
}

/** A log may have been moved; but where its first place still holds one, steps would run in both. */
export function refuseCopy(started: Started, logPath: string): void {
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

export function refuseChangedChain(started: Started): void {
  const now = readChainText(started.chain_path)
  if (now === started.yaml) return
  const difference = textDifference(started.yaml, now).map(escapeText)
  throw new Problem('check', 'the chain has changed since the run began', {
    path: started.chain_path,
    hint: [...difference, 'change it back to go on, or begin another run'].join('\n'),
  })
}

export function refuseOtherInputs(started: Started, inputs: Record<string, unknown> | undefined): void {
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
export function changedFiles(started: Started, { chain }: ReadChain): string[] {
  const now = inputFiles(chain, started.inputs)
  return Object.keys(started.files).filter(name => now[name] !== started.files[name])
}

/** A step may have changed a file in place, which only the person knows; who gives the input again means it as it is. */
export function refuseChangedFiles(
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
export function refuseOtherFamily({ primary_family }: Started, { name, family }: Agent): void {
  if (family === primary_family) return
  throw new Problem(
    'check',
    `agent "${name}" is of family ${family}, and was of ${primary_family} when the run began`,
    {
      hint: 'change the settings back to go on, or begin another run',
    },
  )
}

export function refuseOtherDecisions(
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
