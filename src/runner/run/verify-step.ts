import { routeVerifier } from '../agents/route.ts'
import type { Agent } from '../agents/runner-settings.ts'
import { compareOutputs } from '../answer/compare-outputs.ts'
import { readAnswer } from '../answer/read-answer.ts'
import type { Output, Purpose } from '../log/event.ts'
import { DEFAULT_RETRY, type Step } from '../spec/chain-schema.ts'
import { askAgent } from './ask-agent.ts'
import type { Authors } from './authors.ts'
import type { Run } from './run-context.ts'

/** Chooses who verifies, and logs the choice. */
export function route(
  run: Run,
  step: string,
  purpose: Purpose,
  authors: Authors,
): { agent: Agent } | { problem: string } {
  const routed = routeVerifier(run.settings.agents, run.primary.family, authors, run.place.env)
  if ('refused' in routed) return { problem: routed.refused }
  const { agent, excluded } = routed
  const families = Object.fromEntries(Object.entries(authors).filter(([, family]) => family !== 'person'))
  run.journal.write({
    ...{ event: 'routed', step, purpose, agent: agent.name, family: agent.family, excluded },
    authors: families as Record<string, (typeof excluded)[number]>,
  })
  return { agent }
}

/**
 * Gives the same prompt to an agent of another family and compares the answers (spec, procedure 4). Divergence is
 * logged and no failure; a verification that could not be carried out is one.
 *
 * @throws BudgetUsedUp, Interrupted
 */
export async function verifyStep(
  run: Run,
  step: Step,
  prompt: string,
  output: Output,
  author: Agent,
  cwd: string,
): Promise<{ problem: string } | null> {
  const routed = route(run, step.id, 'verification', { [`steps.${step.id}`]: author.family })
  if ('problem' in routed) return { problem: `verification: ${routed.problem}` }
  const { agent } = routed
  let problem = ''
  for (let attempt = 0; attempt <= (step.retry ?? DEFAULT_RETRY); attempt++) {
    const skill = step.skill === undefined ? undefined : run.skills.get(step.skill)
    const question = { step: step.id, purpose: 'verification' as const, agent, prompt, cwd, skill }
    const asked = await askAgent(run, { ...question, timeout: step.timeout })
    if ('problem' in asked) {
      problem = asked.problem
      continue
    }
    const read = readAnswer(step.output_schema, asked.answer)
    if ('refused' in read) {
      problem = `agent ${agent.name}: ${read.refused}`
      continue
    }
    const { diverged, detail } = compareOutputs(output, read.output, step.verification?.fields)
    run.journal.write({
      event: 'verification',
      step: step.id,
      agent: agent.name,
      family: agent.family,
      diverged,
      detail: `${agent.name} (${agent.family}): ${detail}`,
      other: read.output.value,
    })
    return null
  }
  return { problem: `verification: ${problem}` }
}
