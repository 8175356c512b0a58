import { describe, expect, it } from 'vitest'
import { EvidenceFixture, later, named, WORDS } from './evidence.ts'

const evidence = () => new EvidenceFixture()
type Row = Parameters<EvidenceFixture['found']>[1]

const person: Row = { label: 'person' }
const launcher: Row = { label: 'launcher' }
const notice: Row = { label: 'notice' }
const unresolved: Row = { label: 'unresolved' }
const peer: Row = { label: 'peer', kind: 'peer' }
const peerOf = (sender_session_id: string): Row => ({ ...peer, msg_id: 'm-1', sender_session_id })

describe('what transcripts alone say of a text', () => {
  it.each<[string, Row[], string, string]>([
    ['nothing', [], 'unknown', 'none'],
    ['the person’s', [person], 'person', 'transcript'],
    ['the person’s, twice', [person, person], 'person', 'transcript'],
    ['a launcher’s', [launcher], 'launcher', 'transcript'],
    ['a notice', [notice], 'notice', 'transcript'],
    ['unresolved', [unresolved], 'unknown', 'transcript'],
    ['two authors', [person, launcher], 'ambiguous', 'transcript'],
    ['the person’s, and one that is not known', [person, unresolved], 'ambiguous', 'transcript'],
    ['a peer’s, whose is not known', [peer], 'peer', 'transcript'],
    ['two of peers that are not known', [peer, peer], 'ambiguous', 'transcript'],
    ['a peer’s that the id names', [peerOf('A')], 'peer', 'msgId'],
    ['two of one sender', [peerOf('A'), peerOf('A')], 'peer', 'msgId'],
    ['two of two senders', [peerOf('A'), peerOf('B')], 'ambiguous', 'msgId'],
    ['one of a sender and one of nobody known', [peerOf('A'), peer], 'ambiguous', 'transcript'],
    ['a peer’s and the person’s', [peerOf('A'), person], 'ambiguous', 'transcript'],
    ['a peer’s and one that is not known', [peerOf('A'), unresolved], 'ambiguous', 'transcript'],
  ])('%s', (_, rows, verdict, by) => {
    const here = evidence()
    const scan = here.scan()
    for (const row of rows) here.found(scan, row)
    const answer = here.ask()
    expect([answer.verdict, answer.evidence]).toEqual([verdict, by])
    expect(named(answer)).toEqual(rows.map((_, index) => `/t/${index + 1}.jsonl`))
  })
})

describe('the record and transcripts together', () => {
  const received = (here: EvidenceFixture, from: { as?: string; id?: string }) => here.received('T', from)
  it.each<[string, { as?: string; id?: string }, Row[], string, string]>([
    ['a peer’s in both', { as: 'x' }, [peer], 'peer', 'record'],
    ['a peer’s in both, and the id names who', { as: 'x' }, [peerOf('A')], 'peer', 'msgId'],
    ['the same sender', { id: 'A' }, [peerOf('A')], 'peer', 'msgId'],
    ['another sender than the entry’s', { id: 'B' }, [peerOf('A')], 'ambiguous', 'msgId'],
    [
      'the person’s in a transcript, a peer’s in the record',
      { id: 'A' },
      [person],
      'ambiguous',
      'transcript',
    ],
    ['not known in the transcript', { id: 'A' }, [unresolved], 'ambiguous', 'transcript'],
    ['nothing in a transcript', { id: 'A' }, [], 'peer', 'record'],
  ])('%s', (_, from, rows, verdict, by) => {
    const here = evidence()
    const file = received(here, from)
    const scan = here.scan()
    for (const row of rows) here.found(scan, row)
    const answer = here.ask()
    expect([answer.verdict, answer.evidence]).toEqual([verdict, by])
    expect(named(answer)).toEqual([file, ...rows.map((_, index) => `/t/${index + 1}.jsonl`)])
  })

  it('two parties in the record stay two, whatever a transcript of one does not say', () => {
    const here = evidence()
    here.received('T', { id: 'A' })
    here.received('T', { id: 'B' }, { at: later(1) })
    here.found(here.scan(), peer)
    expect(here.ask()).toMatchObject({ verdict: 'ambiguous', evidence: 'record' })
  })

  it('whom a sent entry went to speaks against no sender', () => {
    const here = evidence()
    here.sent('A', { id: 'T' })
    here.found(here.scan(), peerOf('A'))
    expect(here.ask()).toMatchObject({ verdict: 'peer', evidence: 'msgId' })
  })

  it('candidates of the record alone make no peer of the person', () => {
    const here = evidence()
    const sent = here.sent('T', { id: 'U' })
    here.found(here.scan(), person)
    const answer = here.ask({ sessionId: 'T' })
    expect([answer.verdict, answer.evidence, named(answer)]).toEqual([
      'person',
      'transcript',
      [sent, '/t/1.jsonl'],
    ])
  })
})

describe('which rows hold the text', () => {
  it('those of the session and of the time asked about, both ends with it', () => {
    const here = evidence()
    const scan = here.scan()
    here.found(scan, { ...person, session_id: 'U' })
    for (const ms of [-1, 0, 10, 11]) here.found(scan, { ...person, at: later(ms) })
    here.found(scan, { ...person, at: null })
    const during = { from: later(0), to: later(10) }
    expect(named(here.ask({ sessionId: 'U' }))).toEqual(['/t/1.jsonl'])
    expect(named(here.ask({ sessionId: 'T', during }))).toEqual(['/t/3.jsonl', '/t/4.jsonl'])
    expect(named(here.ask({ sessionId: 'T' }))).toHaveLength(5)
  })

  it('those with just these words, also where a hash is shared', () => {
    const here = evidence()
    here.found(here.scan(), { ...person, words: '\ud800' })
    expect(here.ask({}, '\ud801').candidates).toEqual([])
    expect(here.ask({}, '\ud800').candidates).toHaveLength(1)
  })

  it('those that still stand there, asked by their place and words', () => {
    const here = evidence()
    const scan = here.scan()
    here.found(scan, { ...person, file: '/t/n\0l.jsonl', line: 7, offset: 70, row: 'u-7' })
    here.found(scan, launcher)
    const asked: unknown[] = []
    const answer = here.ask({}, WORDS, (transcript, words) => {
      asked.push([transcript, words])
      return transcript.line === 7
    })
    expect(asked).toContainEqual([{ file: '/t/n\0l.jsonl', line: 7, offset: 70, row: 'u-7' }, WORDS])
    expect(answer.verdict).toBe('person')
    expect(answer.candidates).toEqual([
      {
        transcript: { file: '/t/n\0l.jsonl', line: 7, offset: 70, row: 'u-7' },
        ...{ sessionId: 'T', at: later(0), label: 'person', confidence: 'high', kind: 'typed' },
        ...{ msgId: null, senderSessionId: null },
      },
    ])
  })

  it('in the order of time, then of file and line', () => {
    const here = evidence()
    const scan = here.scan()
    here.found(scan, { ...person, at: later(1), file: '/t/a', line: 1 })
    here.found(scan, { ...person, file: '/t/b', line: 2 })
    here.found(scan, { ...person, file: '/t/b', line: 1 })
    here.found(scan, { ...person, file: '/t/a', line: 9 })
    const places = here
      .ask()
      .candidates.map(one => 'transcript' in one && [one.transcript.file, one.transcript.line])
    expect(places).toEqual([
      ['/t/a', 9],
      ['/t/b', 1],
      ['/t/b', 2],
      ['/t/a', 1],
    ])
  })
})

describe('one message in several scans', () => {
  const same = { message_id: 'one', file: '/t/one.jsonl', line: 1 }
  const early = { ...same }
  it.each<[string, Row, Row, string[]]>([
    ['says the same', person, person, ['person']],
    ['unresolved by an earlier one', unresolved, person, ['person']],
    ['unresolved by a later one', person, unresolved, ['unresolved', 'person']],
    ['another author', launcher, person, ['person', 'launcher']],
    ['unresolved by a later one, but somebody decided', { ...person, is_decided: 1 }, unresolved, ['person']],
  ])('%s', (_, first, second, labels) => {
    for (const order of ['first', 'last'] as const) {
      const here = evidence()
      const scans =
        order === 'first'
          ? [here.scan(later(1)), here.scan(later(2))]
          : [here.scan(later(2)), here.scan(later(1))].reverse()
      here.found(scans[0] as number, { ...first, ...early })
      here.found(scans[1] as number, { ...second, ...same })
      const answer = here.ask()
      expect(answer.candidates.map(one => 'label' in one && one.label)).toEqual(labels)
    }
  })

  it.each<[string, (string | null)[], string | null]>([
    ['one sender', ['A', 'A'], 'A'],
    ['two senders: neither is believed', ['A', 'B'], null],
    ['a later scan that does not know it', ['A', null], null],
    ['an earlier scan that does not know it', [null, 'A'], 'A'],
  ])('%s', (_, senders, sender) => {
    const here = evidence()
    for (const [index, sender_session_id] of senders.entries())
      here.found(here.scan(later(index)), { ...peer, ...same, sender_session_id })
    const { candidates } = here.ask()
    expect(candidates).toHaveLength(1)
    expect(candidates[0]).toMatchObject({ senderSessionId: sender })
  })
})
