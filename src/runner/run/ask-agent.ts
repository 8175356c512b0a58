import { hash } from 'node:crypto'
import type { InstalledSkill } from '../agents/installed-skills.ts'
import type { Agent } from '../agents/runner-settings.ts'
import { inOwnRepository } from '../isolation/git-environment.ts'
import type { Purpose } from '../log/event.ts'
import { processIdentity } from '../processes/process-identity.ts'
import { runCommand } from '../processes/run-command.ts'
import { milliseconds } from '../spec/duration.ts'
import { Interrupted, type Run } from './run-context.ts'

const DEFAULT_TIMEOUT = '30m'

export interface Question {
  step: string
  purpose: Purpose
  agent: Agent
  prompt: string
  cwd: string
  timeout: string | undefined
  skill: InstalledSkill | undefined
}

export type Answered = { answer: string } | { problem: string }

/** The chain's budget of model calls is used up. */
export class BudgetUsedUp extends Error {
  override readonly name = 'BudgetUsedUp'
}

/**
 * Puts one question to an agent: counted against the budget before it is asked, logged before and after. Secrets are
 * taken out of the answer before anything sees it.
 *
 * @throws BudgetUsedUp, Interrupted
 */
export async function askAgent(run: Run, question: Question): Promise<Answered> {
  const { step, purpose, agent, prompt, cwd, skill } = question
  const { journal, signal } = run
  if (signal.aborted) throw new Interrupted()
  const most = run.read.chain.budget?.max_model_calls
  if (most !== undefined && journal.state.modelCalls >= most)
    throw new BudgetUsedUp(`the budget of ${most} model calls is used up`)
  journal.write({
    event: 'agent_called',
    step,
    purpose,
    agent: agent.name,
    family: agent.family,
    prompt_sha256: hash('sha256', prompt),
    skill: skill ? { reference: skill.reference, path: skill.path, sha256: skill.sha256 } : null,
  })
  const ended = await runCommand({
    argv: argvOf(agent, prompt),
    cwd,
    env: { ...inOwnRepository(run.place.env), ...agent.env },
    stdin: agent.prompt === 'stdin' ? prompt : '',
    timeoutMs: milliseconds(question.timeout ?? agent.timeout ?? DEFAULT_TIMEOUT),
    signal,
    onStart: pid =>
      journal.write({ event: 'agent_started', step, purpose, pid, identity: processIdentity(pid) }),
  })
  const answer = run.secrets.redact(ended.stdout)
  const said = lastWords(run.secrets.redact(ended.stderr))
  const why = ended.problem ?? (ended.isUtf8 ? null : 'its answer is not UTF-8')
  const problem = why === null ? null : `agent ${agent.name}: ${why}${said ? `: ${said}` : ''}`
  journal.write({
    event: 'agent_answered',
    step,
    purpose,
    ok: problem === null,
    exit: ended.exit,
    bytes: Buffer.byteLength(answer),
    elapsed_ms: ended.elapsedMs,
    output_sha256: hash('sha256', answer),
    problem,
  })
  if (ended.isCancelled || signal.aborted) throw new Interrupted()
  return problem === null ? { answer } : { problem }
}

/** The prompt as an argument stands where `{prompt}` does, else at the end; no shell looks at it. */
function argvOf(agent: Agent, prompt: string): string[] {
  if (agent.prompt === 'stdin') return agent.argv
  if (!agent.argv.includes('{prompt}')) return [...agent.argv, prompt]
  return agent.argv.map(part => (part === '{prompt}' ? prompt : part))
}

function lastWords(text: string): string {
  return text.trim().split('\n').slice(-3).join(' ').slice(-300).toWellFormed()
}
