import { join } from 'node:path'
import * as z from 'zod'
import { readJson } from '../../files/read-json.ts'
import { Problem } from '../../problem/problem.ts'
import { DURATION } from '../spec/duration.ts'
import { type Family, familyOf } from './family.ts'

/** A command that answers prompts. */
export interface Agent {
  name: string
  argv: string[]
  /** How it is given the prompt. */
  prompt: 'stdin' | 'argument'
  family: Family
  env: Record<string, string>
  timeout?: string
}

export interface McpServer {
  argv: string[]
  env: Record<string, string>
}

/** What only the person sets: no chain and no project can. */
export interface RunnerSettings {
  path: string
  /** In the order in which a verifier is chosen. */
  agents: Agent[]
  /** Hosts beside loopback that a gate may ask, as `host` or `host:port`. */
  httpHosts: string[]
  mcpServers: Record<string, McpServer>
}

const env = z.record(z.string(), z.string()).default({})
const argv = z.array(z.string().min(1)).min(1)
const settingsSchema = z.strictObject({
  agents: z
    .record(
      z.string(),
      z.strictObject({
        argv,
        prompt: z.enum(['stdin', 'argument']).default('stdin'),
        family: z.string().default('unknown'),
        env,
        timeout: z.string().regex(DURATION, 'a number and s, m or h').optional(),
      }),
    )
    .default({}),
  http: z.strictObject({ allow: z.array(z.string().min(1)).default([]) }).default({ allow: [] }),
  mcp: z.record(z.string(), z.strictObject({ argv, env })).default({}),
})

/** A person writes them by hand. */
const LARGEST = 1_048_576

const BUILT_IN: Agent[] = [
  { name: 'claude', argv: ['claude', '-p'], prompt: 'stdin', family: 'Anthropic', env: {} },
  { name: 'codex', argv: ['codex', 'exec', '-'], prompt: 'stdin', family: 'OpenAI', env: {} },
]

/**
 * The person's settings of the runner, `<user folder>/settings.json`; agents that it does not name are `claude` and
 * `codex` as they are installed.
 *
 * @throws Problem `usage` where the file is not what it must be
 */
export function readRunnerSettings(runnerFolder: string): RunnerSettings {
  const path = join(runnerFolder, 'settings.json')
  const { agents, http, mcp } = parsedSettings(path)
  const own = Object.entries(agents).map(([name, { family, timeout, ...agent }]) => ({
    name,
    ...agent,
    family: familyOf(family),
    ...(timeout === undefined ? {} : { timeout }),
  }))
  const rest = BUILT_IN.filter(({ name }) => !Object.hasOwn(agents, name))
  return { path, agents: [...own, ...rest], httpHosts: http.allow, mcpServers: mcp }
}

function parsedSettings(path: string): z.infer<typeof settingsSchema> {
  const read = readJson(path, { largest: LARGEST })
  if ('unread' in read && read.unread === 'missing') return settingsSchema.parse({})
  const hint = 'docs/chains.md gives its fields'
  if ('unread' in read) throw new Problem('usage', `${path} ${read.why}`, { path, hint })
  const checked = settingsSchema.safeParse(read.value)
  if (checked.success) return checked.data
  const told = checked.error.issues.map(issue => `${issue.path.join('.') || 'the file'}: ${issue.message}`)
  throw new Problem('usage', `${path}: ${told.join('; ')}`, { path, hint })
}

/** Every value that the settings give to a process: none of them belongs in a log. */
export function givenValues(settings: RunnerSettings): Record<string, string> {
  return Object.assign(
    {},
    ...settings.agents.map(agent => agent.env),
    ...Object.values(settings.mcpServers).map(server => server.env),
  )
}
