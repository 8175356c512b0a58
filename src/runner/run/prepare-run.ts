import { Problem } from '../../problem/problem.ts'
import type { Family } from '../agents/family.ts'
import { findProgram } from '../agents/find-program.ts'
import { findSkill, type InstalledSkill } from '../agents/installed-skills.ts'
import { routeVerifier } from '../agents/route.ts'
import {
  type Agent,
  givenValues,
  type RunnerSettings,
  readRunnerSettings,
} from '../agents/runner-settings.ts'
import { refusedAddress } from '../gates/http-status.ts'
import { commitOf } from '../isolation/worktree.ts'
import { canonicalJson } from '../log/canonical-json.ts'
import { type Secrets, secretsOf } from '../log/secrets.ts'
import { dependenciesOf } from '../plan/dependencies.ts'
import { BEFORE_START } from '../plan/run-state.ts'
import { valuesIn } from '../plan/values.ts'
import type { Chain, Step } from '../spec/chain-schema.ts'
import type { ReadChain } from '../spec/read-chain.ts'
import { parseCondition, referencesOf } from '../template/condition.ts'
import { type Authors, authorsOfCheck, authorsOfGate } from './authors.ts'
import { isToRun } from './may-run.ts'
import type { Prepared, RunPlace } from './run-context.ts'

/** Who will carry out a step, and who will verify it, as far as it is known before the run. */
export interface StepPlan {
  id: string
  agent: string
  family: Family
  verifier: string | null
  leftOut: boolean
}

/**
 * Finds out, before anything runs, all that could be missing: the agents, each skill at its version, a verifier of
 * another family for each check, the repository for worktrees, the servers and hosts that gates ask. Nothing is
 * started and nothing written.
 *
 * @throws Problem `check`, `environment`, `usage`
 */
export async function prepareRun(
  read: ReadChain,
  inputs: Record<string, unknown>,
  authors: Authors,
  place: RunPlace,
): Promise<Prepared & { plans: StepPlan[] }> {
  const { chain } = read
  const settings = readRunnerSettings(place.runnerFolder)
  const secrets = secretsOf(place.env, givenValues(settings))
  refuseSecrets(read, inputs, secrets)
  const primary = primaryOf(chain, settings, place.env)
  const skills = new Map<string, InstalledSkill>()
  for (const reference of skillsOf(chain))
    skills.set(reference, findSkill(reference, place.host, place.project))
  for (const name of Object.keys(authors)) {
    if (chain.inputs?.some(input => input.name === name)) continue
    throw new Problem('usage', `--author names no input of ${chain.name}: ${name}`)
  }
  const plans = plansOf(chain, settings, primary, inputs, authors, place.env)
  checkGates(chain, settings)
  await checkIsolation(chain, place)
  return {
    ...{ read, settings, secrets, primary, skills, inputs, authors, plans },
    dependencies: dependenciesOf(chain),
  }
}

/** A chain's text and inputs go into the log whole, so neither may hold a secret. */
function refuseSecrets(read: ReadChain, inputs: Record<string, unknown>, secrets: Secrets): void {
  const inYaml = secrets.nameIn(read.text)
  const inInput = Object.entries(inputs).find(([, value]) => secrets.nameIn(canonicalJson(value)) !== null)
  if (inYaml === null && !inInput) return
  const where = inInput ? `the input ${inInput[0]}` : read.path
  const name = inInput ? secrets.nameIn(canonicalJson(inInput[1])) : inYaml
  throw new Problem('check', `${where} holds the value of the environment variable ${name}`, {
    hint: 'both go into the audit log; let the agent or the gate read the variable itself',
  })
}

function primaryOf(chain: Chain, settings: RunnerSettings, env: NodeJS.ProcessEnv): Agent {
  const primary = settings.agents.find(agent => agent.name === chain.primary)
  if (!primary) {
    throw new Problem('check', `the chain's primary "${chain.primary}" is no agent`, {
      hint: `agents: ${settings.agents.map(agent => agent.name).join(', ')}; ${settings.path} names more`,
    })
  }
  const program = primary.argv[0] as string
  if (findProgram(program, env) === null) {
    throw new Problem('environment', `the command of agent "${primary.name}" is not there: ${program}`, {
      hint: `install it, or name it by its full path in ${settings.path}`,
    })
  }
  return primary
}

function skillsOf(chain: Chain): Set<string> {
  return new Set(
    chain.steps.flatMap(step => [
      ...(step.skill === undefined ? [] : [step.skill]),
      ...(step.gates ?? []).flatMap(gate => (gate.type === 'skill' ? [gate.skill] : [])),
    ]),
  )
}

/** Routes every check as it will be routed, so that one that cannot be refuses the run before it begins. */
function plansOf(
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
    let agent = primary
    if (step.kind === 'cross_check' && !leftOut)
      agent = route(step, 'cross_check', authorsOfCheck(chain, step, familyOfStep, given))
    families.set(step.id, agent.family)
    let verifier: string | null = null
    if (!leftOut) {
      if (step.verification)
        verifier = route(step, 'verification', { [`steps.${step.id}`]: agent.family }).name
      for (const gate of step.gates ?? []) {
        if (gate.type !== 'skill' && gate.type !== 'ai_cross_check') continue
        route(step, `gate ${gate.type}`, authorsOfGate(chain, step, gate, familyOfStep, given))
      }
    }
    return { id: step.id, agent: agent.name, family: agent.family, verifier, leftOut }
  })
}

/** Whether the inputs alone decide that a step will not run. */
function isLeftOut(step: Step, inputs: Record<string, unknown>): boolean {
  const parsed = typeof step.run_if === 'string' ? parseCondition(step.run_if) : null
  const named = parsed && 'condition' in parsed ? referencesOf(parsed.condition) : []
  return named.every(({ of }) => of === 'input') && !isToRun(step, valuesIn(inputs, BEFORE_START))
}

function checkGates(chain: Chain, settings: RunnerSettings): void {
  for (const step of chain.steps) {
    for (const gate of step.gates ?? []) {
      if (gate.type === 'mcp_call' && !Object.hasOwn(settings.mcpServers, gate.server)) {
        throw new Problem('check', `step ${step.id}: no MCP server "${gate.server}"`, {
          path: settings.path,
          hint: `name its command under "mcp" in ${settings.path}`,
        })
      }
      if (gate.type !== 'http_status' || gate.url.includes('{{')) continue
      const refused = refusedAddress(gate.url, settings.httpHosts)
      if (refused === null) continue
      throw new Problem('check', `step ${step.id}: ${refused}`, {
        hint: `name the host under "http": { "allow": [] } in ${settings.path}`,
      })
    }
  }
}

async function checkIsolation(chain: Chain, place: RunPlace): Promise<void> {
  for (const step of chain.steps) {
    const base = step.isolation?.base ?? 'HEAD'
    if (!step.isolation || base.includes('{{')) continue
    const found = await commitOf(place.project, base, place.env)
    if (!('problem' in found)) continue
    throw new Problem('check', `step ${step.id}: ${found.problem}`, {
      path: place.project,
      hint: 'isolation needs a git repository that holds that commit: name another --project, or another base in the chain, or leave isolation out',
    })
  }
}
