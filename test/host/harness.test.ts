import { describe, expect, test } from 'vitest'
import { openEnvelope } from '../../src/record/envelope.ts'
import { isLinux, onlyWhere } from '../support/only-where.ts'
import { messagesApi } from './support/messages-api.ts'
import { call, script, textSent } from './support/model-script.ts'
import { pluginDir } from './support/plugin-dir.ts'
import { probeMod } from './support/probe-mod.ts'
import { descendantsOf } from './support/processes.ts'
import { newProfile } from './support/profile.ts'
import { interactive, print, stream } from './support/session.ts'
import { waitFor } from './support/wait-for.ts'

/** An API, a home and a probe for one test. */
async function bench() {
  const api = await messagesApi()
  return { api, profile: newProfile({ api }), probe: probeMod() }
}

describe('the harness itself', () => {
  let left: number

  test('a session that cannot start fails with what it printed', async () => {
    const { profile } = await bench()
    const started = stream({ profile, args: ['--no-such-option'] })
    await expect(started).rejects.toThrow(
      /waited for the session to be registered: .*has ended[\s\S]*no-such-option/,
    )
  })

  test('what does not come is named, with what there was instead', async () => {
    const { profile } = await bench()
    const session = await interactive({ profile })
    left = session.pid
    const waiting = session.waitForScreen('no such text', undefined, 100)
    await expect(waiting).rejects.toThrow(/waited for the screen to show no such text[\s\S]*❯/)
  })

  test('a session that a test leaves behind is gone', () => {
    expect(() => process.kill(left, 0)).toThrow('ESRCH')
  })

  test('the API answers what is no stream, and what is no request for a message', async () => {
    const api = await messagesApi()
    const post = async (path: string, body: unknown) => {
      const response = await fetch(`${api.url}${path}`, { method: 'POST', body: JSON.stringify(body) })
      return { status: response.status, body: await response.json() }
    }
    const tools = [{ name: 'Bash' }]
    const asked = {
      model: 'm',
      tools,
      messages: [{ role: 'user', content: script(call('Bash', { command: 'x' })) }],
    }
    expect(await post('/v1/messages?beta=true', asked)).toMatchObject({
      status: 200,
      body: {
        stop_reason: 'tool_use',
        content: [{ type: 'tool_use', name: 'Bash', input: { command: 'x' } }],
      },
    })
    const broken = { ...asked, messages: [{ role: 'user', content: 'CALL {no JSON' }] }
    expect(await post('/v1/messages', broken)).toMatchObject({ status: 400 })
    expect(await post('/v1/messages/count_tokens', {})).toEqual({ status: 200, body: { input_tokens: 10 } })
    expect(api.requests()).toHaveLength(2)
    expect(api.otherRequests).toEqual(['POST /v1/messages/count_tokens'])
  })

  test('two profiles know nothing of each other', async () => {
    const [one, two] = [await bench(), await bench()]
    const session = await stream({ profile: one.profile, name: 'here' })
    expect(one.profile.registered()).toMatchObject([{ pid: session.pid, name: 'here' }])
    const { text } = await print(script(call('SendMessage', { to: 'here', summary: 's', message: 'm' })), {
      profile: two.profile,
    })
    expect(text).toContain("No agent named 'here' is reachable")
  })

  test('a session that ends by itself is no longer registered, a killed one is', async () => {
    const { profile } = await bench()
    const sessions = [await stream({ profile }), await interactive({ profile })]
    const killed = await stream({ profile })
    for (const session of sessions) expect(await session.end()).toBe(0)
    await killed.kill()
    expect(profile.registered().map(one => one.pid)).toEqual([killed.pid])
  })
})

describe('one session', () => {
  test('claude -p answers through the mock', async () => {
    const { api, profile, probe } = await bench()
    const printed = await print('hello there', { profile, pluginDirs: [probe.dir] })
    expect(printed).toMatchObject({ code: 0, text: 'ok' })
    expect(api.requests(printed.sessionId)).toHaveLength(1)
    const [request] = api.requests()
    expect(request && textSent(request.body)).toContain('hello there')
    expect(request?.body.tools?.map(tool => tool.name)).toContain('mcp__probe__note')
    expect(profile.registered()).toEqual([])
  })

  test('a script calls tools one after another and in parallel', async () => {
    const { api, profile, probe } = await bench()
    const note = (text: string) => call('mcp__probe__note', { text })
    const printed = await print(script(note('one'), [note('two'), note('three')]), {
      profile,
      pluginDirs: [probe.dir],
      allowedTools: ['mcp__probe__note'],
    })
    expect(printed.text).toBe('done: noted: two\nnoted: three')
    expect(probe.seen('tool.run').map(one => one.e.text)).toEqual(['one', 'two', 'three'])
    expect(api.requests()).toHaveLength(3)
  })

  test('a command of a mod prints its text with no request to the API', async () => {
    const { api, profile, probe } = await bench()
    const printed = await print('/probe', { profile, pluginDirs: [probe.dir] })
    expect(printed).toMatchObject({ code: 0, text: `probe: probe here: ${printed.sessionId}` })
    expect(api.requests()).toEqual([])
  })

  test('resume goes on under the id, fork under a new one', async () => {
    const { profile, probe } = await bench()
    const options = { profile, pluginDirs: [probe.dir] }
    const first = await print('first', options)
    const resumed = await print('second', { ...options, resume: first.sessionId })
    const forked = await print('third', { ...options, resume: first.sessionId, fork: true })
    expect(resumed.sessionId).toBe(first.sessionId)
    expect(forked.sessionId).not.toBe(first.sessionId)
    expect(probe.seen('classic.SessionStart').map(one => one.e.source)).toEqual(['startup', 'resume', 'fork'])
  })
})

describe('two sessions of one profile', () => {
  async function pair(inbound: 'accept' | 'hold' | 'refuse', source: 'user' | 'flag' = 'flag') {
    const { api, profile, probe } = await bench()
    const pluginDirs = [probe.dir]
    const settings = { crossSessionInbound: inbound }
    if (source === 'user') profile.writeSettings('user', settings)
    const receiver = await stream({
      profile,
      name: 'receiver',
      pluginDirs,
      ...(source === 'flag' && { settings }),
    })
    const sender = await stream({ profile, name: 'sender', pluginDirs })
    const answer = await sender.ask(
      script(call('SendMessage', { to: 'receiver', summary: 'greeting', message: 'hello <&> receiver' })),
    )
    return { api, profile, probe, receiver, sender, answer }
  }

  test('accept: the message arrives in its envelope and begins a turn', async () => {
    const { api, probe, receiver, sender, answer } = await pair('accept')
    const received = await probe.waitForSeen(
      'the delivery in a prompt',
      one => one.event === 'prompt.submit' && one.e.origin?.kind === 'peer',
    )
    await receiver.waitForEvent(event => event.type === 'result', 'the result of the turn it begins')
    expect(answer.result).toContain('msg_id')
    expect(probe.seen('session.send')).toMatchObject([
      {
        sessionId: sender.sessionId(),
        e: { to: 'receiver', text: 'hello <&> receiver', origin: { kind: 'model' } },
        result: { isDelivered: true },
      },
    ])
    const before = `<cross-session-message from="${sender.address()}" from-name="sender" from-mode="prompting">\n`
    const after = '\n</cross-session-message>'
    const text = `${before}hello <&> receiver${after}`
    expect(probe.seen('session.receive')).toMatchObject([
      { sessionId: receiver.sessionId(), e: { text, origin: { kind: 'peer' } }, result: { text } },
    ])
    expect(received).toMatchObject({ sessionId: receiver.sessionId(), e: { text } })
    expect(openEnvelope(text)).toEqual({ text: 'hello <&> receiver', envelope: { before, after } })
    const [request] = api.requests(receiver.sessionId())
    expect(request && textSent(request.body)).toContain(text)
  })

  test('hold: the receiver is asked, and its delivery rejects', async () => {
    const { api, probe, receiver } = await pair('hold', 'user')
    const held = await probe.waitForSeen('the delivery', one => one.event === 'session.receive')
    expect(held.sessionId).toBe(receiver.sessionId())
    expect(held.rejected).toMatch(/the delivery was not queued/)
    expect(probe.seen('session.send')).toMatchObject([{ result: { isDelivered: true } }])
    expect(api.requests(receiver.sessionId())).toEqual([])
  })

  test('refuse: the receiver is not asked; the sender hears of it later', async () => {
    const { api, probe, sender, receiver } = await pair('refuse')
    const notice = await probe.waitForSeen(
      'the notice',
      one => one.event === 'prompt.submit' && /was refused/.test(one.e.text),
    )
    expect(notice).toMatchObject({ sessionId: sender.sessionId(), e: { isMeta: true } })
    expect(probe.seen('session.receive')).toEqual([])
    expect(api.requests(receiver.sessionId())).toEqual([])
  })
})

test('a turn runs on while its answer is kept back; a message is received meanwhile', async () => {
  const { api, profile, probe } = await bench()
  const pluginDirs = [probe.dir]
  const settings = { crossSessionInbound: 'accept' }
  const busy = await stream({ profile, name: 'busy', pluginDirs, settings })
  const sender = await stream({ profile, pluginDirs })
  let goOn = () => {}
  const kept = new Promise<void>(resolve => {
    goOn = resolve
  })
  api.answer = async request => {
    if (request.sessionId === busy.sessionId()) await kept
    return undefined
  }
  const turn = busy.ask('work')
  await waitFor(() => api.requests(busy.sessionId())[0], { what: 'the request of the turn' })
  await sender.ask(script(call('SendMessage', { to: 'busy', summary: 's', message: 'm' })))
  await probe.waitForSeen('the delivery', one => one.event === 'session.receive')
  expect(busy.results()).toEqual([])
  goOn()
  expect((await turn).result).toBe('ok')
})

test('a message of a session without prompts is held; the person at the terminal delivers it', async () => {
  const { profile, probe } = await bench()
  const pluginDirs = [probe.dir]
  const receiver = await interactive({ profile, name: 'receiver', pluginDirs })
  await receiver.waitForScreen('probe of')
  const sender = await stream({ profile, pluginDirs, bypassPermissions: true })
  await sender.ask(script(call('SendMessage', { to: 'receiver', summary: 's', message: 'from bypass' })))
  await receiver.waitForScreen(/Held message from another session[\s\S]*❯ Deny/)
  await receiver.dialogTakesKeys()
  receiver.press('down')
  await receiver.waitForScreen(/❯ Deliver this message/)
  receiver.press('enter')
  const released = await probe.waitForSeen(
    'the released message',
    one => one.event === 'prompt.submit' && one.e.origin?.kind === 'peer',
  )
  expect(released.e.text).toMatch(/from-mode="bypass">\nfrom bypass\n/)
  expect(probe.seen('session.receive')).toMatchObject([{ rejected: expect.any(String) }])
})

describe('agents', () => {
  const note = (text: string) => script(call('mcp__probe__note', { text }))

  test('an agent of the Agent tool calls a tool of a mod, and the call says whose it is', async () => {
    const { profile, probe } = await bench()
    const agent = { description: 'notes', subagent_type: 'general-purpose', prompt: note('from the agent') }
    await print(script(call('mcp__probe__note', { text: 'from the session' }), call('Agent', agent)), {
      profile,
      pluginDirs: [probe.dir],
      allowedTools: ['mcp__probe__note', 'Agent'],
    })
    const [spawned] = probe.seen('agent.spawn')
    const [main, agents] = probe.seen('tool.run')
    expect(main?.e).toMatchObject({ text: 'from the session' })
    expect(main?.e.agentId).toBeUndefined()
    expect(agents?.e).toMatchObject({ text: 'from the agent', agentId: spawned?.result.agentId })
    expect(spawned?.result.agentId).toMatch(/./)
  })

  test('a role of a Workflow calls a tool of a mod', async () => {
    const { profile, probe } = await bench()
    const session = await stream({
      profile,
      pluginDirs: [probe.dir],
      allowedTools: ['mcp__probe__note', 'Workflow'],
    })
    const workflow = `export const meta = { name: 'notes', description: 'notes', phases: [{ title: 'One' }] }
await agent(${JSON.stringify(note('from the role'))}, { label: 'role-one', phase: 'One' })`
    await session.ask(script(call('Workflow', { script: workflow })))
    const run = await probe.waitForSeen('the call of the role', one => one.event === 'tool.run')
    const [spawned] = probe.seen('agent.spawn')
    expect(run.e).toMatchObject({ text: 'from the role', agentId: spawned?.result.agentId })
    expect(spawned?.e).toMatchObject({ workflow: { agentIndex: 1 } })
  })
})

describe('at a terminal', () => {
  test('the status of a mod stands on the screen; /clear gives a new id', async () => {
    const { api, profile, probe } = await bench()
    const session = await interactive({ profile, pluginDirs: [probe.dir], columns: 100, rows: 30 })
    const first = session.sessionId()
    await session.waitForScreen(`probe of ${first}`)
    await session.submit('hello there')
    await session.waitForScreen(/● ok/)
    expect(api.requests(first).length).toBeGreaterThan(0)
    await session.submit('/clear')
    const started = await probe.waitForSeen(
      'the start after /clear',
      one => one.event === 'classic.SessionStart' && one.e.source === 'clear',
    )
    const second = session.sessionId()
    expect(second).not.toBe(first)
    expect(started).toMatchObject({ sessionId: second, e: { session_id: second } })
    expect(
      probe
        .seen()
        .filter(one => /session\.(start|end)$|classic/.test(one.event))
        .map(one => [one.event, one.e.reason ?? one.e.source, one.sessionId === first]),
    ).toEqual([
      ['classic.SessionStart', 'startup', true],
      ['session.start', undefined, true],
      ['classic.SessionEnd', 'clear', true],
      ['session.end', 'clear', true],
      ['classic.SessionStart', 'clear', false],
    ])
    await session.waitForScreen(`probe of ${second}`)
  })

  test('a command of a mod draws its text with no request to the API; the screen can be resized', async () => {
    const { api, profile, probe } = await bench()
    const session = await interactive({ profile, pluginDirs: [probe.dir] })
    await session.waitForScreen('probe of')
    await session.submit('/probe')
    await session.waitForScreen(`probe: probe here: ${session.sessionId()}`)
    session.resize(40, 20)
    await session.waitForScreen(lines => lines.length === 20 && lines.some(line => /probe of.*…$/.test(line)))
    expect(api.requests()).toEqual([])
  })
})

describe('processes that mods start', () => {
  test('the probe sees a process that another mod runs, and whose it is', async () => {
    const { profile, probe } = await bench()
    const runner = pluginDir({
      name: 'runner',
      module: `export function register(on) {
  on('session.start', async ($, e, next) => {
    await $.process.run(['true'])
    return next(e)
  })
}`,
    })
    await print('hello', { profile, pluginDirs: [runner, probe.dir] })
    expect(probe.seen('process.run')).toMatchObject([{ e: { argv: ['true'] }, origin: { plugin: 'runner' } }])
  })

  onlyWhere(isLinux, 'looks into /proc')('a session has no child but that of its own tool', async () => {
    const { profile, probe } = await bench()
    const session = await stream({
      profile,
      pluginDirs: [probe.dir],
      allowedTools: ['mcp__probe__note', 'Bash'],
    })
    // Seen from within the turn, when the mod has been at work and the host's own tool has a process.
    session.send(script(call('mcp__probe__note', { text: 'x' }), call('Bash', { command: 'sleep 20' })))
    const below = await waitFor(
      () => {
        const found = descendantsOf(session.pid)
        return found.some(one => /sleep 20/.test(one.command)) && found
      },
      { what: 'the process of the Bash tool', seen: () => JSON.stringify(session.events()) },
    )
    expect(probe.seen('tool.run')).toHaveLength(1)
    expect(probe.seen('process.run')).toEqual([])
    expect(below.filter(one => !/sleep 20/.test(one.command))).toEqual([])
  })
})
