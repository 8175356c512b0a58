import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isLinux, onlyWhere } from '../support/only-where.ts'
import { entriesOf, PLUGIN, recordOf } from './support/coordination.ts'
import { hostCommand } from './support/host-command.ts'
import { messagesApi } from './support/messages-api.ts'
import { call, script } from './support/model-script.ts'
import { probeMod } from './support/probe-mod.ts'
import { descendantsOf } from './support/processes.ts'
import { newProfile, type Profile } from './support/profile.ts'
import { interactive, print, type StreamEvent, type StreamSession, stream } from './support/session.ts'
import { waitFor } from './support/wait-for.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const TREE = 'mcp__coordination__chain_tree'
const JOIN = 'mcp__coordination__chain_join'

async function bench() {
  const api = await messagesApi()
  return { api, profile: newProfile({ api }) }
}

/** Runs a command of the host that has to succeed. */
async function host(profile: Profile, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await hostCommand({ profile }, ...args)
  expect(code, `claude ${args.join(' ')}\n${stdout}${stderr}`).toBe(0)
  return stdout + stderr
}

/** A profile with the marketplace, and these of its plugins installed. */
async function installed(...plugins: string[]) {
  const all = await bench()
  await host(all.profile, 'plugin', 'marketplace', 'add', ROOT)
  for (const plugin of plugins) await host(all.profile, 'plugin', 'install', `${plugin}@cc-agents`)
  return all
}

/** What a session says of itself before its second turn: before the first one mods may still be starting. */
async function initOf(session: StreamSession) {
  await session.ask('hello')
  await session.ask('hello again')
  const [, init] = session.events().filter(event => event.subtype === 'init')
  if (!init) throw new Error('the session has said nothing of itself before its second turn')
  return init
}

const logOf = (session: StreamSession): string[] =>
  session
    .events()
    .filter(event => event.subtype === 'ui_log' && event.plugin === 'coordination')
    .map(event => event.text)

describe('the notice at start', () => {
  const STATES: Record<string, RegExp[]> = {
    accept: [],
    hold: [/^inbound: hold\b.*wait until (they are|you) released?/],
    refuse: [/^inbound: refuse\b.*refused/],
    unset: [/^inbound: unset\b.*default applies.*depends on the permission modes of the two sessions/],
  }
  test.each(Object.entries(STATES))(
    'criterion: started with %s, it says what that means, and the start entry holds it',
    async (state, notices) => {
      const { profile } = await bench()
      const settings = state === 'unset' ? {} : { settings: { crossSessionInbound: state } }
      const session = await stream({ profile, pluginDirs: [PLUGIN], ...settings })
      await session.ask('hello')
      const log = logOf(session)
      expect(log).toHaveLength(notices.length)
      for (const [index, notice] of notices.entries()) expect(log[index]).toMatch(notice)
      expect(log.join('\n')).not.toMatch(/drop/i)
      expect(entriesOf(recordOf(profile), session.sessionId(), 'start')).toMatchObject([{ inbound: state }])
    },
  )

  test.each(['hold', 'unset'])(
    'rule.saysTheState: %s stands on the screen once, before any prompt, and is said to be as read at start',
    async state => {
      const { api, profile } = await bench()
      if (state !== 'unset') profile.writeSettings('user', { crossSessionInbound: state })
      const session = await interactive({ profile, pluginDirs: [PLUGIN] })
      const lines = await session.waitForScreen(`● coordination: inbound: ${state} (as read at start)`)
      expect(lines.join('\n').match(/● coordination: /g)).toHaveLength(1)
      expect(lines.join('\n')).not.toMatch(/drop/i)
      expect(api.requests()).toEqual([])
    },
  )

  test('rule.saysTheState: accept needs no notice on the screen', async () => {
    const { profile } = await bench()
    const settings = { crossSessionInbound: 'accept' }
    const session = await interactive({ profile, pluginDirs: [PLUGIN], settings })
    await waitFor(() => entriesOf(recordOf(profile), session.sessionId(), 'start')[0], {
      what: 'the start entry',
    })
    await session.dialogTakesKeys()
    expect(session.screen().join('\n')).not.toContain('coordination')
  })

  test.each([
    ['hold by the person, accept by the project', { user: 'hold', project: 'accept' }, 'hold'],
    ['accept by the project alone', { project: 'accept' }, 'unset'],
    ['accept by the person, refuse by the folder', { user: 'accept', local: 'refuse' }, 'refuse'],
    ['no value of the host', { user: 'bogus' }, 'unset'],
  ] as const)('rule.readsInbound: %s is read as the host acts on it', async (_, layers, state) => {
    const { profile } = await bench()
    for (const [source, value] of Object.entries(layers))
      profile.writeSettings(source as keyof typeof layers, { crossSessionInbound: value })
    const session = await stream({ profile, pluginDirs: [PLUGIN] })
    await session.ask('hello')
    expect(logOf(session)).toEqual([expect.stringMatching(new RegExp(`^inbound: ${state}\\b`))])
    expect(entriesOf(recordOf(profile), session.sessionId(), 'start')).toMatchObject([{ inbound: state }])
  })
})

describe('the plugin installed from the marketplace', () => {
  test('rule.twoPlugins: both plugins install, and a session then has the tools, the command and the skill', async () => {
    const { profile } = await installed('coordination', 'job-runner')
    const list = await host(profile, 'plugin', 'list')
    expect(list).toContain('coordination@cc-agents')
    expect(list).toContain('job-runner@cc-agents')
    const session = await stream({ profile, allowedTools: [TREE] })
    const init = await initOf(session)
    expect(init.tools).toEqual(expect.arrayContaining([JOIN, TREE]))
    expect(init.slash_commands).toContain('chain')
    expect(init.skills).toContain('coordination:guidance')
    expect((await session.ask(script(call(TREE)))).result).toContain(`top ${session.sessionId()}`)
    expect((await session.ask('/chain')).result).toContain(`top ${session.sessionId()}`)
    expect(entriesOf(recordOf(profile), session.sessionId(), 'start')).toHaveLength(1)
  })

  test('recordDir, recordText: the person sets them when installing', async () => {
    const { profile } = await bench()
    const folder = join(profile.dir, 'elsewhere')
    await host(profile, 'plugin', 'marketplace', 'add', ROOT)
    await host(
      profile,
      ...['plugin', 'install', 'coordination@cc-agents'],
      ...['--config', `recordDir=${folder}`, '--config', 'recordText=metadata'],
    )
    const printed = await print('hello', { profile })
    expect(entriesOf(folder, printed.sessionId, 'start')).toHaveLength(1)
    expect(existsSync(recordOf(profile))).toBe(false)
  })

  test("rule.userScope: a project's settings do not move the record", async () => {
    const { profile } = await installed('coordination')
    const folder = join(profile.dir, 'elsewhere')
    const pluginConfigs = { 'coordination@cc-agents': { options: { recordDir: folder } } }
    for (const source of ['project', 'local'] as const)
      profile.writeSettings(source, { pluginConfigs, env: { XDG_DATA_HOME: folder } })
    const printed = await print('hello', { profile })
    expect(entriesOf(recordOf(profile), printed.sessionId, 'start')).toHaveLength(1)
    expect(existsSync(folder)).toBe(false)
  })

  test('criterion: with only the job runner enabled there is no record folder and no coordination command', async () => {
    const { profile } = await installed('job-runner')
    const session = await stream({ profile })
    expectNothingOf(await initOf(session))
    expect(existsSync(join(profile.data, 'coordination'))).toBe(false)
  })

  test('rule.coordinationOffIsInert: disabled, it leaves no file, no command, no tool and nothing drawn; enabled again, it is back', async () => {
    const { api, profile } = await installed('coordination')
    await host(profile, 'plugin', 'disable', 'coordination@cc-agents')
    profile.writeSettings('local', { crossSessionInbound: 'hold' })
    const session = await stream({ profile })
    expectNothingOf(await initOf(session))
    expect(session.events().filter(event => event.plugin === 'coordination')).toEqual([])
    expect(JSON.stringify(api.requests())).not.toMatch(/chain_join|chain_tree|coordination:guidance/)
    const terminal = await interactive({ profile })
    await terminal.submit('hello there')
    await terminal.waitForScreen(/● ok/)
    expect(terminal.screen().join('\n')).not.toMatch(/coordination|inbound/)
    expect(existsSync(join(profile.data, 'coordination'))).toBe(false)
    await host(profile, 'plugin', 'enable', 'coordination@cc-agents')
    expect((await initOf(await stream({ profile }))).tools).toContain(TREE)
  })

  onlyWhere(isLinux, 'looks into /proc')(
    'criterion: with only coordination enabled, no agent type is added and no process is started',
    async () => {
      const { profile } = await bench()
      const plain = await initOf(await stream({ profile }))
      await host(profile, 'plugin', 'marketplace', 'add', ROOT)
      await host(profile, 'plugin', 'install', 'coordination@cc-agents')
      const probe = probeMod()
      const allowedTools = [TREE, JOIN, 'Bash']
      const session = await stream({ profile, pluginDirs: [probe.dir], allowedTools })
      const init = await initOf(session)
      expect(init.agents).toEqual(plain.agents)
      const parent = await stream({ profile, pluginDirs: [probe.dir] })
      const joining = call(JOIN, { parent: parent.sessionId(), part: 'x' })
      session.send(script(call(TREE), joining, call('Bash', { command: 'sleep 15' })))
      const below = await waitFor(
        () => {
          const found = descendantsOf(session.pid)
          return found.some(one => /sleep 15/.test(one.command)) && found
        },
        { what: 'the process of the Bash tool', seen: () => JSON.stringify(session.events()) },
      )
      expect(below.filter(one => !/sleep 15/.test(one.command))).toEqual([])
      expect(entriesOf(recordOf(profile), session.sessionId(), 'chain')).toHaveLength(1)
      expect(probe.seen('process.run')).toEqual([])
    },
  )

  test('criterion: each agent type of the host still runs, and none of another lane is offered', async () => {
    const { api, profile } = await installed('coordination')
    const start = () => stream({ profile, allowedTools: ['Agent', 'Workflow'] })
    const [spawner, workflower] = [await start(), await start()]
    const { agents } = await initOf(spawner)
    expect(agents).toEqual(expect.arrayContaining(['general-purpose', 'Explore', 'Plan']))
    expect(agents.filter((one: string) => /codex|opencode|coordination|relay/i.test(one))).toEqual([])
    const spawned = agents.map((type: string) =>
      call('Agent', { description: 'd', subagent_type: type, prompt: `agent-of-${type}.` }),
    )
    spawner.send(script(spawned))
    const roles = agents.map((type: string) => {
      const options = JSON.stringify({ agentType: type, phase: 'One' })
      return `await agent(${JSON.stringify(`role-of-${type}.`)}, ${options})`
    })
    const meta = `export const meta = { name: 'all', description: 'all', phases: [{ title: 'One' }] }`
    workflower.send(script(call('Workflow', { script: [meta, ...roles].join('\n') })))
    for (const type of agents)
      for (const by of ['agent-of-', 'role-of-'])
        await waitFor(() => api.requests().find(one => isAskedOf(one.body, `${by}${type}.`)), {
          what: `${by}${type} to ask the API`,
          seen: () => JSON.stringify([spawner, workflower].map(one => one.events().slice(-4))),
        })
    expect(readdirSync(recordOf(profile)).sort()).toEqual(
      [spawner.sessionId(), workflower.sessionId()].sort(),
    )
  })
})

/** Whether the conversation begins with this prompt, as an agent's does. */
function isAskedOf(body: { messages: { role: string; content: unknown }[] }, prompt: string): boolean {
  return JSON.stringify(body.messages[0] ?? '').includes(prompt)
}

/** That a session has nothing of the coordination plugin. */
function expectNothingOf(init: StreamEvent) {
  expect(init.tools.filter((one: string) => /coordination|chain/.test(one))).toEqual([])
  expect(init.slash_commands.filter((one: string) => /coordination|chain/.test(one))).toEqual([])
  expect(init.skills.filter((one: string) => /coordination/.test(one))).toEqual([])
}

test('rule.guidanceShips: the guidance is listed to the model, and read when it is called for', async () => {
  const { api, profile } = await bench()
  const session = await stream({ profile, pluginDirs: [PLUGIN], allowedTools: ['Skill'] })
  await session.ask('hello')
  expect(JSON.stringify(api.requests(session.sessionId())[0]?.body)).toContain('coordination:guidance')
  await session.ask(script(call('Skill', { skill: 'coordination:guidance' })))
  const sent = JSON.stringify(api.requests(session.sessionId()).at(-1)?.body)
  for (const part of [
    'another operating system',
    "the root intent in the person's own words",
    'chain_join',
    'not a report',
  ])
    expect(sent).toContain(part)
})

describe('claude plugin validate', () => {
  test.each(['coordination', 'job-runner'])(
    'plugins/%s passes, for the directory too apart from the icon',
    async name => {
      const { profile } = await bench()
      const dir = join(ROOT, 'plugins', name)
      expect(await host(profile, 'plugin', 'validate', dir)).toMatch(/Validation passed/)
      const strict = await host(profile, 'plugin', 'validate', dir, '--profile', 'directory')
      expect(strict).toMatch(/Validation passed/)
      expect([...strict.matchAll(/\(([A-Z]+_[A-Z_]+)\)/g)].map(found => found[1])).toEqual(['ICON_MISSING'])
      expect(strict).toMatch(/Found 1 plugin directory warning/)
    },
  )

  test('the marketplace passes', async () => {
    const { profile } = await bench()
    expect(await host(profile, 'plugin', 'validate', ROOT)).toMatch(/Validation passed/)
  })
})
