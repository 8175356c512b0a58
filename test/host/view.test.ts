import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { arriving, entriesOf, PLUGIN, recordOf } from './support/coordination.ts'
import { messagesApi } from './support/messages-api.ts'
import { call, script, type ToolCall, textSent } from './support/model-script.ts'
import { newProfile } from './support/profile.ts'
import {
  type InteractiveSession,
  interactive,
  print,
  type SessionOptions,
  type StreamSession,
  stream,
} from './support/session.ts'
import { waitFor } from './support/wait-for.ts'

const JOIN = 'mcp__coordination__chain_join'
/** What no part, name or host text holds, so that it can only come from a message. */
const SECRET = 'zebra-text-of-the-message'

/** A profile whose sessions have the plugin and, unless a test says otherwise, take messages. */
async function bench(inbound: string | null = 'accept') {
  const api = await messagesApi()
  const profile = newProfile({ api })
  const common: SessionOptions = {
    profile,
    pluginDirs: [PLUGIN],
    ...(inbound !== null && { settings: { crossSessionInbound: inbound } }),
    allowedTools: [JOIN, 'SendMessage'],
  }
  return {
    api,
    profile,
    record: recordOf(profile),
    common,
    start: (options: Partial<SessionOptions> = {}) => stream({ ...common, ...options }),
    atTerminal: (options: Partial<SessionOptions> = {}) => interactive({ ...common, ...options }),
  }
}

const joinCall = (parent: string, part: string): ToolCall => call(JOIN, { parent, part })
const messageTo = (to: string, message: string) =>
  script(call('SendMessage', { to, summary: 'summary', message }))

/** The texts of the plugin's toasts, status lines or log lines, in order. */
function shown(session: StreamSession, what: 'ui_toast' | 'ui_status' | 'ui_log'): (string | null)[] {
  return session
    .events()
    .filter(event => event.subtype === what && event.plugin === 'coordination')
    .map(event => event.text)
}

/** Waits for so many toasts, which are not in step with the turn that a message begins; gives their texts. */
async function toasts(session: StreamSession, count: number) {
  const enough = () => shown(session, 'ui_toast').length >= count
  await waitFor(enough, { what: `${count} toasts`, seen: () => JSON.stringify(session.events().slice(-5)) })
  return shown(session, 'ui_toast')
}

/** The plugin's line under the prompt; null where it has none. */
function statusIn(lines: string[]): string | null {
  return /^\s+⚠ coordination: (.*)$/m.exec(lines.join('\n'))?.[1] ?? null
}

const waitForStatus = (session: InteractiveSession, status: string | null) =>
  session.waitForScreen(lines => statusIn(lines) === status, `the status ${status}`)

describe('/chain', () => {
  test('criterion: /chain uses no model turn, and its text is not sent with the next request', async () => {
    const { record, api, profile, start } = await bench()
    const [parent, lead] = [await start(), await start()]
    await arriving(record, parent, () => lead.ask(script(joinCall(parent.sessionId(), 'the index'))))
    const before = { all: api.requests().length, other: api.otherRequests.length }
    const files = entriesOf(recordOf(profile), parent.sessionId()).length
    const answer = await parent.ask('/chain')
    expect(answer.result).toContain(`lead ${lead.sessionId()}`)
    expect(answer).toMatchObject({ num_turns: 0 })
    expect({ all: api.requests().length, other: api.otherRequests.length }).toEqual(before)
    expect(entriesOf(recordOf(profile), parent.sessionId())).toHaveLength(files)
    await parent.ask('go on')
    const next = api.requests(parent.sessionId()).at(-1)
    expect(next && textSent(next.body)).toContain('go on')
    expect(next && textSent(next.body)).not.toMatch(/last heard|read from the record|top [0-9a-f]{8}-/)
  })

  test('rule.noModelTurn: claude -p /chain asks the API nothing', async () => {
    const { api, common } = await bench()
    const printed = await print('/chain', common)
    expect(printed).toMatchObject({ code: 0, result: { num_turns: 0, total_cost_usd: 0 } })
    expect(printed.text).toContain(`top ${printed.sessionId}`)
    expect(api.requests()).toEqual([])
  })

  test('commandChain: at a terminal it is listed, draws the tree, asks the API nothing and is not sent later', async () => {
    const { api, atTerminal, start } = await bench()
    const [top, lead] = [await atTerminal(), await start()]
    await lead.ask(script(joinCall(top.sessionId(), 'the index')))
    await waitForStatus(top, 'top: 1 lead')
    await top.waitForScreen(/● ok/)
    top.type('/chain')
    await top.waitForScreen("Show this session's chain")
    top.press('escape')
    for (const _ of '/chain') top.press('backspace')
    await top.waitForScreen(lines => !lines.join('\n').includes("Show this session's chain"))
    const before = api.requests().length
    await top.submit('/chain')
    const lines = await top.waitForScreen(/read from the record/)
    const text = lines.join('\n')
    expect(text).toMatch(new RegExp(`coordination: top ${top.sessionId()} ← this session$`, 'm'))
    expect(text).toMatch(new RegExp(`└─ lead ${lead.sessionId()}( ← this session)? {2}the index$`, 'm'))
    expect(text).toMatch(/last heard \d{4}-\S+Z \(.*\); sent its parent a message since it joined: no/)
    expect(api.requests()).toHaveLength(before)
    await top.submit('go on')
    await waitFor(() => api.requests(top.sessionId()).find(one => textSent(one.body).includes('go on')), {
      what: 'the request with the next prompt',
    })
    const next = api.requests(top.sessionId()).find(one => textSent(one.body).includes('go on'))
    expect(next && textSent(next.body)).not.toMatch(/last heard|read from the record/)
  })

  test('rule.chainCommand: hidden characters, Markdown and HTML in a part are shown and not acted on', async () => {
    const { atTerminal, start } = await bench()
    const [top, lead] = [await atTerminal(), await start()]
    const part = '\u001b[31mred\u202e *star* _low_ `code` <b>bold</b> [a](http://x.test) \u200bend'
    await lead.ask(script(joinCall(top.sessionId(), part)))
    const visible = '\\x1b[31mred\\u{202e} *star* _low_ `code` <b>bold</b> [a](http://x.test) \\u{200b}end'
    await top.waitForScreen(/● ok/)
    await top.submit('/chain')
    const lines = await top.waitForScreen(/read from the record/)
    const head = lines.findIndex(line => line.includes(`lead ${lead.sessionId()}`))
    expect(
      lines
        .slice(head, head + 3)
        .map(line => line.replace(/^[\s│└─]+/, ''))
        .join(' '),
    ).toContain(visible)
    const { result } = await lead.ask('/chain')
    expect(result).not.toMatch(/[\u001b\u202e\u200b]/)
  })
})

test('rule.chainCommand: the mark is "unknown" where the record cannot tell to whom a message went', async () => {
  const { record, profile, start } = await bench()
  const [parent, lead] = [await start(), await start()]
  await arriving(record, parent, () => lead.ask(script(joinCall(parent.sessionId(), 'the index'))))
  const message = messageTo(parent.address(), SECRET)
  rmSync(join(profile.config, 'sessions', `${parent.pid}.json`))
  await lead.ask(message)
  await waitFor(() => entriesOf(record, lead.sessionId(), 'message').length === 2, {
    what: 'the message in the record of the lead',
  })
  expect((await lead.ask('/chain')).result).toMatch(/since it joined: unknown(;|$)/m)
})

describe('the status line', () => {
  test.each(['accept', null])('rule.quietUnlessUseful: a session alone has none with %s', async inbound => {
    const { atTerminal } = await bench(inbound)
    const session = await atTerminal()
    await session.submit('hello there')
    await session.waitForScreen(/● ok/)
    await session.dialogTakesKeys()
    expect(session.screen().join('\n')).not.toContain('⚠')
  })

  test.each(['hold', 'refuse'])('criterion: it carries %s from the first prompt', async inbound => {
    const { api, atTerminal } = await bench(inbound)
    const session = await atTerminal()
    await session.waitForScreen(lines => (statusIn(lines) ?? '').startsWith(`inbound: ${inbound}`))
    expect(api.requests()).toEqual([])
    await session.submit('hello there')
    await session.waitForScreen(/● ok/)
    expect(statusIn(session.screen())).toMatch(new RegExp(`^inbound: ${inbound}( \\(as read at start\\))?$`))
  })

  test('statusLine: top counts its leads', async () => {
    const { atTerminal, start } = await bench()
    const top = await atTerminal()
    const [one, two] = [await start(), await start()]
    await one.ask(script(joinCall(top.sessionId(), 'part one')))
    await waitForStatus(top, 'top: 1 lead')
    await two.ask(script(joinCall(top.sessionId(), 'part two')))
    await waitForStatus(top, 'top: 2 leads')
  })

  test('statusLine: a lead names its parent by the short id, and its part; /clear empties it', async () => {
    const { atTerminal, start } = await bench()
    const [parent, lead] = [await start(), await atTerminal()]
    await lead.submit(script(joinCall(parent.sessionId(), 'the index')))
    await waitForStatus(lead, `lead of ${parent.sessionId().slice(0, 8)}: the index`)
    await lead.waitForScreen(/● done:/)
    await lead.submit('/clear')
    await waitForStatus(lead, null)
  })

  test('statusLine: a lead that is resumed has its place again before any prompt', async () => {
    const { record, api, atTerminal, common, start } = await bench()
    const parent = await start()
    const join = script(joinCall(parent.sessionId(), 'the index'))
    const { sessionId } = await arriving(record, parent, () => print(join, common))
    const before = api.requests(sessionId).length
    const lead = await atTerminal({ resume: sessionId })
    await waitForStatus(lead, `lead of ${parent.sessionId().slice(0, 8)}: the index`)
    expect(api.requests(sessionId)).toHaveLength(before)
  })

  test('rule.quietUnlessUseful: place and inbound state stand side by side', async () => {
    const { atTerminal, start } = await bench()
    const parent = await start()
    const lead = await atTerminal({ settings: { crossSessionInbound: 'hold' } })
    await lead.submit(script(joinCall(parent.sessionId(), 'the index')))
    await lead.waitForScreen(lines =>
      /^lead of [0-9a-f]{8}: the index\W+inbound: hold/.test(statusIn(lines) ?? ''),
    )
  })

  test('criterion: a setting changed in the session is read again with no event, or the old value is labelled as read at start', async () => {
    const { atTerminal, profile } = await bench(null)
    profile.writeSettings('user', { crossSessionInbound: 'hold' })
    const session = await atTerminal()
    await session.waitForScreen(lines => (statusIn(lines) ?? '').startsWith('inbound: hold'))
    profile.writeSettings('user', { crossSessionInbound: 'refuse' })
    await session.waitForScreen(lines => {
      const status = statusIn(lines) ?? ''
      return status.startsWith('inbound: refuse') || /inbound: hold \(as read at start\)/.test(status)
    }, 'the new value, or the old one labelled')
  })

  test('rule.stateIsDated: after a turn that follows the change, the line is right about the changed setting', async () => {
    const { atTerminal, profile } = await bench(null)
    profile.writeSettings('user', { crossSessionInbound: 'hold' })
    const session = await atTerminal()
    await session.waitForScreen(lines => (statusIn(lines) ?? '').startsWith('inbound: hold'))
    profile.writeSettings('user', { crossSessionInbound: 'accept' })
    // The host takes up an edited file within some three seconds.
    await new Promise(resolve => setTimeout(resolve, 4_000))
    await session.submit('hello there')
    await session.waitForScreen(/● ok/)
    await session.waitForScreen(lines => {
      const status = statusIn(lines)
      return status === null || status.includes('as read at start')
    }, 'no state, or one labelled')
  })
})

describe('the toast', () => {
  test("criterion: the parent's toast names the lead's part without the text, and /chain then shows that it has sent a message", async () => {
    const { record, start } = await bench()
    const [parent, lead] = [await start(), await start()]
    await arriving(record, parent, () => lead.ask(script(joinCall(parent.sessionId(), 'the index'))))
    expect((await parent.ask('/chain')).result).toMatch(/since it joined: no(;|$)/m)
    await arriving(record, parent, () => lead.ask(messageTo(parent.address(), SECRET)))
    expect(await toasts(parent, 2)).toEqual(['message from the index', 'message from the index'])
    for (const what of ['ui_toast', 'ui_status', 'ui_log'] as const)
      expect(shown(parent, what).join('\n')).not.toContain(SECRET)
    expect((await parent.ask('/chain')).result).toMatch(
      /last heard \S+ \(.*\); sent its parent a message since it joined: yes(;|$)/m,
    )
  })

  test('rule.arrivalToast: it stands on the screen and not the text; a sender that joined nobody has its short id', async () => {
    const { atTerminal, start } = await bench()
    const receiver = await atTerminal()
    const sender = await start({ name: 'sender' })
    // A message whose text the host shows only after the toast.
    await sender.ask(messageTo(receiver.address(), SECRET))
    const toastIn = (lines: string[]) => lines.filter(line => /[│╭╰].*[│╮╯]\s*$/.test(line)).join('\n')
    const short = sender.sessionId().slice(0, 8)
    // The screen is drawn in pieces: the box is there when all of it is.
    const lines = await receiver.waitForScreen(
      lines => toastIn(lines).includes(`message from ${short}`) && toastIn(lines).includes('coordination'),
      'the toast',
    )
    expect(toastIn(lines)).not.toContain(SECRET)
  })

  test('rule.arrivalToast: a part with hidden characters is escaped', async () => {
    const { record, start } = await bench()
    const [parent, lead] = [await start(), await start()]
    await arriving(record, parent, () => lead.ask(script(joinCall(parent.sessionId(), 'a\u001b[2Jb\u202ec'))))
    expect(await toasts(parent, 1)).toEqual(['message from a\\x1b[2Jb\\u{202e}c'])
    const drawn = await lead.waitForEvent(
      event => event.subtype === 'ui_status' && typeof event.text === 'string',
      'the status line of the lead',
    )
    expect(drawn.text).toBe(`lead of ${parent.sessionId().slice(0, 8)}: a\\x1b[2Jb\\u{202e}c`)
  })

  test('rule.arrivalToast: a message that is held raises it too, without the text', async () => {
    const { profile, start } = await bench(null)
    profile.writeSettings('user', { crossSessionInbound: 'hold' })
    const [receiver, sender] = [await start(), await start()]
    await sender.ask(messageTo(receiver.address(), SECRET))
    expect(await toasts(receiver, 1)).toEqual([`message from ${sender.sessionId().slice(0, 8)}`])
    expect(entriesOf(recordOf(profile), receiver.sessionId(), 'message')).toMatchObject([
      { side: 'received', outcome: 'rejected' },
    ])
  })

  test('rule.arrivalToast: a peer that no registry holds is named as the host gave it', async () => {
    const { record, profile, start } = await bench()
    const [receiver, sender] = [await start(), await start()]
    const address = sender.address()
    const message = messageTo(receiver.address(), SECRET)
    rmSync(join(profile.config, 'sessions', `${sender.pid}.json`))
    await arriving(record, receiver, () => sender.ask(message))
    expect(await toasts(receiver, 1)).toEqual([`message from ${address}`])
  })
})
