import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { stringify } from 'yaml'
import { bindInputs } from '../../../src/runner/inputs/bind-inputs.ts'
import type { Decision, LoggedEvent, RunEvent } from '../../../src/runner/log/event.ts'
import { readWholeLog } from '../../../src/runner/log/read-log.ts'
import type { Authors } from '../../../src/runner/run/authors.ts'
import type { StepPlan } from '../../../src/runner/run/plan-steps.ts'
import { prepareRun } from '../../../src/runner/run/prepare-run.ts'
import { resumeRun } from '../../../src/runner/run/resume-run.ts'
import type { RunPlace } from '../../../src/runner/run/run-context.ts'
import type { RunSummary } from '../../../src/runner/run/run-summary.ts'
import { startRun } from '../../../src/runner/run/start-run.ts'
import type { Chain } from '../../../src/runner/spec/chain-schema.ts'
import { readChain } from '../../../src/runner/spec/read-chain.ts'
import { tempFolder } from '../../support/temp-folder.ts'

export const AGENT = resolve(import.meta.dirname, 'agent.mjs')

/** What an agent of a test does; the first rule that fits a prompt and is not used up counts. */
export interface Rule {
  agent?: string
  /** Text that the prompt holds. */
  when?: string
  /** How often the rule may be used. */
  times?: number
  say?: string
  /** Says a variable of its environment. */
  sayEnv?: string
  repeat?: number
  exit?: number
  stderr?: string
  write?: Record<string, string>
  /** Waits until a file is in the folder of the agents. */
  waitFor?: string
  hang?: boolean
}

export interface Call {
  agent: string
  prompt: string
  cwd: string
  pid: number
}

export type StepOf = Chain['steps'][number]

/** What one run left behind. */
export interface Ran {
  summary: RunSummary
  events: LoggedEvent[]
}

export interface RunOptions {
  inputs?: Record<string, string>
  authors?: Authors
  jobs?: number
  signal?: AbortSignal
  decide?: (step: string, reason: string) => Promise<Decision | null>
  onEvent?: (event: LoggedEvent) => unknown
}

/** A person, a project and agents of two families for one test. */
export interface Bench {
  readonly dir: string
  readonly agents: string
  readonly place: RunPlace
  rules(...rules: Rule[]): void
  /** Every call of an agent so far. */
  calls(agent?: string): Call[]
  settings(settings: object): void
  /** Writes a chain into the project; gives its path. */
  chain(chain: object, name?: string): string
  prepare(chain: object, options?: RunOptions): Promise<{ plans: StepPlan[] }>
  run(chain: object, options?: RunOptions): Promise<Ran>
  resume(logPath: string, options?: RunOptions & { decisions?: Record<string, Decision> }): Promise<Ran>
  write(path: string, text: string): string
}

/** The command of an agent of a test. */
export function agentCommand(name: string, folder: string, family: string, more: object = {}) {
  return { argv: [process.execPath, AGENT, name, folder], family, ...more }
}

export function bench(dir = tempFolder()): Bench {
  const folder = (name: string) => {
    mkdirSync(join(dir, name), { recursive: true })
    return join(dir, name)
  }
  const [project, agents, runnerFolder] = [folder('project'), folder('agents'), folder('data/agent-collab')]
  const [home, host] = [folder('home'), folder('home/.claude')]
  const place: RunPlace = {
    ...{ project, runnerFolder, home, host },
    env: { PATH: process.env.PATH, HOME: home, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
  }
  const made: Bench = {
    dir,
    agents,
    place,
    rules: (...rules) => writeFileSync(join(agents, 'rules.json'), JSON.stringify(rules)),
    calls(agent) {
      const path = join(agents, 'calls.ndjson')
      const all = existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : []
      return all
        .filter(Boolean)
        .map(line => JSON.parse(line) as Call)
        .filter(call => agent === undefined || call.agent === agent)
    },
    settings: settings => writeFileSync(join(runnerFolder, 'settings.json'), JSON.stringify(settings)),
    chain: (chain, name = (chain as { name: string }).name) =>
      made.write(join(project, 'chains', `${name}.yaml`), stringify(chain)),
    async prepare(chain, options = {}) {
      const read = readChain(made.chain(chain))
      const inputs = bindInputs(read.chain, options.inputs ?? {}, project)
      return prepareRun(read, inputs, options.authors ?? {}, place)
    },
    async run(chain, options = {}) {
      const prepared = await made.prepare(chain, options)
      const summary = await startRun(prepared as Awaited<ReturnType<typeof prepareRun>>, place, {
        ...running(options),
        jobs: options.jobs ?? 1,
        program: 'test',
      })
      return { summary, events: readWholeLog(summary.logPath).events }
    },
    async resume(logPath, options = {}) {
      const { inputs } = options
      const summary = await resumeRun(logPath, place, {
        ...running(options),
        jobs: options.jobs,
        decisions: options.decisions ?? {},
        inputs: inputs && (read => bindInputs(read.chain, inputs, project)),
      })
      return { summary, events: readWholeLog(logPath).events }
    },
    write(path, text) {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
      return path
    },
  }
  made.settings({
    agents: {
      claude: agentCommand('claude', agents, 'Anthropic'),
      codex: agentCommand('codex', agents, 'OpenAI'),
    },
  })
  made.rules({})
  return made
}

function running(options: RunOptions) {
  return {
    signal: options.signal ?? new AbortController().signal,
    begins: () => {},
    observer: {
      event: options.onEvent ?? (() => {}),
      decide: options.decide ?? (async () => null),
    },
  }
}

/** A chain with these steps; what is left out is filled in. */
export function chainOf(steps: object[], more: object = {}): object {
  const whole = steps.map((step, index) => ({
    id: `s${index + 1}`,
    ...('kind' in step || 'runner' in step ? {} : { runner: 'claude' }),
    ...('instruction' in step || 'skill' in step ? {} : { instruction: `Do part ${index + 1}.` }),
    ...('output_schema' in step || steps.length > 1 ? {} : { output_schema: { type: 'text' } }),
    ...step,
  }))
  return {
    name: 'sample',
    description: 'A chain for tests.',
    version: '1.0.0',
    primary: 'claude',
    steps: whole,
    ...more,
  }
}

/** The events of one kind. */
export function eventsOf<Kind extends RunEvent['event']>(
  events: readonly LoggedEvent[],
  kind: Kind,
): (LoggedEvent & { event: Kind })[] {
  return events.filter(event => event.event === kind) as (LoggedEvent & { event: Kind })[]
}

/** Each step's status, in declared order. */
export function statuses({ summary }: Ran): string {
  return summary.steps.map(step => step.status).join(' ')
}
