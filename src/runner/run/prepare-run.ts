import { Problem } from '../../problem/problem.ts'
import { findSkill, type InstalledSkill } from '../agents/installed-skills.ts'
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
import { findProgram } from '../processes/find-program.ts'
import type { Chain } from '../spec/chain-schema.ts'
import type { ReadChain } from '../spec/read-chain.ts'
import type { Authors } from './authors.ts'
import { planSteps, type StepPlan } from './plan-steps.ts'
import type { Prepared, RunPlace } from './run-context.ts'

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
  refuseUnknownAuthors(chain, authors)
  const plans = planSteps(chain, settings, primary, inputs, authors, place.env)
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

function refuseUnknownAuthors(chain: Chain, authors: Authors): void {
  const unknown = Object.keys(authors).find(name => !chain.inputs?.some(input => input.name === name))
  if (unknown === undefined) return
  throw new Problem('usage', `--author names no input of ${chain.name}: ${unknown}`)
}

function skillsOf(chain: Chain): Set<string> {
  return new Set(
    chain.steps.flatMap(step => [
      ...(step.skill === undefined ? [] : [step.skill]),
      ...(step.gates ?? []).flatMap(gate => (gate.type === 'skill' ? [gate.skill] : [])),
    ]),
  )
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
