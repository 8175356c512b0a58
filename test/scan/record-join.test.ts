import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { MessageEntry, RecordLookup } from '../../src/scan/merge/record-lookup.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { claude, codex, messageOf, type Row, scan, second, told, write } from '../support/transcripts.ts'

/** A record of these entries, which answers as the index does. */
function record(entries: {
  received?: (MessageEntry & { text: string })[]
  sent?: (MessageEntry & { text: string; to?: string })[]
  joins?: Record<string, { file: string; parent: string; part: string; brief: string }>
}): RecordLookup {
  const sha = (text: string) => hash('sha256', text)
  const bare = ({ text: _, ...entry }: MessageEntry & { text: string; to?: string }): MessageEntry => entry
  const isNear = (a: string, b: string | null) =>
    b === null || Math.abs(Date.parse(a) - Date.parse(b)) <= 10 * 60_000
  return {
    received: (session, sha256, at) =>
      (entries.received ?? [])
        .filter(one => one.session === session && sha(one.text) === sha256 && isNear(one.at, at))
        .map(bare),
    sentWithMsgId: msgId => (entries.sent ?? []).filter(one => one.msgId === msgId).map(bare),
    sentLike: (session, sha256, at) =>
      (entries.sent ?? [])
        .filter(one => sha(one.text) === sha256 && isNear(one.at, at))
        .filter(one => one.peerSession === null || one.peerSession === session)
        .map(bare),
    join: session => entries.joins?.[session] ?? null,
  }
}

const entry = (session: string, text: string, more: Partial<MessageEntry> = {}) => ({
  ...{ file: `${session}/x.json`, session, at: second(1), peerSession: null, msgId: null, text },
  sha256: hash('sha256', text),
  ...more,
})

function received(text: string, msgId: string | null, more: Row = {}) {
  const s = claude()
  const origin = { kind: 'peer', from: 'uds:/x', body: text, ...(msgId === null ? {} : { msg_id: msgId }) }
  s.user(`Another Claude session sent a message:\n${text}`, {
    ...{ origin, isMeta: true, promptSource: 'system', turnOrigin: 'peer' },
    ...more,
  })
  return s
}

function sender(text: string, msgId: string | undefined, more: Row = {}) {
  const s = claude()
  s.typed('tell it')
  s.call('SendMessage', { to: 'shed-7', summary: 'x', message: text })
  s.result('{"success":true}', {
    toolUseResult: { success: true, ...(msgId === undefined ? {} : { msg_id: msgId }) },
    ...more,
  })
  return s
}

function scanAll(lookup: RecordLookup | null, ...transcripts: { rows: Row[] }[]) {
  const root = tempFolder()
  for (const [at, { rows }] of transcripts.entries()) write(root, `projects/-a/${at}.jsonl`, rows)
  return scan([root], { record: lookup })
}

const correlation = (outcome: ReturnType<typeof scanAll>, words: string) =>
  messageOf(outcome, words).message.evidence.correlation

describe('a received message and its sender (ruling 7)', () => {
  it('the host’s id in both transcripts and in the record: all places are named', () => {
    const from = sender('count', 'id-1')
    const lookup = record({ sent: [entry(from.session, 'count', { msgId: 'id-1' })] })
    const outcome = scanAll(lookup, from, received('count', 'id-1'))
    expect(correlation(outcome, 'count')).toMatchObject({
      ...{ evidence: 'msgId', msgId: 'id-1', candidates: [] },
      sent: [
        { in: 'transcript', session: from.session },
        { in: 'record', session: from.session, file: `${from.session}/x.json` },
      ],
    })
  })

  it('the sender’s transcript is gone: the record’s entry alone has the id', () => {
    const lookup = record({ sent: [entry('gone', 'count', { msgId: 'id-1' })] })
    expect(correlation(scanAll(lookup, received('count', 'id-1')), 'count')).toMatchObject({
      ...{ evidence: 'msgId', sent: [{ in: 'record', session: 'gone' }] },
    })
  })

  it('two peers that send the same text: each received message has its own sender', () => {
    const [a, b] = [sender('count', 'id-a'), sender('count', 'id-b')]
    const outcome = scanAll(null, a, b, received('count', 'id-b'), received('count', 'id-a'))
    const peers = outcome.messages.filter(({ message }) => message.label === 'peer')
    const pairs = peers.map(({ message }) => [
      message.evidence.correlation?.msgId,
      message.evidence.correlation?.sent.map(({ session }) => session),
    ])
    expect(pairs).toEqual([
      ['id-b', [b.session]],
      ['id-a', [a.session]],
    ])
  })

  it('two peers with the same text and no id on the receiver’s side: candidates, and no match', () => {
    const [a, b] = [sender('count', 'id-a'), sender('count', 'id-b')]
    const outcome = scanAll(null, a, b, received('count', null))
    expect(correlation(outcome, 'count')).toMatchObject({ evidence: 'candidates', msgId: null, sent: [] })
    expect(
      correlation(outcome, 'count')
        ?.candidates.map(({ session }) => session)
        .sort(),
    ).toEqual([a.session, b.session].sort())
  })

  it('an id that stands on one side alone: the same text with another id is no candidate', () => {
    const outcome = scanAll(null, sender('count', 'id-a'), received('count', 'id-z'))
    expect(correlation(outcome, 'count')).toEqual({
      evidence: 'unknown',
      msgId: 'id-z',
      sent: [],
      candidates: [],
    })
  })

  it('entries without an id fit by text and time, those with another id do not', () => {
    const lookup = record({
      sent: [
        entry('without', 'count'),
        entry('with another', 'count', { msgId: 'id-y' }),
        entry('too late', 'count', { at: second(100_000) }),
        entry('to another', 'count', { peerSession: 'elsewhere' }),
        entry('other text', 'recount'),
      ],
    })
    const outcome = scanAll(lookup, received('count', 'id-z'))
    expect(correlation(outcome, 'count')).toMatchObject({
      ...{ evidence: 'candidates', sent: [], candidates: [{ in: 'record', session: 'without' }] },
    })
  })

  it('a session is no candidate for what it received itself', () => {
    const to = received('count', null)
    const lookup = record({ sent: [entry(to.session, 'count')] })
    expect(correlation(scanAll(lookup, to), 'count')).toMatchObject({ evidence: 'unknown' })
  })

  it('nothing fits: unknown', () => {
    expect(correlation(scanAll(record({}), received('count', null)), 'count')).toEqual({
      ...{ evidence: 'unknown', msgId: null, sent: [], candidates: [] },
    })
  })

  it('a sender’s transcript without an id, a message of a wrong type, a call that failed', () => {
    const odd = sender('count', undefined)
    odd.call('SendMessage', { to: 'x', message: 7 })
    odd.result('x', { toolUseResult: { msg_id: 'id-z' } })
    odd.call('SendMessage', { to: 'x', message: 'count' })
    odd.result('x', { toolUseResult: { msg_id: 7 } })
    odd.call('Bash', { command: 'x', message: 'count' })
    odd.result('x', { toolUseResult: { msg_id: 'id-z' } })
    const outcome = scanAll(null, odd, received('count', 'id-z'))
    expect(correlation(outcome, 'count')).toMatchObject({ evidence: 'unknown', sent: [] })
  })

  it('a resumed and a copied sender: the same send at each place, and still one received message', () => {
    const from = sender('count', 'id-1')
    const to = received('count', 'id-1')
    const copy = { rows: from.rows.map(row => ({ ...row, sessionId: 'fork' })) }
    const outcome = scanAll(null, from, copy, to, { rows: to.rows })
    expect(correlation(outcome, 'count')).toMatchObject({ evidence: 'msgId' })
    expect(messageOf(outcome, 'count').message.alsoAt).toHaveLength(1)
  })

  it('ids named like what every object has', () => {
    for (const name of ['__proto__', 'constructor']) {
      const from = sender('count', name)
      const outcome = scanAll(null, from, received('count', name))
      expect(correlation(outcome, 'count')).toMatchObject({
        evidence: 'msgId',
        sent: [{ session: from.session }],
      })
    }
  })
})

describe('what the record says of other messages', () => {
  it('an unresolved row that a received entry holds is a peer’s, and says what it was before', () => {
    const s = claude({ version: '1.0.60', entrypoint: undefined })
    s.user('count')
    s.user('something else')
    const lookup = record({ received: [entry(s.session, 'count'), entry('another', 'something else')] })
    const outcome = scanAll(lookup, s)
    expect(told(outcome)).toEqual([
      ['peer', 'medium', 'count'],
      ['unresolved', 'low', 'something else'],
    ])
    expect(messageOf(outcome, 'count').message.evidence).toMatchObject({
      before: { label: 'unresolved', confidence: 'low' },
      record: { received: [`${s.session}/x.json`] },
      correlation: { evidence: 'unknown' },
    })
  })

  it('words that only a queue holds are settled likewise', () => {
    const s = claude()
    s.typed('start')
    s.queue('remove', '<cross-session-message from="x">\ncount\n</cross-session-message>', {
      reason: 'absorbed_mid_turn',
    })
    const outcome = scanAll(record({ received: [entry(s.session, 'count')] }), s)
    expect(messageOf(outcome, 'count').message).toMatchObject({ label: 'peer', confidence: 'medium' })
  })

  it('a row that is the person’s by its fields stays so; the entry is named', () => {
    const s = claude()
    s.typed('count')
    const outcome = scanAll(record({ received: [entry(s.session, 'count')] }), s)
    expect(messageOf(outcome, 'count').message).toMatchObject({
      ...{ label: 'person', confidence: 'high' },
      evidence: { record: { received: [`${s.session}/x.json`] } },
    })
  })

  it('an entry of another time settles nothing', () => {
    const s = claude({ version: '1.0.60', entrypoint: undefined })
    s.user('count')
    const lookup = record({ received: [entry(s.session, 'count', { at: second(100_000) })] })
    expect(told(scanAll(lookup, s))).toEqual([['unresolved', 'low', 'count']])
  })

  it('a launcher’s prompt that carries the brief of the session’s join', () => {
    const s = claude({ entrypoint: 'sdk-cli' })
    s.sdk('You are a lead. Your brief: count the rakes.\nBegin.')
    s.sdk('something else')
    const join = { file: 'x/j.json', parent: 'the-lead', part: 'rakes', brief: 'count the rakes.' }
    const outcome = scanAll(record({ joins: { [s.session]: join } }), s)
    expect(outcome.messages[0]?.message.evidence.record).toEqual({ chain: join })
    expect(messageOf(outcome, 'something else').message.evidence.record).toBeUndefined()
  })

  it('an empty brief is carried by no prompt', () => {
    const s = claude({ entrypoint: 'sdk-cli' })
    s.sdk('go')
    const join = { file: 'x/j.json', parent: 'the-lead', part: 'rakes', brief: '' }
    const outcome = scanAll(record({ joins: { [s.session]: join } }), s)
    expect(outcome.messages[0]?.message.evidence.record).toBeUndefined()
  })

  it('a reviewer’s prompt names the person’s words that it is a copy of', () => {
    const parent = codex()
    parent.event({
      ...{ type: 'item_completed', thread_id: parent.thread },
      item: { type: 'EnteredReviewMode', target: { type: 'custom', instructions: 'check it' } },
    })
    const child = codex({
      ...{ source: { subagent: 'review' }, thread_source: 'subagent', parent_thread_id: parent.thread },
    })
    child.turn(null)
    child.typed('check it')
    const outcome = scanAll(null, parent, child)
    const [person, launcher] = outcome.messages
    expect([person?.message.label, launcher?.message.label]).toEqual(['person', 'launcher'])
    expect(launcher?.message.evidence.copyOf).toBe(person?.message.id)
  })
})
