import { describe, expect, it } from 'vitest'
import { type JoinInput, whyRefused } from '../../src/plugin/join.ts'
import { joinNotice } from '../../src/record/join-notice.ts'
import { at, recordBuilder } from '../support/record-builder.ts'
import {
  ADDRESS,
  CWD,
  type HostSession,
  hostSession,
  ID,
  OTHER,
  PEER,
  settled,
} from './support/host-session.ts'

const CLOUD = 'session_01AbCdEf'
const good = { parent: OTHER, part: 'port the scan', brief: 'docs/brief.md' }

describe('rule.joinRefusals: what chain_join refuses', () => {
  const [g1, g2, g3, g4, g5] = OTHER.split('-') as [string, string, string, string, string]
  it.each([
    ...[1, 7, 8, 9, 13, 18, 23, 35].map(length => OTHER.slice(0, length)),
    ...[OTHER.slice(1), `${OTHER}0`, `0${OTHER}`, OTHER.toUpperCase(), OTHER.replaceAll('-', '')],
    ...[`${g1.slice(1)}-${g2}-${g3}-${g4}-${g5}`, `${g1}-${g2}0-${g3}-${g4}-${g5}`],
    ...[`${g1}-${g2}-${g3.slice(1)}-${g4}-${g5}`, `${g1}-${g2}-${g3}-${g4}0-${g5}`],
    ...[`g${OTHER.slice(1)}`, `${OTHER}\n`, ` ${OTHER}`, `${OTHER} `],
    ...['session_', 'session_0123456', 'session_01AbCd-f', 'session-01AbCdEf', 'Session_01AbCdEf'],
    ...[
      `x${CLOUD}`,
      `${CLOUD}.json`,
      `session_${'a'.repeat(121)}`,
      '../../etc',
      '',
      'top',
      'uds:/run/1.sock',
    ],
    ...[undefined, null, 7, { parent: OTHER }, [OTHER]],
  ])('a parent that is no full id: %j', parent => {
    expect(whyRefused({ ...good, parent }, undefined, ID)).toContain('parent is not a full session id')
  })

  it.each([OTHER, CLOUD, `session_${'a'.repeat(120)}`])('takes the full id %s', parent => {
    expect(whyRefused({ ...good, parent }, undefined, ID)).toBeNull()
  })

  it('the session itself', () => {
    expect(whyRefused({ ...good, parent: ID }, undefined, ID)).toBe('a session cannot be its own parent')
    expect(whyRefused({ ...good, parent: CLOUD }, undefined, CLOUD)).toContain('own parent')
  })

  it.each([undefined, null, 7, '', ' ', '\t\u00a0'])('a part that says nothing: %j', part => {
    expect(whyRefused({ ...good, part }, undefined, ID)).toContain('part is missing')
  })

  it.each(['\n', '\v', '\f', '\r', '\u0085', '\u2028', '\u2029'])('a part with the line break %j', sign => {
    for (const part of [`a${sign}b`, `a${sign}`, `${sign}b`])
      expect(whyRefused({ ...good, part }, undefined, ID)).toContain('more than one line')
  })

  it('a part of more than 200 characters', () => {
    expect(whyRefused({ ...good, part: 'p'.repeat(201) }, undefined, ID)).toContain('longer than 200')
    expect(whyRefused({ ...good, part: 'p'.repeat(200) }, undefined, ID)).toBeNull()
  })

  it.each([null, 7, {}, ['docs/brief.md']])('a brief that is no text: %j', brief => {
    expect(whyRefused({ ...good, brief }, undefined, ID)).toContain('brief must say')
  })

  it('takes a call without a brief', () => {
    expect(whyRefused({ parent: OTHER, part: 'p' }, undefined, ID)).toBeNull()
  })

  it.each([good, {}])('rule.agentsAreNotMembers: an agent, whatever it gives', input => {
    expect(whyRefused(input, 'a1', ID)).toContain('an agent or a Workflow role never joins')
    expect(whyRefused(input, '', ID)).toContain('an agent or a Workflow role never joins')
  })
})

function call(host: HostSession, input: JoinInput & { agentId?: string }) {
  return host.emit('tool.run', { tool: 'mcp__coordination__chain_join', ...input })
}

async function started() {
  const host = hostSession()
  await host.start()
  return host
}

describe('joining', () => {
  it('a refusal writes and sends nothing', async () => {
    const host = await started()
    const before = host.files.calls.length
    expect(await call(host, { ...good, parent: OTHER.slice(0, 8) })).toEqual({
      deny: expect.stringContaining('not a full session id'),
    })
    expect(await call(host, { ...good, agentId: 'a1' })).toEqual({
      deny: expect.stringContaining('an agent'),
    })
    expect(await call(host, { ...good, parent: ID })).toEqual({ deny: expect.stringContaining('own parent') })
    expect(host.files.calls.slice(before)).toEqual([])
    expect(host.entries().map(one => one.kind)).toEqual(['start'])
  })

  it('before the session is known the call is refused', async () => {
    const host = hostSession()
    await host.load()
    expect(await call(host, good)).toEqual({ deny: 'this session is not recorded yet; try again' })
  })

  it('without a record folder the call says why', async () => {
    const host = hostSession({ options: { recordDir: 'relative' } })
    await host.start()
    expect(await call(host, good)).toEqual({
      deny: expect.stringContaining('recordDir is not an absolute path'),
    })
  })

  it('rule.joinTellsParent: writes the join, then sends the notice and records it with the address and the id', async () => {
    const host = await started()
    host.sent = { to: ADDRESS, result: { isDelivered: true }, answer: { result: { msg_id: 'm-7' } } }
    const { result } = await call(host, good)
    await settled()
    const [, chain, notice, ...more] = host.entries()
    const text = joinNotice({ sessionId: ID, part: good.part })
    expect(more).toEqual([])
    expect(chain).toEqual({
      ...{ kind: 'chain', sessionId: ID, at: expect.any(String), cwd: CWD, parent: OTHER },
      ...{ part: good.part, brief: good.brief },
    })
    expect(notice).toEqual({
      ...{ kind: 'message', side: 'sent', sessionId: ID, at: expect.any(String), cwd: CWD, text },
      // The address as the host spelled it; whose it is, the lead was told.
      ...{ peer: { as: ADDRESS, sessionId: OTHER }, isQueued: true, msgId: 'm-7' },
    })
    expect(result.split('\n')).toEqual([
      `Joined as a lead of ${OTHER}. Part: ${good.part}`,
      `This session is ${ID}.`,
      'The notice to the parent was delivered to its inbox: not read. Where the parent holds or refuses it, a delivery notice says so later.',
      'Report to the parent with ordinary messages, to its name or address: SendMessage takes no session id. The host’s registry of this profile does not list it now.',
    ])
    expect(host.shown.status.at(-1)).toBe(`lead of ${OTHER.slice(0, 8)}: ${good.part}`)
  })

  it('says how the parent is reached now, as the host can use it', async () => {
    const host = await started()
    host.lists(8103, { sessionId: OTHER, name: 'pla\u202enner', messagingSocketPath: ADDRESS.slice(4) })
    host.lists(8104, { sessionId: PEER, name: 'twin', messagingSocketPath: '/run/2.sock' })
    const { result } = await call(host, good)
    expect(result).toMatch(
      /and no session id: pla\\u\{202e\}nner or uds:\/run\/cc-socks\/8103\.sock \(as of 2\d{3}-.*Z; chain_tree gives it anew\)\.$/,
    )
    host.lists(8105, { sessionId: OTHER, name: 'again', messagingSocketPath: '/run/3.sock' })
    expect((await call(host, good)).result).toContain('does not list it now')
  })

  it.each(['hold', 'refuse'])(
    'says no more than that it was handed over, to a parent that started with %s',
    async state => {
      const host = await started()
      recordBuilder(host.recordDir).start(OTHER, at(0), { inbound: state })
      const { result } = await call(host, good)
      expect(result).toContain(`whether the parent takes it is not known: its inbound setting was ${state}`)
      expect(result).not.toContain('was delivered')
    },
  )

  it('says of a parent that is not live whether the record knows it', async () => {
    const host = await started()
    host.sent = { result: { isDelivered: false, reason: 'no live session' }, answer: { result: {} } }
    expect((await call(host, good)).result).not.toContain('The record knows it')
    recordBuilder(host.recordDir).start(OTHER, at(0))
    expect((await call(host, good)).result).toContain(`The record knows it: last heard ${at(0)}.`)
  })

  it('leaves the brief out where there is none', async () => {
    const host = await started()
    await call(host, { parent: OTHER, part: 'p' })
    expect(host.entries()[1]).not.toHaveProperty('brief')
  })

  it('a notice that was not delivered is recorded as not queued, and said', async () => {
    const host = await started()
    host.sent = { result: { isDelivered: false, reason: 'nobody there' }, answer: { result: {} } }
    const { result } = await call(host, good)
    expect(result).toContain('The notice to the parent was NOT delivered: nobody there\n')
    expect(host.messages()).toEqual([
      expect.objectContaining({
        isQueued: false,
        reason: 'nobody there',
        peer: { as: OTHER, sessionId: OTHER },
      }),
    ])
    expect(host.messages()[0]).not.toHaveProperty('msgId')
  })

  it('a host that throws in place of an answer is a notice that was not delivered, to the id as given', async () => {
    const host = await started()
    host.sent = { error: new Error('no such call') }
    const { result } = await call(host, good)
    expect(result).toContain('NOT delivered: no such call')
    expect(host.messages()).toMatchObject([
      { isQueued: false, reason: 'no such call', peer: { as: OTHER, sessionId: OTHER } },
    ])
  })

  it('is told where it could not be written', async () => {
    const host = await started()
    host.files.fs.write = async () => {
      throw new Error('EACCES')
    }
    expect((await call(host, good)).result).toContain('the join could not be written')
  })

  it('rule.depthIsShown: says so where the parent is itself a lead, and not where it is a top', async () => {
    const host = await started()
    const record = recordBuilder(host.recordDir)
    record.start(OTHER, at(0))
    expect((await call(host, good)).result).not.toContain('grown a level')
    record.chain(OTHER, PEER, 'above', at(1))
    expect((await call(host, good)).result).toContain(
      `The chain has grown a level: your parent is itself a lead, of ${PEER}.`,
    )
  })

  it('the next message of the same words is one of its own', async () => {
    const host = await started()
    await call(host, good)
    const text = joinNotice({ sessionId: ID, part: good.part })
    await host.modelSends(ADDRESS, text, { answer: { result: { msg_id: 'm-9' } } })
    expect(host.messages().map(one => [one.peer.as, one.msgId])).toEqual([
      [ADDRESS, 'm-1'],
      [ADDRESS, 'm-9'],
    ])
  })

  it('another message that is sent while the notice is on its way is recorded as itself', async () => {
    const host = await started()
    host.lists(8103, { sessionId: PEER, name: 'reviewer', messagingSocketPath: ADDRESS.slice(4) })
    let isFirst = true
    const send = host.$.session.send
    host.$.session.send = (async (...given: Parameters<typeof send>) => {
      if (isFirst) {
        isFirst = false
        await host.modelSends('reviewer', 'meanwhile', { answer: { result: { msg_id: 'm-2' } } })
      }
      return send(...given)
    }) as typeof send
    await call(host, good)
    const shown = host.messages().map(one => [one.text.slice(0, 9), one.peer.as, one.msgId])
    // The notice has the time at which it set out.
    expect(shown.sort()).toEqual([
      ['Session 6', ADDRESS, 'm-1'],
      ['meanwhile', 'reviewer', 'm-2'],
    ])
  })
})
