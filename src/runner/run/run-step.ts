import { hash } from 'node:crypto'
import { promptOf } from '../agents/prompt.ts'
import type { Agent } from '../agents/runner-settings.ts'
import { readAnswer } from '../answer/read-answer.ts'
import { verdictOf } from '../answer/verdict.ts'
import { canonicalJson } from '../log/canonical-json.ts'
import type { Output } from '../log/event.ts'
import { valuesIn } from '../plan/values.ts'
import { DEFAULT_RETRY, type Step } from '../spec/chain-schema.ts'
import { type LookUp, NoValue, renderToText } from '../template/render.ts'
import { askAgent, BudgetUsedUp } from './ask-agent.ts'
import { authorsOfCheck } from './authors.ts'
import { complete, type Failure, fail } from './end-step.ts'
import { blockedBy, isToRun } from './may-run.ts'
import type { Run } from './run-context.ts'
import { runGates } from './run-gates.ts'
import { cleanUpWorktrees, stepFolder } from './step-folder.ts'
import { inputOf } from './step-input.ts'
import { route, verifyStep } from './verify-step.ts'

type Attempted = { output: Output } | Failure

/**
 * Carries out one step from `run_if` to its last gate, with its retries and its failure policy; every outcome is in
 * the log when this returns.
 *
 * @throws Interrupted
 */
export async function runStep(run: Run, step: Step): Promise<void> {
  const { journal } = run
  await cleanUpWorktrees(run)
  const lookUp = valuesIn(run.inputs, journal.state)
  const blocked = blockedBy(run, step)
  if (!isToRun(step, lookUp)) return complete(run, step, 'skipped', { reason: 'run_if does not hold' })
  if (blocked !== null) return complete(run, step, 'blocked', { reason: blocked })
  const started = Date.now()
  const agent = agentOf(run, step)
  if ('problem' in agent) return fail(run, step, { reason: agent.problem, refused: true }, started, null)
  try {
    await attempt(run, step, agent.agent, lookUp, started)
  } catch (error) {
    if (error instanceof BudgetUsedUp)
      return fail(run, step, { reason: error.message, refused: true, isFinal: true }, started, agent.agent)
    if (error instanceof NoValue)
      return fail(run, step, { reason: error.message, refused: true }, started, agent.agent)
    throw error
  }
}

async function attempt(run: Run, step: Step, agent: Agent, lookUp: LookUp, started: number): Promise<void> {
  const { journal } = run
  const retries = step.retry ?? DEFAULT_RETRY
  const given = {
    instruction: step.instruction === undefined ? undefined : renderToText(step.instruction, lookUp),
    input: inputOf(step, lookUp),
  }
  let folder: Awaited<ReturnType<typeof stepFolder>> | undefined
  for (;;) {
    const before = journal.state.refusals.get(step.id)
    const skill = step.skill === undefined ? undefined : run.skills.get(step.skill)
    journal.write({
      event: 'step_started',
      step: step.id,
      attempt: (before?.count ?? 0) + 1,
      input_sha256: hash('sha256', canonicalJson({ ...given, skill: skill?.sha256 ?? null })),
      agent: agent.name,
      family: agent.family,
      skill: skill ? { reference: skill.reference, path: skill.path, sha256: skill.sha256 } : null,
    })
    folder ??= await stepFolder(run, step, lookUp)
    const done =
      'problem' in folder
        ? { reason: folder.problem, refused: false }
        : await tryOnce(run, step, agent, given, before?.reason, folder.cwd)
    if ('output' in done) return complete(run, step, 'succeeded', { output: done.output, agent, started })
    if (done.isFinal) return fail(run, step, done, started, agent)
    const left = retries - (before?.count ?? 0)
    journal.write({
      event: 'attempt_failed',
      step: step.id,
      attempt: (before?.count ?? 0) + 1,
      reason: done.reason,
      retries_left: Math.max(left, 0),
    })
    if (left <= 0) return fail(run, step, done, started, agent)
  }
}

/** One attempt: ask, read the answer in its form, evaluate the gates, verify. */
async function tryOnce(
  run: Run,
  step: Step,
  agent: Agent,
  given: { instruction: string | undefined; input: unknown },
  refusedBefore: string | undefined,
  cwd: string,
): Promise<Attempted> {
  const skill = step.skill === undefined ? undefined : run.skills.get(step.skill)
  const isCheck = step.kind === 'cross_check'
  const ask = {
    ...given,
    skill,
    form: step.output_schema,
    ...(isCheck ? { verdict: 'agree or diverge' as const } : {}),
  }
  const question = { step: step.id, purpose: 'step' as const, agent, cwd, timeout: step.timeout, skill }
  const asked = await askAgent(run, { ...question, prompt: promptOf({ ...ask, refused: refusedBefore }) })
  if ('problem' in asked) return { reason: asked.problem, refused: false }
  const read = readAnswer(step.output_schema, asked.answer)
  if ('refused' in read) return { reason: read.refused, refused: true }
  const { output } = read
  const gated = await runGates(run, step, agent, output, cwd)
  if (gated !== null) return gated
  if (isCheck) return checked(run, step, agent, output)
  if (!step.verification) return { output }
  const failed = await verifyStep(run, step, promptOf(ask), output, agent, cwd)
  return failed === null ? { output } : { reason: failed.problem, refused: true }
}

/** What a cross-check found; that it diverges is worth seeing and no failure. */
function checked(run: Run, step: Step, agent: Agent, output: Output): Attempted {
  const verdict = verdictOf(output, ['agree', 'diverge'])
  if (verdict === null) return { reason: 'the cross-check gives no verdict, agree or diverge', refused: true }
  run.journal.write({
    event: 'verification',
    step: step.id,
    agent: agent.name,
    family: agent.family,
    diverged: verdict === 'diverge',
    detail: `${agent.name} (${agent.family}) ${verdict === 'agree' ? 'agrees' : 'diverges'} with ${(step.of ?? []).join(', ')}`,
    other: null,
  })
  return { output }
}

function agentOf(run: Run, step: Step): { agent: Agent } | { problem: string } {
  if (step.kind !== 'cross_check') return { agent: run.primary }
  const familyOfStep = (id: string) => run.journal.state.results.get(id)?.family ?? 'unknown'
  return route(run, step.id, 'step', authorsOfCheck(run.read.chain, step, familyOfStep, run.authors))
}
