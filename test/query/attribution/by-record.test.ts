import { describe, expect, it } from 'vitest'
import { EvidenceFixture, later, named, WORDS } from './evidence.ts'

const evidence = () => new EvidenceFixture()

describe('a text that arrived', () => {
  it.each([
    ['queued', 'peer', 'record'],
    ['unknown', 'peer', 'record'],
    ['rejected', 'unknown', 'candidates'],
    ['consumed', 'unknown', 'candidates'],
  ])('rule.receiveOutcome: %s on arrival: %s by %s', (outcome, verdict, by) => {
    const here = evidence()
    const file = here.received('T', { id: 'A' }, { outcome })
    for (const where of [{}, { sessionId: 'T' }]) {
      expect(here.ask(where)).toMatchObject({ verdict, evidence: by })
      expect(named(here.ask(where))).toEqual([file])
    }
  })

  it('one that was rejected takes nothing from one that was queued, and is none of its candidates', () => {
    const here = evidence()
    here.received('T', { id: 'B' }, { outcome: 'rejected' })
    const file = here.received('T', { id: 'A' }, { at: later(1) })
    const answer = here.ask()
    expect([answer.verdict, answer.evidence, named(answer)]).toEqual(['peer', 'record', [file]])
  })

  const A = { as: 'reviewer', id: 'A' }
  it.each([
    ['one party twice', [A, A], 'peer'],
    ['one session under two names', [A, { as: 'tester', id: 'A' }], 'peer'],
    ['one name twice, never resolved', [{ as: 'reviewer' }, { as: 'reviewer' }], 'peer'],
    ['two sessions under one name', [A, { as: 'reviewer', id: 'B' }], 'ambiguous'],
    ['two names', [{ as: 'reviewer' }, { as: 'tester' }], 'ambiguous'],
    ['nobody named, once', [{ as: null }], 'peer'],
    ['nobody named, twice', [{ as: null }, { as: null }], 'ambiguous'],
    ['one named and one not', [{ as: 'reviewer' }, { as: null }], 'ambiguous'],
    ['one not named and one named', [{ as: null }, { as: 'reviewer' }], 'ambiguous'],
    ['the third is another', [A, A, { as: 'reviewer', id: 'B' }], 'ambiguous'],
  ])('rule.peerAsSeen: %s', (_, from, verdict) => {
    const here = evidence()
    const files = from.map((peer, index) => here.received('T', peer, { at: later(index) }))
    const answer = here.ask()
    expect([answer.verdict, answer.evidence]).toEqual([verdict, 'record'])
    expect(named(answer)).toEqual(files)
  })

  it('in another session than the one asked about says nothing of that one', () => {
    const here = evidence()
    here.received('T', { id: 'A' })
    expect(here.ask({ sessionId: 'U' })).toEqual({ verdict: 'unknown', evidence: 'none', candidates: [] })
  })
})

describe('a text that was sent and of which no arrival is known', () => {
  it.each([
    [['A'], 'peer'],
    [['A', 'A'], 'peer'],
    [['A', 'B'], 'ambiguous'],
  ])('rule.sentIsAuthority: by %j: %s', (senders, verdict) => {
    const here = evidence()
    const files = senders.map((sender, index) => here.sent(sender, { id: 'T' }, { at: later(index) }))
    const answer = here.ask()
    expect([answer.verdict, answer.evidence, named(answer)]).toEqual([verdict, 'record', files])
  })

  it('is a candidate for a session that it may have reached, and for one that sent it itself', () => {
    const here = evidence()
    const toIt = here.sent('A', { id: 'T' })
    const toSomebody = here.sent('B', { as: 'uds:/run/1.sock' })
    here.sent('C', { id: 'U' })
    const byIt = here.sent('T', { id: 'U' })
    const answer = here.ask({ sessionId: 'T' })
    expect([answer.verdict, answer.evidence]).toEqual(['unknown', 'candidates'])
    expect(named(answer)).toEqual([toIt, toSomebody, byIt])
  })

  it('beside an arrival that was rejected is no more than a candidate', () => {
    const here = evidence()
    const arrived = here.received('T', { id: 'A' }, { outcome: 'rejected' })
    const sent = here.sent('A', { id: 'T' }, { at: later(-1) })
    const elsewhere = here.sent('B', { id: 'U' }, { at: later(1) })
    const answer = here.ask()
    expect([answer.verdict, answer.evidence]).toEqual(['unknown', 'candidates'])
    expect(named(answer)).toEqual(expect.arrayContaining([arrived]))
    expect(named(answer)).not.toContain(elsewhere)
    expect(named(here.ask({ sessionId: 'T' }))).toEqual([arrived, sent])
  })
})

describe('which entries hold the text', () => {
  it.each([
    [-1, -1, false],
    [0, 0, true],
    [5, 5, true],
    [10, 10, true],
    [11, 11, false],
  ])('a time counts to the millisecond, both ends with it (%i ms)', (ms, _, isIn) => {
    for (const side of ['received', 'sent'] as const) {
      const here = evidence()
      here[side]('T', { id: 'A' }, { at: later(ms) })
      const { candidates } = here.ask({ during: { from: later(0), to: later(10) } })
      expect(candidates.length, side).toBe(isIn ? 1 : 0)
    }
  })

  it('a hash is enough where the text is not kept', () => {
    const here = evidence()
    here.received('T', { id: 'A' }, { text: null })
    expect(here.ask().verdict).toBe('peer')
    expect(here.ask({}, `${WORDS}.`).verdict).toBe('unknown')
  })

  it('rule.verbatim: texts that no UTF-8 can hold share a hash and are not each other', () => {
    const here = evidence()
    here.received('T', { id: 'A' }, { text: 'a \ud800 lone one' })
    expect(here.ask({}, 'a \ud800 lone one').verdict).toBe('peer')
    expect(here.ask({}, 'a \ud801 lone one').verdict).toBe('unknown')
    expect(here.ask({}, 'a \ufffd lone one').verdict).toBe('unknown')
  })

  it('candidates stand in the order of time, then of session and name, with just what an answer shows', () => {
    const here = evidence()
    const third = here.received('S', { as: 'n\0l', id: 'A' }, { at: later(2), msg_id: 'm\0' })
    const second = here.received('U', { id: 'A' }, { at: later(1) })
    const first = here.received('T', { id: 'A' }, { at: later(1) })
    const { candidates } = here.ask()
    expect(named({ candidates })).toEqual([first, second, third])
    expect(candidates[2]).toEqual({
      ...{ file: third, sessionId: 'S', at: later(2), side: 'received' },
      ...{ peer: { as: 'n\0l', sessionId: 'A' }, msgId: 'm\0' },
      ...{ fate: null, fateEvidence: null },
    })
  })
})
