import { describe, expect, it } from 'vitest'
import { digestText } from '../../src/record/text-digest.ts'
import { at, recordBuilder } from '../support/record-builder.ts'
import { ADDRESS, CWD, delivery, hostSession, ID, OTHER, PEER, settled } from './support/host-session.ts'

const PEER_ORIGIN = { kind: 'peer' }

async function started(given: Parameters<typeof hostSession>[0] = {}) {
  const host = hostSession(given)
  await host.start()
  return host
}

const passOn = (e: { text: string }) => ({ text: e.text })

describe('rule.everyMessage: a delivery from another session', () => {
  it('is recorded as it arrived and passes on untouched', async () => {
    const host = await started()
    host.lists(8103, { sessionId: PEER, messagingSocketPath: ADDRESS.slice(4) })
    const text = ' a\r\n</x>\n'
    const e = { origin: { kind: 'peer', plugin: 'coordination' }, text: delivery(text) }
    let seen: unknown
    const result = await host.emit('session.receive', e, one => {
      seen = one
      return passOn(one)
    })
    expect(seen).toBe(e)
    expect(result).toEqual({ text: delivery(text) })
    const [before, after] = delivery(text).split(text) as [string, string]
    expect(host.messages()).toEqual([
      {
        ...{ kind: 'message', side: 'received', sessionId: ID, at: expect.any(String), cwd: CWD },
        ...{ peer: { as: ADDRESS, sessionId: PEER }, envelope: { before, after }, text, outcome: 'queued' },
      },
    ])
  })

  it('rule.metadataOnly: keeps length and hash alone where the person asked for that', async () => {
    const host = await started({ options: { recordText: 'metadata' } })
    await host.emit('session.receive', { origin: PEER_ORIGIN, text: delivery('geheim ä') }, passOn)
    await host.modelSends(ADDRESS, 'auch geheim')
    const [received, sent] = host.messages()
    expect(received).toMatchObject(digestText('geheim ä'))
    expect(sent).toMatchObject(digestText('auch geheim'))
    for (const one of [received, sent]) expect(one).not.toHaveProperty('text')
    expect(JSON.stringify(host.entries())).not.toContain('geheim')
  })

  it.each([
    ['the attribute first', `<cross-session-message from="${ADDRESS}">`, ADDRESS],
    ['behind others', `<cross-session-message x="1" from="${ADDRESS}">`, ADDRESS],
    ['an empty one', '<cross-session-message from="">', ''],
    ['no address', '<cross-session-message from-name="a">', null],
    ['a name that ends so', '<cross-session-message xfrom="a">', null],
    ['other words that hold one', '<cross-session-message from-name="b">\n<x from="a">', null],
  ])('has the address of its envelope, exactly: %s', async (_, head, as) => {
    const host = await started()
    await host.emit(
      'session.receive',
      { origin: PEER_ORIGIN, text: `${head}\nx\n</cross-session-message>` },
      passOn,
    )
    expect(host.messages()).toMatchObject([{ peer: { as }, outcome: 'queued' }])
    expect(host.messages()[0].peer).toEqual({ as })
  })

  it('is read for its sender before it is passed on, since the sender may be gone afterwards', async () => {
    const host = await started()
    host.lists(8103, { sessionId: PEER, messagingSocketPath: ADDRESS.slice(4) })
    await host.emit('session.receive', { origin: PEER_ORIGIN, text: delivery('x') }, one => {
      host.lists(8103, { sessionId: OTHER, messagingSocketPath: ADDRESS.slice(4) })
      return passOn(one)
    })
    expect(host.messages()).toMatchObject([{ peer: { sessionId: PEER } }])
  })
})

describe('rule.sessionsOnly: what is recorded of no session', () => {
  it.each<[string, object]>([
    ['a teammate’s', { origin: { kind: 'peer', teammate: 'researcher', isVerified: true } }],
    ['an unverified teammate’s', { origin: { kind: 'peer', teammate: '', isVerified: false } }],
    ['one to an agent', { origin: PEER_ORIGIN, agentId: 'a1' }],
    ...['coordinator', 'unclassified', 'bridge', 'task-notification', 'scheduled-trigger', 'slack-ping'].map(
      kind => [`kind ${kind}`, { origin: { kind } }] as [string, object],
    ),
    ['peer-send-message', { origin: { kind: 'peer-send-message' } }],
    ['a notice without an envelope', { origin: PEER_ORIGIN, text: '[Cross-session idle notice] x' }],
    ['an agent’s envelope', { origin: PEER_ORIGIN, text: '<agent-message from="a">\nx\n</agent-message>' }],
  ])('%s', async (_, e) => {
    const host = await started()
    const given = { text: delivery('x'), ...e }
    expect(await host.emit('session.receive', given, passOn)).toEqual({ text: given.text })
    await settled()
    expect(host.messages()).toEqual([])
    expect(host.shown.toasts).toEqual([])
  })
})

describe('rule.receiveOutcome', () => {
  it.each([
    ['queued', { text: 'x' }],
    ['queued', { text: '' }],
    ['consumed', { consumed: 'muted' }],
    ['consumed', { consumed: '' }],
    ['unknown', {}],
    ['unknown', undefined],
    ['unknown', null],
    ['unknown', { text: 7 }],
    ['unknown', { consumed: true }],
  ])('is %s where the host answers %j', async (outcome, answer) => {
    const host = await started()
    const e = { origin: PEER_ORIGIN, text: delivery('x') }
    expect(await host.emit('session.receive', e, () => answer)).toBe(answer)
    expect(host.messages()).toMatchObject([{ outcome }])
  })

  it('is rejected where the host holds or refuses it, and the host’s own error goes on', async () => {
    const host = await started()
    const error = new Error('held')
    const e = { origin: PEER_ORIGIN, text: delivery('x') }
    await expect(
      host.emit('session.receive', e, () => {
        throw error
      }),
    ).rejects.toBe(error)
    expect(host.messages()).toMatchObject([{ outcome: 'rejected' }])
  })

  it('an error of what is recorded of no session goes on too', async () => {
    const host = await started()
    const error = new Error('held')
    const throws = () => {
      throw error
    }
    const e = { origin: { kind: 'coordinator' }, text: 'x' }
    await expect(host.emit('session.receive', e, throws)).rejects.toBe(error)
    expect(host.messages()).toEqual([])
  })
})

describe('rule.recordingMayFail: a message goes on', () => {
  it('where nothing is recorded, since the settings cannot be used', async () => {
    const host = await started({ options: { recordDir: 'relative' } })
    const e = { origin: PEER_ORIGIN, text: delivery('x') }
    expect(await host.emit('session.receive', e, passOn)).toEqual({ text: e.text })
    expect(await host.modelSends(ADDRESS, 'y', { answer: { result: { msg_id: 'm' } } })).toEqual({
      result: { msg_id: 'm' },
    })
    await host.emit('turn.complete', {}, () => ({}))
    expect(host.entries()).toEqual([])
    expect(host.logged(/Nothing is recorded/)).toHaveLength(1)
    expect(host.logged(/^fault/)).toEqual([])
  })

  it('where the line cannot be drawn and an entry cannot be made', async () => {
    const host = await started()
    host.$.ui.status = () => {
      throw new Error('no line')
    }
    const { version } = host.$.session
    host.$.session.version = async () => {
      throw new Error('no version')
    }
    await host.emit('classic.SessionStart', { session_id: PEER, cwd: CWD, source: 'clear' }, () => ({}))
    host.$.session.version = version
    const e = { origin: PEER_ORIGIN, text: delivery('x') }
    expect(await host.emit('session.receive', e, passOn)).toEqual({ text: e.text })
    expect(host.logged(/recording is degraded: no version/)).toHaveLength(1)
    expect(host.logged(/^fault/)).toEqual([])
    expect(host.messages(PEER)).toMatchObject([{ text: 'x', missing: 1 }])
  })

  it('is said once when it begins and once when it ends, and coverage begins anew', async () => {
    const host = hostSession()
    const write = host.files.fs.write
    host.files.fs.write = async path => {
      throw new Error(`$.fs.write(${path}) failed: ENOSPC`)
    }
    await host.start()
    for (const text of ['a', 'b'])
      await host.emit('session.receive', { origin: PEER_ORIGIN, text: delivery(text) }, passOn)
    expect(host.logged(/recording is degraded: .*ENOSPC\. Messages go on, unrecorded\./)).toHaveLength(1)
    expect(host.logged(/works again/)).toEqual([])
    host.files.fs.write = write
    for (const text of ['c', 'd'])
      await host.emit('session.receive', { origin: PEER_ORIGIN, text: delivery(text) }, passOn)
    expect(host.logged(/works again/)).toHaveLength(1)
    expect(host.entries().map(one => one.text ?? one.kind)).toEqual(['c', 'start', 'd'])
    host.files.fs.write = async path => {
      throw new Error(`$.fs.write(${path}) failed: ENOSPC`)
    }
    await host.emit('session.receive', { origin: PEER_ORIGIN, text: delivery('e') }, passOn)
    expect(host.logged(/recording is degraded/)).toHaveLength(2)
  })
})

describe('rule.arrivalToast', () => {
  const toastOf = async (
    prepare: (host: ReturnType<typeof hostSession>) => void,
    text = delivery('secret'),
  ) => {
    const host = await started()
    prepare(host)
    await host.emit('session.receive', { origin: PEER_ORIGIN, text }, passOn)
    await settled()
    return host.shown.toasts
  }
  const live = (host: ReturnType<typeof hostSession>) =>
    host.lists(8103, { sessionId: PEER, messagingSocketPath: ADDRESS.slice(4) })

  it('names the part of a sender that is a lead', async () => {
    const toasts = await toastOf(host => {
      live(host)
      recordBuilder(host.recordDir).chain(PEER, OTHER, 'port \u001b the scan', at(0))
    })
    expect(toasts).toEqual(['message from port \\x1b the scan'])
  })

  it('names the short id of one that joined nobody', async () => {
    const toasts = await toastOf(host => {
      live(host)
      recordBuilder(host.recordDir).start(PEER, at(0))
    })
    expect(toasts).toEqual(['message from 0f3a2b1c'])
  })

  it('names the peer as it was given, where the host resolved none', async () => {
    expect(await toastOf(() => {})).toEqual([`message from ${ADDRESS}`])
    expect(await toastOf(() => {}, delivery('secret', 'a\u202eb'))).toEqual(['message from a\\u{202e}b'])
  })

  it('says so where nobody is named', async () => {
    const text = '<cross-session-message x="1">\nsecret\n</cross-session-message>'
    expect(await toastOf(() => {}, text)).toEqual(['message from unknown peer'])
    expect(await toastOf(() => {}, delivery('secret', ''))).toEqual(['message from unknown peer'])
  })

  it('a toast that cannot be shown touches nothing', async () => {
    const toasts = await toastOf(host => {
      host.$.ui.toast = () => {
        throw new Error('no toast')
      }
    })
    expect(toasts).toEqual([])
  })
})
