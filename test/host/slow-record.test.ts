import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { parseEntry } from '../../src/record/entry.ts'
import { onlyWhere } from '../support/only-where.ts'
import { PLUGIN } from './support/coordination.ts'
import { atEnd } from './support/endings.ts'
import { type MessagesApi, messagesApi } from './support/messages-api.ts'
import { call, script, textSent } from './support/model-script.ts'
import { newProfile } from './support/profile.ts'
import {
  interactive,
  print,
  type Session,
  type SessionOptions,
  type StreamSession,
  stream,
} from './support/session.ts'
import { type Disk, type SlowFolder, slowFolder, whyNoSlowFolder } from './support/slow-folder.ts'
import { waitFor } from './support/wait-for.ts'

const JOIN = 'mcp__coordination__chain_join'
const TREE = 'mcp__coordination__chain_tree'

const why = whyNoSlowFolder()
const test = onlyWhere(why === null, why ?? '')

/** A profile whose sessions record on a disk that does as it is told. What a test awaits before it lets the disk go on has waited for no disk. */
async function bench() {
  const api = await messagesApi()
  const disk = await slowFolder()
  const profile = newProfile({ api })
  const options = { recordDir: join(disk.dir, 'record') }
  const common: SessionOptions = {
    profile,
    pluginDirs: [PLUGIN],
    settings: {
      crossSessionInbound: 'accept',
      pluginConfigs: { 'coordination@inline': { options } },
    },
    allowedTools: [JOIN, TREE, 'SendMessage'],
  }
  // Before the session is killed: one that waits for what another session has asked of the disk cannot be.
  const released = <One>(starting: Promise<One>) => starting.finally(() => atEnd(() => disk.set('well')))
  return {
    api,
    disk,
    common,
    start: (name?: string) => released(stream({ ...common, ...(name && { name }) })),
    atTerminal: () => released(interactive(common)),
  }
}

const send = (to: string, message: string) => script(call('SendMessage', { to, summary: 's', message }))

/** Waits until a session's model is asked with a text, which is when a message has reached it. */
function reached(api: MessagesApi, session: Session, text: string) {
  const isThere = () => api.requests(session.sessionId()).some(one => textSent(one.body).includes(text))
  return waitFor(isThere, { what: `the model of ${session.sessionId()} to be asked with ${text}` })
}

/** The entries of a session as they lie behind the disk, each with its number, in the order of these. */
function recorded(disk: SlowFolder, session: Session) {
  const folder = join(disk.behind, 'record', session.sessionId())
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .flatMap(name => {
      const read = parseEntry(readFileSync(join(folder, name), 'utf8'))
      const [, load, number] = /-([0-9a-f]{8})-(\d{6})\.json$/.exec(name) ?? []
      // biome-ignore lint/suspicious/noExplicitAny: tests look into entries of every kind
      return 'entry' in read ? [{ load, number: Number(number), ...(read.entry as any) }] : []
    })
    .sort((one, other) => one.number - other.number)
}

/** Waits until a session's record holds an entry that matches, and gives all. */
async function recordedUntil(
  disk: SlowFolder,
  session: Session,
  matches: (entry: ReturnType<typeof recorded>[number]) => boolean,
) {
  const look = () => {
    const all = recorded(disk, session)
    return all.some(matches) && all
  }
  return waitFor(look, {
    what: 'an entry',
    seen: () => JSON.stringify(recorded(disk, session), null, 1),
  })
}

/** A session without a terminal writes what waits beside the next thing that happens in it. */
async function goesOn(...sessions: StreamSession[]) {
  for (const session of sessions) await session.ask('go on')
}

const texts = (entries: ReturnType<typeof recorded>) => entries.map(one => one.text ?? one.kind)

/** Every number up to the last one is that of an entry, or was counted as missing by the next that there is. */
function expectGapsAreTold(entries: ReturnType<typeof recorded>) {
  expect(new Set(entries.map(one => one.load)).size).toBe(1)
  const before = [0, ...entries.map(one => one.number)]
  expect(entries.map(one => one.missing ?? 0)).toEqual(
    entries.map((one, index) => one.number - (before[index] as number) - 1),
  )
}

/** The texts that the plugin logged in a session, or drew as its status. */
function told(session: StreamSession, what: 'ui_log' | 'ui_status'): string[] {
  return session
    .events()
    .filter(event => event.subtype === what && event.plugin === 'coordination')
    .map(event => event.text ?? '')
}

const DEGRADED = /recording is degraded/
const WELL_AGAIN = /recording works again/

function toldOnce(session: StreamSession, what: RegExp) {
  const lines = () => told(session, 'ui_log').filter(line => what.test(line))
  return waitFor(() => lines().length > 0, {
    what: `${what} to be told`,
    seen: () => told(session, 'ui_log').join('\n'),
  }).then(() => {
    expect(lines()).toHaveLength(1)
    return lines()[0] as string
  })
}

function statusOf(session: StreamSession, matches: (status: string) => boolean, what: string) {
  return waitFor(() => matches(told(session, 'ui_status').at(-1) ?? ''), {
    what: `the status line ${what}`,
    seen: () => told(session, 'ui_status').join('\n'),
  })
}

describe('a disk that hangs', () => {
  test('rule.recordingMayFail: neither start nor sending nor receiving waits for it, and then all is in the record with the time at which it happened', async () => {
    const { api, disk, start } = await bench()
    disk.set('hangs')
    const [receiver, sender] = [await start('receiver'), await start('sender')]
    expect((await sender.ask('hello')).result).toBe('ok')
    const messages = ['first of three', 'second of three', 'third of three']
    for (const message of messages) {
      expect((await sender.ask(send('receiver', message))).result).toMatch(/^done: .*"success":true/)
      await reached(api, receiver, message)
    }
    await disk.isHeld()
    for (const session of [sender, receiver]) {
      expect(recorded(disk, session)).toEqual([])
      await toldOnce(session, DEGRADED)
      await statusOf(session, status => DEGRADED.test(status), 'to say that recording is degraded')
    }
    const wellAt = new Date().toISOString()
    disk.set('well')
    await goesOn(sender, receiver)
    for (const session of [sender, receiver]) {
      const entries = await recordedUntil(disk, session, one => one.text === messages[2])
      expect(texts(entries)).toEqual(['start', ...messages])
      expect(entries.map(one => one.number)).toEqual([1, 2, 3, 4])
      expectGapsAreTold(entries)
      const times = entries.map(one => one.at)
      expect([...times, wellAt]).toEqual([...times, wellAt].sort())
      await toldOnce(session, WELL_AGAIN)
      await statusOf(session, status => !DEGRADED.test(status), 'to say so no more')
      await toldOnce(session, DEGRADED)
    }
  })

  test('rule.recordingMayFail: /chain, chain_tree and chain_join answer with what is known, and say what is not', async () => {
    const { api, disk, start } = await bench()
    const top = await start('top')
    const lead = await start()
    await lead.ask(script(call(JOIN, { parent: top.sessionId(), part: 'the index' })))
    const known = (await lead.ask('/chain')).result
    expect(known).toContain(top.sessionId())
    disk.set('hangs')
    for (const prompt of ['/chain', script(call(TREE))]) {
      const { result } = await lead.ask(prompt)
      expect(result).toContain(`top ${top.sessionId()}`)
      expect(result).toContain('the index')
      expect(result).toMatch(/has not answered/)
    }
    const late = await start()
    const unknown = (await late.ask('/chain')).result
    expect(unknown).toContain(late.sessionId())
    expect(unknown).toMatch(/has not answered/)
    const joined = (await late.ask(script(call(JOIN, { parent: top.sessionId(), part: 'came late' })))).result
    expect(joined).toMatch(/Recording is degraded/)
    await reached(api, top, 'came late')
    await disk.isHeld()
    expect(recorded(disk, late)).toEqual([])
    disk.set('well')
    await goesOn(late)
    const entries = await recordedUntil(disk, late, one => one.kind === 'message')
    expect(entries.map(one => one.side ?? one.kind)).toEqual(['start', 'chain', 'sent'])
    expectGapsAreTold(entries)
    const whole = (await late.ask('/chain')).result
    expect(whole).toContain('came late')
    expect(whole).not.toMatch(/has not answered|degraded/)
  })

  test('rule.recordingMayFail: a person at a terminal gets the answers, and sees that recording is degraded while it is', async () => {
    const { disk, atTerminal } = await bench()
    disk.set('hangs')
    const session = await atTerminal()
    await session.submit('hello there')
    await session.waitForScreen(/● ok/)
    await session.waitForScreen(lines => DEGRADED.test(statusIn(lines)), 'a status line that says so')
    await session.waitForScreen(/● coordination: recording is degraded/)
    await session.idle()
    await session.submit('/chain')
    const lines = await session.waitForScreen(/has not answered/)
    expect(lines.join('\n')).toContain(session.sessionId())
    expect(told(lines, '● coordination: recording is degraded')).toBe(1)
    await disk.isHeld()
    expect(recorded(disk, session)).toEqual([])
    disk.set('well')
    await session.waitForScreen(/● coordination: recording works again/)
    await session.waitForScreen(lines => !DEGRADED.test(statusIn(lines)), 'no such status line')
    expect(texts(await recordedUntil(disk, session, one => one.kind === 'start'))).toEqual(['start'])
    function told(lines: string[], text: string) {
      return lines.filter(line => line.includes(text)).length
    }
  })
})

/** The plugin's line under the prompt; empty where it has none. */
function statusIn(lines: string[]): string {
  return /^\s+⚠ coordination: (.*)$/m.exec(lines.join('\n'))?.[1] ?? ''
}

describe('claude -p on a disk that does not do as it should', () => {
  test.each<Disk>(['hangs', 'takes 1', 'takes 0.2', 'ENOSPC', 'EROFS', 'ENOENT', 'ENOTCONN'])(
    'rule.recordingMayFail: %s: it answers and ends by itself',
    async state => {
      const { disk, common } = await bench()
      disk.set(state)
      const { text, code } = await print('hi', common)
      expect([text, code]).toEqual(['ok', 0])
      if (state === 'hangs') await disk.isHeld()
    },
  )
})

describe('a disk that takes nothing', () => {
  test('rule.recordingMayFail: messages go on, the session is told with the system’s reason, and what comes later says how many are missing', async () => {
    const { api, disk, start } = await bench()
    const [receiver, sender] = [await start('receiver'), await start('sender')]
    const pass = async (message: string) => {
      await sender.ask(send('receiver', message))
      await reached(api, receiver, message)
    }
    for (const session of [receiver, sender]) await recordedUntil(disk, session, one => one.kind === 'start')
    const faults: Disk[] = ['ENOSPC', 'EROFS', 'ENOENT', 'ENOTCONN']
    for (const fault of faults) {
      disk.set(fault)
      await pass(`one on ${fault}`)
      for (const session of [receiver, sender]) {
        expect(await toldOnce(session, new RegExp(`${DEGRADED.source}.*${fault}`))).toMatch(DEGRADED)
        await statusOf(session, status => DEGRADED.test(status), 'to say that recording is degraded')
      }
      await pass(`two on ${fault}`)
      disk.set('well')
      await pass(`after ${fault}`)
      await goesOn(sender, receiver)
      for (const session of [receiver, sender]) {
        await recordedUntil(disk, session, one => one.text === `after ${fault}`)
        await statusOf(session, status => !DEGRADED.test(status), 'to say so no more')
      }
    }
    for (const session of [receiver, sender]) {
      const entries = recorded(disk, session)
      expectGapsAreTold(entries)
      // The second of two is written where the disk works again before it is its turn.
      const there = texts(entries).filter(text => !text.startsWith('two'))
      expect(there).toEqual(['start', ...faults.map(fault => `after ${fault}`)])
    }
  })

  test.each<Disk>(['ENOSPC', 'EROFS', 'ENOENT', 'ENOTCONN'])(
    'rule.recordingMayFail: %s at start: the session answers, and has a start entry once one can be written',
    async fault => {
      const { disk, start } = await bench()
      disk.set(fault)
      const session = await start()
      expect((await session.ask('hello')).result).toBe('ok')
      expect(await toldOnce(session, DEGRADED)).toContain(fault)
      expect(recorded(disk, session)).toEqual([])
      disk.set('well')
      await session.ask(send('nobody-here', 'lost'))
      await recordedUntil(disk, session, one => one.kind === 'start')
      const entries = await recordedUntil(disk, session, one => one.text === 'lost')
      expect(texts(entries).sort()).toEqual(['lost', 'start'])
      expectGapsAreTold(entries)
      expect(entries[0]).toHaveProperty('missing')
    },
  )
})

test('rule.recordingMayFail: on a disk that is slow messages arrive, and all of them are in the record, in order', async () => {
  const { api, disk, start } = await bench()
  const [receiver, sender] = [await start('receiver'), await start('sender')]
  const messages: string[] = []
  for (const state of ['takes 0.2', 'takes 1'] as const) {
    disk.set(state)
    for (const which of ['one', 'two']) {
      const message = `${which} while it ${state}`
      messages.push(message)
      await sender.ask(send('receiver', message))
      await reached(api, receiver, message)
    }
  }
  const sentAt = new Date().toISOString()
  disk.set('well')
  await goesOn(sender, receiver)
  for (const session of [receiver, sender]) {
    const entries = await recordedUntil(disk, session, one => one.text === messages.at(-1))
    expect(texts(entries)).toEqual(['start', ...messages])
    expectGapsAreTold(entries)
    const times = entries.map(one => one.at)
    expect([...times, sentAt]).toEqual([...times, sentAt].sort())
  }
})
