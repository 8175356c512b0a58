import { describe, expect, it } from 'vitest'
import { EvidenceFixture, later, named } from './evidence.ts'

const evidence = () => new EvidenceFixture()
const TEN_MINUTES = 10 * 60_000

describe('the writer of an entry', () => {
  it('that is not there is a problem that names it', () => {
    const here = evidence()
    const file = here.received('T', { id: 'A' })
    const asks = () => here.askEntry(`U/${file.split('/')[1]}`)
    expect(asks).toThrow(expect.objectContaining({ kind: 'not-found', path: `U/${file.split('/')[1]}` }))
    expect(() => here.askEntry('T')).toThrow(expect.objectContaining({ kind: 'not-found', path: 'T' }))
  })

  it('that holds no message is not told', () => {
    const here = evidence()
    const { name } = here.entry({ session_id: 'T' })
    expect(here.askEntry(`T/${name}`)).toEqual({ verdict: 'unknown', evidence: 'none', candidates: [] })
  })

  it.each([
    ['of a received one whose peer the host resolved', { id: 'A' }, 'record'],
    ['of a received one whose peer it did not', { as: 'uds:/run/1.sock' }, 'candidates'],
  ])('%s: evidence %s', (_, from, by) => {
    const here = evidence()
    const sent = here.sent('A', { id: 'T' }, { at: later(-5) })
    const file = here.received('T', from)
    const answer = here.askEntry(file)
    expect([answer.verdict, answer.evidence, named(answer)]).toEqual(['peer', by, [sent]])
  })

  it('of a received one that nothing fits is what the entry says', () => {
    const here = evidence()
    expect(here.askEntry(here.received('T', { as: null }))).toMatchObject({
      verdict: 'peer',
      evidence: 'record',
    })
  })

  it('rule.sentIsAuthority: of a sent one is its session, whatever fits it', () => {
    const here = evidence()
    const file = here.sent('A', { as: 'uds:/run/1.sock' })
    const arrived = here.received('T', { as: 'uds:/run/2.sock' }, { at: later(3) })
    const answer = here.askEntry(file)
    expect([answer.verdict, answer.evidence, named(answer)]).toEqual(['peer', 'record', [arrived]])
  })
})

describe('ruling 7: entries of the other side that fit, never a match', () => {
  it.each([
    [-TEN_MINUTES, true],
    [TEN_MINUTES, true],
    [-TEN_MINUTES - 1, false],
    [TEN_MINUTES + 1, false],
  ])('within ten minutes: %i ms', (ms, fits) => {
    const here = evidence()
    const sent = here.sent('A', { id: 'T' }, { at: later(ms) })
    const received = here.received('T', { id: 'A' })
    expect(named(here.askEntry(received))).toEqual(fits ? [sent] : [])
    expect(named(here.askEntry(sent))).toEqual(fits ? [received] : [])
  })

  const A = 'A'
  const T = 'T'
  const addressed = { sent: { id: T }, received: { id: A } }
  it.each([
    ['addressed to each other', addressed, {}, {}, true],
    ['the sender named another', { ...addressed, sent: { id: 'U' } }, {}, {}, false],
    ['the receiver named another', { ...addressed, received: { id: 'U' } }, {}, {}, false],
    ['neither named an id', { sent: {}, received: {} }, {}, {}, true],
    ['only the sender named one', { sent: { id: T }, received: {} }, {}, {}, true],
    ['it was not queued', addressed, { is_queued: 0 }, {}, false],
    ['the text is kept on one side alone', addressed, {}, { text: null }, true],
    ['the text is kept on neither', addressed, { text: null }, { text: null }, true],
    ['another text', addressed, {}, { text: 'something else' }, false],
  ])('%s', (_, peers, ofSent, ofReceived, fits) => {
    const here = evidence()
    const sent = here.sent(A, peers.sent, ofSent)
    const received = here.received(T, peers.received, ofReceived)
    expect(named(here.askEntry(received))).toEqual(fits ? [sent] : [])
    expect(named(here.askEntry(sent))).toEqual(fits ? [received] : [])
  })

  it('neither its own side nor its own session', () => {
    const here = evidence()
    const sent = here.sent('A', {})
    here.sent('B', {})
    here.received('A', {})
    expect(named(here.askEntry(sent))).toEqual([])
  })

  it('texts that only share a hash do not fit', () => {
    const here = evidence()
    const sent = here.sent('A', { id: 'T' }, { text: '\ud800' })
    here.received('T', { id: 'A' }, { text: '\ud801' })
    expect(named(here.askEntry(sent))).toEqual([])
  })

  it('all that fit, in the order of time', () => {
    const here = evidence()
    const late = here.sent('B', {}, { at: later(2) })
    const early = here.sent('A', {}, { at: later(1) })
    expect(named(here.askEntry(here.received('T', {})))).toEqual([early, late])
  })
})

describe('ruling 7: the host’s id of a sent entry and the receiver’s row', () => {
  const row = { label: 'peer', kind: 'peer', session_id: 'T', msg_id: 'm-1' }
  it.each([
    ['one row', [row], { id: 'T' }, ['/t/1.jsonl']],
    ['to a peer that was not resolved', [row], {}, ['/t/1.jsonl']],
    ['two rows of one session', [row, row], {}, ['/t/1.jsonl', '/t/2.jsonl']],
    ['rows of two sessions', [row, { ...row, session_id: 'U' }], {}, []],
    [
      'rows of two sessions, one of which the host resolved',
      [row, { ...row, session_id: 'U' }],
      { id: 'T' },
      ['/t/1.jsonl'],
    ],
    ['of another session than the host resolved', [{ ...row, session_id: 'U' }], { id: 'T' }, []],
    ['of another id', [{ ...row, msg_id: 'm-10' }], { id: 'T' }, []],
    ['somebody else’s words', [{ ...row, label: 'notice' }], { id: 'T' }, []],
    ['unresolved', [{ ...row, label: 'unresolved' }], { id: 'T' }, []],
  ])('%s', (_, rows, to, transcripts) => {
    const here = evidence()
    const scan = here.scan()
    for (const one of rows) here.found(scan, one)
    const answer = here.askEntry(here.sent('A', to, { msg_id: 'm-1' }))
    expect([answer.verdict, answer.evidence]).toEqual(['peer', transcripts.length > 0 ? 'msgId' : 'record'])
    expect(named(answer)).toEqual(transcripts)
  })

  it('an entry without an id has no row, and neither has a row without one', () => {
    const here = evidence()
    here.found(here.scan(), { ...row, msg_id: null })
    here.found(here.scan(), row)
    expect(here.askEntry(here.sent('A', { id: 'T' }))).toMatchObject({ evidence: 'record', candidates: [] })
  })

  it('a row that is there no more is none', () => {
    const here = evidence()
    here.found(here.scan(), row)
    const answer = here.askEntry(here.sent('A', { id: 'T' }, { msg_id: 'm-1' }), () => false)
    expect([answer.evidence, answer.candidates]).toEqual(['record', []])
  })

  it('an id of any characters', () => {
    const here = evidence()
    here.found(here.scan(), { ...row, msg_id: 'm\0\ud800' })
    expect(here.askEntry(here.sent('A', {}, { msg_id: 'm\0\ud800' })).evidence).toBe('msgId')
  })
})

describe('ruling 7: a received entry and the one row that holds its text', () => {
  const row = { label: 'peer', kind: 'peer', session_id: 'T', msg_id: 'm-1', sender_session_id: 'A' }
  type Rows = (typeof row | { [K in keyof typeof row]: string | null } | object)[]
  it.each<[string, Rows, { id?: string }, boolean]>([
    ['its sender is known by the id', [row], {}, true],
    ['and is the entry’s peer', [row], { id: 'A' }, true],
    ['and is another than the entry’s peer', [row], { id: 'B' }, false],
    ['its sender is not known', [{ ...row, sender_session_id: null }], {}, false],
    ['its sender is not known, the entry’s is', [{ ...row, sender_session_id: null }], { id: 'A' }, false],
    ['two rows', [row, { ...row, msg_id: 'm-2' }], {}, false],
    [
      'two rows, of the entry’s peer and of one that is not known',
      [row, { ...row, msg_id: 'm-2', sender_session_id: null }],
      { id: 'A' },
      false,
    ],
    ['of another session', [{ ...row, session_id: 'U' }], {}, false],
    ['somebody else’s words', [{ ...row, label: 'person' }], {}, false],
    ['ten minutes later', [{ ...row, at: later(TEN_MINUTES) }], {}, true],
    ['ten minutes earlier', [{ ...row, at: later(-TEN_MINUTES) }], {}, true],
    ['longer than ten minutes after', [{ ...row, at: later(TEN_MINUTES + 1) }], {}, false],
    ['longer than ten minutes before', [{ ...row, at: later(-TEN_MINUTES - 1) }], {}, false],
    ['at an unknown time', [{ ...row, at: null }], {}, false],
    ['other words', [{ ...row, words: 'other words' }], {}, false],
  ])('%s', (_, rows, from, isTied) => {
    const here = evidence()
    const scan = here.scan()
    for (const one of rows) here.found(scan, one as typeof row)
    const answer = here.askEntry(here.received('T', from))
    expect([answer.verdict, answer.evidence]).toEqual(['peer', isTied ? 'msgId' : 'record'])
    expect(named(answer)).toEqual(isTied ? ['/t/1.jsonl'] : [])
  })

  it.each([
    ['a second entry with the text near it', 'T', later(TEN_MINUTES), false],
    ['a second entry before it', 'T', later(-TEN_MINUTES), false],
    ['a second entry long after', 'T', later(TEN_MINUTES + 1), true],
    ['a second entry in another session', 'U', later(0), true],
  ])('%s', (_, session, at, isTied) => {
    const here = evidence()
    here.found(here.scan(), row)
    const file = here.received('T', {})
    here.received(session, {}, { at })
    expect(here.askEntry(file).evidence).toBe(isTied ? 'msgId' : 'record')
  })

  it('what the session sent itself is no second entry', () => {
    const here = evidence()
    here.found(here.scan(), row)
    const file = here.received('T', {})
    here.sent('T', { id: 'Z' })
    expect(here.askEntry(file).evidence).toBe('msgId')
  })

  it('by its hash where the text is not kept', () => {
    const here = evidence()
    here.found(here.scan(), row)
    expect(here.askEntry(here.received('T', {}, { text: null })).evidence).toBe('msgId')
  })
})
