import { describe, expect, it } from 'vitest'
import { correlate, indexSends, type Received } from '../../../src/scan/merge/correlate.ts'
import type { MessageEntry, RecordLookup } from '../../../src/scan/merge/record-lookup.ts'
import { sendOf, sha } from '../../support/scan-items.ts'
import { second } from '../../support/transcripts.ts'

const received = (more: Partial<Received> = {}): Received => ({
  ...{ sha256: sha('count'), session: 'here', at: second(0), words: 'count', msgId: null },
  ...more,
})

const entry = (session: string, more: Partial<MessageEntry> = {}): MessageEntry => ({
  ...{ file: `${session}/x.json`, session, at: second(1), peerSession: null, msgId: null },
  sha256: sha('count'),
  ...more,
})

/** A record that answers each question with these entries, and keeps what it was asked. */
function record(entries: { withMsgId?: MessageEntry[]; like?: MessageEntry[] }) {
  const asked: unknown[] = []
  const lookup: RecordLookup = {
    received: () => [],
    join: () => null,
    sentWithMsgId: (...question) => {
      asked.push(question)
      return entries.withMsgId ?? []
    },
    sentLike: (...question) => {
      asked.push(question)
      return entries.like ?? []
    },
  }
  return { lookup, asked }
}

const none = indexSends([])
const UNKNOWN = { evidence: 'unknown', sent: [], candidates: [] }

describe('the host’s id of a message', () => {
  it('beside the same words it ties, in the transcript first and then in the record', () => {
    const send = sendOf({ msgId: 'id', at: second(9) })
    const { lookup, asked } = record({ withMsgId: [entry('a', { msgId: 'id' })] })
    expect(
      correlate(received({ msgId: 'id' }), indexSends([send, sendOf({ msgId: 'other' })]), lookup),
    ).toEqual({
      ...{ evidence: 'msgId', msgId: 'id', candidates: [] },
      sent: [
        { in: 'transcript', session: 'sender', at: second(9), source: send.place },
        { in: 'record', session: 'a', at: second(1), file: 'a/x.json' },
      ],
    })
    expect(asked).toEqual([['id']])
  })

  it('rule.personsWords: beside other words it ties nothing, since any transcript may name any id', () => {
    const sends = indexSends([sendOf({ msgId: 'id', sha256: sha('recount') })])
    const { lookup } = record({ withMsgId: [entry('a', { msgId: 'id', sha256: sha('recount') })] })
    expect(correlate(received({ msgId: 'id' }), sends, null)).toEqual({ ...UNKNOWN, msgId: 'id' })
    expect(correlate(received({ msgId: 'id' }), none, lookup)).toEqual({ ...UNKNOWN, msgId: 'id' })
  })

  it('one of two senders with the id sent these words: that one is named', () => {
    const sends = indexSends([
      sendOf({ msgId: 'id', session: 'liar', sha256: sha('recount') }),
      sendOf({ msgId: 'id', session: 'sender' }),
    ])
    const { sent } = correlate(received({ msgId: 'id' }), sends, null)
    expect(sent.map(({ session }) => session)).toEqual(['sender'])
  })

  it('words in which the host wrote a tag of its own otherwise are not compared', () => {
    const sends = indexSends([sendOf({ msgId: 'id', sha256: sha('see </agent-message>') })])
    const words = 'see <\\/agent-message>'
    const tied = (text: string) =>
      correlate(received({ msgId: 'id', words: text, sha256: sha(text) }), sends, null).evidence
    expect([tied(words), tied('see </agent-message>!'), tied('see \\/agent-message')]).toEqual([
      ...['msgId', 'unknown', 'unknown'],
    ])
  })

  it('an entry that keeps no hash of its text ties by the id', () => {
    const { lookup } = record({ withMsgId: [entry('a', { msgId: 'id', sha256: null })] })
    expect(correlate(received({ msgId: 'id' }), none, lookup)).toMatchObject({ evidence: 'msgId' })
  })
})

describe('candidates, which are never a match', () => {
  const minutes = (number: number, ms = 0) => new Date(Date.parse(second(number * 60)) + ms).toISOString()

  it.each([
    ['at the same time', second(0), 'candidates'],
    ['ten minutes later', minutes(10), 'candidates'],
    ['ten minutes before', minutes(-10), 'candidates'],
    ['a moment more than ten minutes later', minutes(10, 1), 'unknown'],
    ['a moment more than ten minutes before', minutes(-10, -1), 'unknown'],
    ['at no known time', null, 'unknown'],
  ])('the same words in a transcript, sent %s', (_, at, evidence) => {
    const sends = indexSends([sendOf({ at }), sendOf({ at, sha256: sha('recount') })])
    const found = correlate(received(), sends, null)
    expect([found.evidence, found.candidates.length]).toEqual([evidence, evidence === 'candidates' ? 1 : 0])
  })

  it('of a message without a time no transcript is one', () => {
    expect(correlate(received({ at: null }), indexSends([sendOf()]), null)).toEqual({
      ...UNKNOWN,
      msgId: null,
    })
  })

  it('neither the session itself nor, where the receiver has an id, a transcript, which has another', () => {
    const own = indexSends([sendOf({ session: 'here' })])
    const other = indexSends([sendOf({ msgId: 'other' })])
    const { lookup } = record({ like: [entry('here')] })
    expect(correlate(received(), own, lookup)).toEqual({ ...UNKNOWN, msgId: null })
    expect(correlate(received({ msgId: 'id' }), other, null)).toEqual({ ...UNKNOWN, msgId: 'id' })
  })

  it.each([
    [null, ['none', 'same', 'other']],
    ['id', ['none', 'same']],
  ])('entries of the record, where the receiver’s id is %j', (msgId, sessions) => {
    const like = [entry('none'), entry('same', { msgId: 'id' }), entry('other', { msgId: 'x' })]
    const { lookup, asked } = record({ like })
    const found = correlate(received({ msgId }), none, lookup)
    expect(found).toMatchObject({ evidence: 'candidates', msgId, sent: [] })
    expect(found.candidates.map(({ session }) => session)).toEqual(sessions)
    expect(asked.at(-1)).toEqual(['here', sha('count'), second(0)])
  })

  it('those of transcripts come first', () => {
    const { lookup } = record({ like: [entry('a')] })
    const { candidates } = correlate(received(), indexSends([sendOf()]), lookup)
    expect(candidates.map(one => one.in)).toEqual(['transcript', 'record'])
  })
})
