import { afterEach, describe, expect, it, vi } from 'vitest'
import { at } from '../support/record-builder.ts'
import { ADDRESS, CWD, type HostSession, hostSession, ID, OTHER, PEER } from './support/host-session.ts'

afterEach(() => {
  vi.useRealTimers()
})

async function started() {
  const host = hostSession()
  host.lists(8103, { sessionId: PEER, name: 'reviewer', messagingSocketPath: ADDRESS.slice(4) })
  await host.start()
  return host
}

const MODEL = { kind: 'model' }
const MOD = { kind: 'plugin', name: 'another' }
const DELIVERED = { isDelivered: true }
const FAILED = { isDelivered: false, reason: 'nobody by that name' }

function turnEnds(host: HostSession) {
  return host.emit('turn.complete', {}, () => ({}))
}

function answered(host: HostSession, to: unknown, message: unknown, answer: object, agentId?: string) {
  const e = { tool: 'SendMessage', to, message, ...(agentId ? { agentId } : {}) }
  return host.emit('tool.call', e, () => answer)
}

describe('rule.everyMessage: what the model sends', () => {
  it('is recorded with the addressee, the text, the time, the peer and the host’s id', async () => {
    const host = await started()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-01T10:00:00.123Z') })
    await host.emit('tool.call', { tool: 'SendMessage', to: 'reviewer', message: ' a\r\n' }, async () => {
      await host.raiseSent('reviewer', ' a\r\n', {}, MODEL)
      vi.setSystemTime(Date.parse('2026-11-01T10:00:09.000Z'))
      return { result: { msg_id: 'm-2' } }
    })
    expect(host.messages()).toEqual([
      {
        ...{ kind: 'message', side: 'sent', sessionId: ID, at: '2026-11-01T10:00:00.123Z', cwd: CWD },
        ...{ peer: { as: 'reviewer', sessionId: PEER }, text: ' a\r\n', isQueued: true, msgId: 'm-2' },
      },
    ])
  })

  it('passes on untouched, and so does what the host answers', async () => {
    const host = await started()
    const e = { to: ADDRESS, text: 'x', origin: MODEL }
    const seen: unknown[] = []
    const below = (answer: unknown) => (one: unknown) => {
      seen.push(one)
      return answer
    }
    expect(await host.emit('session.send', e, below(FAILED))).toBe(FAILED)
    const call = { tool: 'SendMessage', to: ADDRESS, message: 'x' }
    const answer = { result: {} }
    expect(await host.emit('tool.call', call, below(answer))).toBe(answer)
    const spawn = { name: 'wk' }
    expect(await host.emit('agent.spawn', spawn, below(answer))).toBe(answer)
    expect(await host.emit('turn.complete', spawn, below(answer))).toBe(answer)
    expect(await host.emit('session.start', spawn, below(answer))).toBe(answer)
    const start = { session_id: ID, cwd: CWD, source: 'resume' }
    expect(await host.emit('classic.SessionStart', start, below(answer))).toBe(answer)
    expect(seen).toEqual([e, call, spawn, spawn, spawn, start])
  })

  it('names the session that held the name as it was sent, not as it was answered', async () => {
    const host = await started()
    await host.emit('tool.call', { tool: 'SendMessage', to: 'reviewer', message: 'x' }, async () => {
      await host.raiseSent('reviewer', 'x', {}, MODEL)
      host.lists(8103, { sessionId: OTHER, name: 'reviewer' })
      return { result: { msg_id: 'm' } }
    })
    expect(host.messages()).toMatchObject([{ peer: { sessionId: PEER } }])
  })

  it('rule.deliveryResult: what was not queued has the host’s reason, and no session that could be named', async () => {
    const host = await started()
    await host.modelSends('reviewer', 'x', { result: FAILED, answer: { result: {} } })
    expect(host.messages()).toMatchObject([{ isQueued: false, reason: FAILED.reason }])
    expect(host.messages()[0].peer).toEqual({ as: 'reviewer' })
    expect(host.messages()[0]).not.toHaveProperty('msgId')
  })

  it('a queued one has no reason, whatever the host adds', async () => {
    const host = await started()
    await host.modelSends('reviewer', 'x', {
      result: { isDelivered: true, reason: 'why' },
      answer: { result: { msg_id: 'm' } },
    })
    expect(host.messages()[0]).not.toHaveProperty('reason')
  })

  it('is that of the session where one of its agents sends it', async () => {
    const host = await started()
    await host.modelSends('reviewer', 'x', { answer: { result: { msg_id: 'm' } } }, 'a1')
    expect(host.messages()).toMatchObject([{ sessionId: ID, peer: { sessionId: PEER } }])
  })

  it.each([undefined, null, 'text', 7, [], { msg_id: 7 }, { msg_id: null }])(
    'an answer without an id, %j, is a message without one',
    async result => {
      const host = await started()
      await host.modelSends('reviewer', 'x', { answer: { result } })
      expect(host.messages()).toHaveLength(1)
      expect(host.messages()[0]).not.toHaveProperty('msgId')
    },
  )
})

describe('an answer and its message come in either order', () => {
  it.each(['message first', 'answer first'])('%s: one entry, with the id', async order => {
    const host = await started()
    const steps = [
      () => host.raiseSent('reviewer', 'x', {}, MODEL),
      () => answered(host, 'reviewer', 'x', { result: { msg_id: 'm-5' } }),
    ]
    for (const step of order === 'message first' ? steps : steps.toReversed()) await step()
    await turnEnds(host)
    expect(host.messages()).toMatchObject([{ text: 'x', msgId: 'm-5' }])
  })

  it.each(['message first', 'answer first'])(
    '%s: same words to others, or by an agent, are kept apart',
    async order => {
      const host = await started()
      const sendings = [
        ['reviewer', 'x', undefined, 'm-1'],
        ['reviewer', 'y', undefined, 'm-2'],
        [ADDRESS, 'x', undefined, 'm-3'],
        ['reviewer', 'x', 'a1', 'm-4'],
        ['reviewer', 'x', 'a2', 'm-5'],
      ] as const
      vi.useFakeTimers({ toFake: ['Date'] })
      const send = async () => {
        for (const [second, [to, text, agent]] of sendings.entries()) {
          vi.setSystemTime(Date.parse(at(second)))
          await host.raiseSent(to, text, {}, MODEL, agent)
        }
      }
      const answer = async () => {
        for (const [to, text, agent, id] of sendings.toReversed())
          await answered(host, to, text, { result: { msg_id: id } }, agent)
      }
      for (const step of order === 'message first' ? [send, answer] : [answer, send]) await step()
      const found = host.messages().map(one => [one.at, one.peer.as, one.text, one.msgId])
      expect(found.sort()).toEqual(sendings.map(([to, text, , id], second) => [at(second), to, text, id]))
    },
  )

  it('of two alike the first answer belongs to the first message', async () => {
    const host = await started()
    for (const _ of [1, 2]) await host.raiseSent('reviewer', 'x', {}, MODEL)
    for (const id of ['m-1', 'm-2']) await answered(host, 'reviewer', 'x', { result: { msg_id: id } })
    expect(host.messages().map(one => one.msgId)).toEqual(['m-1', 'm-2'])
  })

  it.each([{ deny: 'no' }, { deny: '' }, { isError: true, result: { msg_id: 'm-0' } }])(
    'a call that was not taken, %j, lends its answer to no later message',
    async answer => {
      const host = await started()
      await answered(host, 'reviewer', 'x', answer)
      await host.modelSends('reviewer', 'x', { answer: { result: { msg_id: 'm-1' } } })
      expect(host.messages().map(one => one.msgId)).toEqual(['m-1'])
    },
  )

  it('what no message came for is forgotten when the turn ends', async () => {
    const host = await started()
    await answered(host, 'reviewer', 'x', { result: { msg_id: 'm-0' } })
    await turnEnds(host)
    await host.modelSends('reviewer', 'x', { answer: { result: { msg_id: 'm-1' } } })
    await turnEnds(host)
    expect(host.messages().map(one => one.msgId)).toEqual(['m-1'])
  })

  it('a call without an addressee or a text is none', async () => {
    const host = await started()
    await answered(host, undefined, 'x', { result: {} })
    await answered(host, 'reviewer', { text: 'x' }, { result: {} })
    expect(host.messages()).toEqual([])
    expect(host.logged(/^fault/)).toEqual([])
  })

  it('a message that no answer came for is recorded when the turn ends, once', async () => {
    const host = await started()
    await host.raiseSent('reviewer', 'x', {}, MODEL)
    await host.raiseSent(ADDRESS, 'y', {}, MODEL)
    expect(host.messages()).toEqual([])
    await turnEnds(host)
    await turnEnds(host)
    expect(host.messages()).toMatchObject([
      { text: 'x', isQueued: true, peer: { as: 'reviewer', sessionId: PEER } },
      { text: 'y', isQueued: true },
    ])
  })
})

describe('rule.sessionsOnly: messages of the model to agents of this session', () => {
  it.each([
    ['a pin', { pin: 'a1' }],
    ['a resumed agent', { resumedAgentId: 'a1' }],
    ['the main conversation', { message: 'Message queued for the main conversation.' }],
  ])('the host’s answer tells: %s', async (_, result) => {
    const host = await started()
    await host.modelSends('reviewer', 'x', { answer: { result } })
    await turnEnds(host)
    expect(host.messages()).toEqual([])
  })

  it.each([{ message: 'Sent. Message queued for the main conversation' }, { message: 7 }, {}])(
    'and %j tells nothing',
    async result => {
      const host = await started()
      await host.modelSends('reviewer', 'x', { answer: { result } })
      expect(host.messages()).toHaveLength(1)
    },
  )

  it('an agent’s name and id, once it has begun, and main from the first', async () => {
    const host = await started()
    await host.emit('agent.spawn', { name: 'wk' }, () => ({ agentId: 'a9' }))
    await host.emit('agent.spawn', {}, () => ({ agentId: 'b9' }))
    await host.emit('agent.spawn', { name: 'c9' }, () => undefined)
    await host.emit('agent.spawn', { name: 7 }, () => ({ agentId: 8 }))
    for (const to of ['wk', 'a9', 'b9', 'c9', 'main']) {
      await host.modelSends(to, 'x')
      await host.raiseSent(to, 'y', { result: FAILED }, MODEL)
    }
    await turnEnds(host)
    expect(host.messages()).toEqual([])
    await host.modelSends('wk2', 'x')
    expect(host.messages()).toHaveLength(1)
  })

  it('the host’s id of a message says that it went to a session, whatever its name', async () => {
    const host = await started()
    await host.emit('agent.spawn', { name: 'reviewer' }, () => ({}))
    await host.modelSends('reviewer', 'x', { answer: { result: { msg_id: 'm', pin: 'a1' } } })
    expect(host.messages()).toMatchObject([{ msgId: 'm' }])
  })
})

describe('a message without an answer of the tool, as another mod sends it', () => {
  it.each([
    ['an address', 'uds:/run/9.sock', DELIVERED, true],
    ['a name that the registry holds', 'reviewer', DELIVERED, true],
    ['a name that nobody holds, delivered', 'wk', DELIVERED, false],
    ['a name that nobody holds, not delivered', 'wk', FAILED, true],
    ['an agent’s name, not delivered', 'main', FAILED, false],
    ['an address, not delivered', 'uds:/run/9.sock', FAILED, true],
  ])('%s', async (_, to, result, isRecorded) => {
    for (const origin of [MOD, MODEL]) {
      const host = await started()
      await host.raiseSent(to, 'x', { result }, origin)
      if (origin === MODEL) await turnEnds(host)
      expect(host.messages().map(one => [one.peer.as, one.isQueued])).toEqual(
        isRecorded ? [[to, result.isDelivered]] : [],
      )
    }
  })
})
