import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { stringify } from 'yaml'
import { agentCommand, type Rule } from '../../runner/support/bench.ts'
import { place } from '../../support/coord.ts'

/** A person with a project and agents of two families, for runs of the built program. */
export function commandBench() {
  const here = place()
  const project = join(here.dir, 'home')
  const agents = join(here.dir, 'agents')
  const write = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    return path
  }
  write(
    join(here.dir, 'data/agent-collab/settings.json'),
    JSON.stringify({
      agents: {
        claude: agentCommand('claude', agents, 'Anthropic'),
        codex: agentCommand('codex', agents, 'OpenAI'),
      },
    }),
  )
  const rules = (...all: Rule[]) => write(join(agents, 'rules.json'), JSON.stringify(all))
  rules({})
  const chain = (value: object, name = 'sample') =>
    write(join(project, 'chains', `${name}.yaml`), stringify(value))
  const calls = () => {
    const path = join(agents, 'calls.ndjson')
    return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n').length : 0
  }
  const logs = () => join(here.dir, 'data/agent-collab/chain-logs/sample')
  const logPath = () => join(logs(), readdirSync(logs()).find(name => name.endsWith('.jsonl')) as string)
  return { here, project, agents, write, rules, chain, calls, logPath }
}
