import { Problem } from '../../problem/problem.ts'
import type { Family } from '../agents/family.ts'
import { routeVerifier } from '../agents/route.ts'
import type { Agent, RunnerSettings } from '../agents/runner-settings.ts'
import { BEFORE_START } from '../plan/run-state.ts'
import { valuesIn } from '../plan/values.ts'
import type { Chain, Step } from '../spec/chain-schema.ts'
import { parseCondition, referencesOf } from '../template/condition.ts'
import { type Authors, authorsOfCheck, authorsOfGate } from './authors.ts'
import { isToRun } from './may-run.ts'

/** Who will carry out a step, and who will verify it, as far as it is known before the run. */
export interface StepPlan {
  id: string
  agent: string
  family: Family
  verifier: string | null
  leftOut: boolean
}

/**
 * Routes every check as it will be routed, so that one that cannot be refuses the run before it begins.
 *
 * @param given who wrote inputs, as the person said
 * @throws Problem `check` where nobody may verify
 */
export function planSteps(
  chain: Chain,
  settings: RunnerSettings,
  primary: Agent,
  inputs: Record<string, unknown>,
  given: Authors,
  env: NodeJS.ProcessEnv,
): StepPlan[] {
  const families = new Map<string, Family>()
  const familyOfStep = (id: string) => families.get(id) ?? 'unknown'
  const route = (step: Step, what: string, authors: Authors): Agent => {
    const routed = routeVerifier(settings.agents, primary.family, authors, env)
    if ('agent' in routed) return routed.agent
    throw new Problem('check', `step ${step.id}: ${what}: ${routed.refused}`, { hint: routed.hint })
  }
  return chain.steps.map(step => {
    const leftOut = isLeftOut(step, inputs)
    const isRouted = step.kind === 'cross_check' && !leftOut
    const agent = isRouted
      ? route(step, 'cross_check', authorsOfCheck(chain, step, familyOfStep, given))
      : primary
    families.set(step.id, agent.family)
    const plan: StepPlan = { id: step.id, agent: agent.name, family: agent.family, verifier: null, leftOut }
    if (leftOut) return plan
    if (step.verification)
      plan.verifier = route(step, 'verification', { [`steps.${step.id}`]: agent.family }).name
    for (const gate of step.gates ?? [])
      if (gate.type === 'skill' || gate.type === 'ai_cross_check')
        route(step, `gate ${gate.type}`, authorsOfGate(chain, step, gate, familyOfStep, given))
    return plan
  })
}

/** Whether the inputs alone decide that a step will not run. */
function isLeftOut(step: Step, inputs: Record<string, unknown>): boolean {
  const parsed = typeof step.run_if === 'string' ? parseCondition(step.run_if) : null
  const named = parsed && 'condition' in parsed ? referencesOf(parsed.condition) : []
  return named.every(({ of }) => of === 'input') && !isToRun(step, valuesIn(inputs, BEFORE_START))
}
