import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { readWholeLog } from '../../src/runner/log/read-log.ts'
import { readRunRows } from '../../src/runner/log/run-rows.ts'
import { agentCommand, eventsOf } from '../runner/support/bench.ts'
import { placeIn } from '../support/coord.ts'
import { hostCommand } from './support/host-command.ts'
import { hostProgram } from './support/host-program.ts'
import { type MessagesApi, messagesApi } from './support/messages-api.ts'
import { call, script, textSent } from './support/model-script.ts'
import { pluginDir } from './support/plugin-dir.ts'
import { newProfile, type Profile } from './support/profile.ts'
import { type StreamEvent, stream } from './support/session.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const COORD = join(ROOT, 'dist/coord.js')

/** A person with the host, a program of a second family, and a skill in an installed plugin. */
async function bench() {
  const api = await messagesApi()
  const profile = newProfile({ api })
  const marketplace = join(profile.dir, 'marketplace')
  const write = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  const skill =
    '---\nname: measure\ndescription: Measures a text.\n---\nCount the words of the input. SKILL-MARK-71\n'
  pluginDir({
    name: 'gauge',
    module: 'export function register() {}',
    manifest: { version: '1.4.0' },
    files: { 'skills/measure/SKILL.md': skill },
    dir: join(marketplace, 'gauge'),
  })
  write(
    join(marketplace, '.claude-plugin/marketplace.json'),
    JSON.stringify({
      name: 'tools',
      owner: { name: 't' },
      plugins: [{ name: 'gauge', source: './gauge', description: 'd' }],
    }),
  )
  for (const args of [
    ['marketplace', 'add', marketplace],
    ['install', 'gauge@tools'],
  ]) {
    const { code, stdout, stderr } = await hostCommand({ profile }, 'plugin', ...args)
    expect(code, stdout + stderr).toBe(0)
  }
  const agents = join(profile.dir, 'agents')
  mkdirSync(agents)
  write(
    join(profile.data, 'agent-collab/settings.json'),
    JSON.stringify({
      agents: {
        claude: { argv: [hostProgram(), '-p', '--allowedTools', 'Write'], family: 'Anthropic' },
        second: agentCommand('second', agents, 'OpenAI'),
      },
    }),
  )
  const rules = (all: object[]) => write(join(agents, 'rules.json'), JSON.stringify(all))
  rules([{ say: 'Counted again.\nVERDICT: diverge' }])
  const chain = (value: object) => write(join(profile.cwd, 'chains/five.yaml'), stringify(value))
  return { api, profile, agents, chain, rules, skill }
}

const FIVE = {
  name: 'five',
  description: 'Five steps on the real host.',
  version: '1.0.0',
  primary: 'claude',
  inputs: [{ name: 'text', type: 'string' }],
  steps: [
    {
      id: 'measure',
      runner: 'skill',
      skill: 'gauge:measure@1.4.0',
      input: { text: '{{ inputs.text }}' },
      output_schema: {
        type: 'json',
        schema: { type: 'object', required: ['words'], properties: { words: { type: 'integer' } } },
      },
    },
    {
      id: 'describe',
      runner: 'claude',
      instruction: 'DESCRIBE a text of {{ steps.measure.output.words }} words.',
      gates: [{ type: 'file_exists', path: 'absent.md', on_fail: 'warn' }],
    },
    {
      id: 'write',
      runner: 'claude',
      instruction: 'WRITE the file.',
      gates: [{ type: 'file_contains', path: 'note.md', text: 'three words', on_fail: 'retry' }],
    },
    {
      id: 'second',
      kind: 'cross_check',
      of: ['steps.measure'],
      instruction: 'Are these {{ steps.measure.output.words }} words?',
    },
    {
      id: 'guard',
      runner: 'claude',
      instruction: 'GUARD it.',
      gates: [{ type: 'bash_exit_code', argv: ['test', '-f', 'approved'], on_fail: 'halt' }],
    },
  ],
  outputs: {
    words: '{{ steps.measure.output.words }}',
    said: '{{ steps.describe.output }}',
    second: '{{ steps.second.output }}',
  },
}

/** The model's part: the first measurement does not fit its schema; the file is written by a call of a tool. */
function play(api: MessagesApi) {
  let measured = 0
  api.answer = ({ body }) => {
    const sent = textSent(body)
    if (!body.tools?.length) return undefined
    if (sent.includes('SKILL-MARK-71'))
      return [{ type: 'text', text: measured++ === 0 ? 'about three' : '{"words": 3}' }]
    if (sent.includes('DESCRIBE')) return [{ type: 'text', text: 'A short text.' }]
    if (sent.includes('WRITE')) {
      const wrote = JSON.stringify(body.messages).includes('tool_result')
      const file_path = /Primary working directory: (\S+)/.exec(JSON.stringify(body.system) + sent)?.[1]
      if (wrote || !file_path) return [{ type: 'text', text: 'I wrote note.md.' }]
      // The first attempt only claims to have written it.
      if (!sent.includes('was refused')) return [{ type: 'text', text: 'I wrote note.md.' }]
      const path = `${file_path.replace(/\\n.*/, '')}/note.md`
      return [{ type: 'tool_use', name: 'Write', input: { file_path: path, content: 'three words\n' } }]
    }
    if (sent.includes('GUARD')) return [{ type: 'text', text: 'Approved, all files are there.' }]
    return undefined
  }
}

async function runFive(profile: Profile, ...more: string[]) {
  const here = placeIn(join(profile.dir, 'coord'))
  return here.runWith({ cwd: profile.cwd, env: profile.env }, 'chain', 'run', 'five', '--json', ...more)
}

function logOf(profile: Profile): string {
  const folder = join(profile.data, 'agent-collab/chain-logs/five')
  return join(folder, readdirSync(folder).find(name => name.endsWith('.jsonl')) as string)
}

describe('rule.hostRun: a chain of five steps on the real host', () => {
  test('skill step with a retry after a bad schema, gates that warn, retry and halt, a cross-check by a second family', async () => {
    const { api, profile, chain, skill } = await bench()
    play(api)
    chain(FIVE)
    const ran = await runFive(profile, '--input', 'text=one two three')
    expect(ran.code, ran.stderr).toBe(4)
    const { run } = ran.json()
    expect(run).toMatchObject({
      status: 'halted',
      reason: expect.stringContaining('gate bash_exit_code: test: exit 1'),
      outputs: { words: 3, said: 'A short text.', second: expect.stringContaining('VERDICT: diverge') },
      steps: [
        { id: 'measure', status: 'succeeded', attempts: 2, agent: 'claude', family: 'Anthropic' },
        { id: 'describe', status: 'succeeded', attempts: 1 },
        { id: 'write', status: 'succeeded', attempts: 2 },
        { id: 'second', status: 'succeeded', agent: 'second', family: 'OpenAI' },
        { id: 'guard', status: 'failed', attempts: 1 },
      ],
    })
    expect(run.warnings).toEqual([
      expect.stringContaining('absent.md is not there'),
      expect.stringContaining('second (OpenAI) diverges with steps.measure'),
    ])
    expect(readFileSync(join(profile.cwd, 'note.md'), 'utf8')).toBe('three words\n')
    // What the host was asked: the pinned skill's text, the input, and after the bad answer why it was refused.
    const asked = api
      .requests()
      .map(one => textSent(one.body))
      .filter(text => text.includes('SKILL-MARK-71'))
    expect(asked[0]).toContain('"text": "one two three"')
    expect(asked.at(-1)).toContain('An answer before this one was refused: the answer is not JSON')
    const { events } = readWholeLog(logOf(profile))
    expect(eventsOf(events, 'step_started')[0]?.skill).toMatchObject({
      reference: 'gauge:measure@1.4.0',
      path: expect.stringContaining('plugins/cache/tools/gauge/1.4.0/skills/measure/SKILL.md'),
      sha256: hash('sha256', skill),
    })
    expect(eventsOf(events, 'attempt_failed').map(event => event.step)).toEqual(['measure', 'write'])
    expect(eventsOf(events, 'verification')).toMatchObject([{ family: 'OpenAI', diverged: true }])
    expect(JSON.stringify(events)).not.toContain(profile.env.ANTHROPIC_API_KEY)
    const verified = await placeIn(join(profile.dir, 'coord')).run(
      'chain',
      'verify',
      run.logPath,
      '--head',
      run.head,
    )
    expect(verified.code).toBe(0)
  })

  test('the version of a skill has to be installed, or nothing runs', async () => {
    const { api, profile, chain } = await bench()
    const [measure, ...others] = FIVE.steps
    chain({ ...FIVE, steps: [{ ...measure, skill: 'gauge:measure@1.5.0' }, ...others] })
    const ran = await runFive(profile, '--input', 'text=x')
    expect(ran.code).toBe(4)
    expect(ran.error()).toMatchObject({
      message: 'gauge:measure@1.5.0 is not there: installed is version 1.4.0',
    })
    expect(api.requests()).toEqual([])
    expect(existsSync(join(profile.data, 'agent-collab/chain-logs'))).toBe(false)
  })

  test('a session hands a chain over, and the run is joined to it', async () => {
    const { api, profile, chain } = await bench()
    chain({ ...FIVE, steps: FIVE.steps.slice(0, 2), outputs: { words: '{{ steps.measure.output.words }}' } })
    const session = await stream({ profile, allowedTools: ['Bash'] })
    const command = `node ${COORD} chain run five --json --input 'text=one two three'`
    let measured = 0
    api.answer = ({ body }) => {
      if (!body.tools?.length) return undefined
      if (textSent(body).includes('SKILL-MARK-71'))
        return [{ type: 'text', text: measured++ === 0 ? '{}' : '{"words": 3}' }]
      return textSent(body).includes('DESCRIBE') ? [{ type: 'text', text: 'Short.' }] : undefined
    }
    const { result } = await session.ask(script(call('Bash', { command })))
    expect(result).toContain('"status":"succeeded"')
    expect(readRunRows(logOf(profile))).toMatchObject({
      run: { sessionId: session.sessionId(), status: 'succeeded' },
      steps: [{ step: 'measure', attempts: 2 }, { step: 'describe' }],
    })
  })
})

describe('the plugin job-runner, enabled on its own', () => {
  async function installed(...plugins: string[]) {
    const api = await messagesApi()
    const profile = newProfile({ api })
    for (const args of [
      ['marketplace', 'add', ROOT],
      ...plugins.map(name => ['install', `${name}@cc-agents`]),
    ]) {
      const { code, stdout, stderr } = await hostCommand({ profile }, 'plugin', ...args)
      expect(code, stdout + stderr).toBe(0)
    }
    return { api, profile }
  }

  async function initOf(profile: Profile): Promise<StreamEvent> {
    const session = await stream({ profile })
    await session.ask('hello')
    return session.waitForEvent(event => event.subtype === 'init', 'what the session says of itself')
  }

  test('rule.runnerStaysOff: with coordination alone nothing of the job runner loads', async () => {
    const { api, profile } = await installed('coordination')
    const init = await initOf(profile)
    const all = JSON.stringify([init.tools, init.skills, init.slash_commands, init.agents])
    expect(all).not.toMatch(/job-runner/)
    expect(JSON.stringify(api.requests())).not.toContain('job-runner')
    expect(existsSync(join(profile.data, 'agent-collab'))).toBe(false)
  })

  test('criterion: with the job runner alone its skill is there, and no record, no command and no tool of coordination', async () => {
    const { api, profile } = await installed('job-runner')
    const plain = newProfile({ api: await messagesApi() })
    const [init, without] = [await initOf(profile), await initOf(plain)]
    expect(init.skills).toContain('job-runner:run')
    expect(JSON.stringify(api.requests())).toContain('job-runner:run')
    expect(init.agents).toEqual(without.agents)
    expect([...init.tools].sort()).toEqual([...without.tools].sort())
    expect(JSON.stringify([init.tools, init.skills, init.slash_commands])).not.toMatch(/coordination|chain_/)
    expect(existsSync(join(profile.data, 'coordination'))).toBe(false)
    expect(existsSync(join(profile.data, 'agent-collab'))).toBe(false)
  })

  test('the skill is read when it is called for, and hands over to coord chain', async () => {
    const { api, profile } = await installed('job-runner')
    const session = await stream({ profile, allowedTools: ['Skill'] })
    await session.ask(script(call('Skill', { skill: 'job-runner:run' })))
    const sent = JSON.stringify(api.requests(session.sessionId()).at(-1)?.body)
    for (const part of [
      'coord chain run NAME',
      'coord chain validate NAME',
      '--author NAME=person',
      'never carry out the steps yourself',
    ])
      expect(sent).toContain(part)
  })
})
