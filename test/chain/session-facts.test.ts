import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareEvidence, type Evidence } from '../../src/chain/evidence.ts'
import {
  addEvidence,
  isNewer,
  type Join,
  type SessionFacts,
  sessionFacts,
} from '../../src/chain/session-facts.ts'
import { joinNotice } from '../../src/record/join-notice.ts'
import { digestText } from '../../src/record/text-digest.ts'
import { at } from '../support/record-builder.ts'

let count = 0

function common(second: number) {
  count += 1
  return { name: `${String(count).padStart(6, '0')}.json`, at: at(second), cwd: `/work/${second}` }
}

const start = (second: number, version = '1', inbound = 'accept'): Evidence => {
  return { ...common(second), kind: 'start', host: `host-${version}`, version, inbound }
}
const chain = (second: number, parent: string, part: string, brief?: string | null): Evidence => {
  return { ...common(second), kind: 'chain', parent, part, brief }
}
const received = (second: number): Evidence => ({ ...common(second), kind: 'message', side: 'received' })
const sent = (second: number, peer: string | undefined, text: string, isQueued = true): Evidence => {
  return { ...common(second), kind: 'message', side: 'sent', isQueued, peer: { sessionId: peer }, text }
}

function factsOf(...evidence: Evidence[]): SessionFacts {
  return sessionFacts('lead', evidence) as SessionFacts
}

function joinOf(...evidence: Evidence[]): Join {
  return factsOf(...evidence).join as Join
}

describe('facts of a session', () => {
  it('are none where it has no entries', () => {
    expect(sessionFacts('lead', [])).toBeNull()
  })

  it('hold the first time, and of the latest entry its time, name and working directory', () => {
    const entries = [received(3), start(4), sent(5, 'x', 'hello'), chain(6, 'top', 'part'), received(7)]
    for (let number = 1; number <= entries.length; number++) {
      const last = entries[number - 1] as Evidence
      expect(factsOf(...entries.slice(0, number))).toMatchObject({
        sessionId: 'lead',
        firstHeard: at(3),
        lastHeard: last.at,
        newestName: last.name,
        cwd: last.cwd,
        entries: number,
      })
    }
  })

  it('rule.startEntry: coverage begins at the earliest start, and the latest start is the one shown', () => {
    const facts = factsOf(
      received(1),
      start(2, '1', 'accept'),
      received(3),
      start(4, '2', 'hold'),
      received(5),
    )
    expect(facts.coveredFrom).toBe(at(2))
    expect(facts.latestStart).toEqual({ host: 'host-2', version: '2', inbound: 'hold' })
    expect(factsOf(received(1), chain(2, 'top', 'part'))).toMatchObject({
      coveredFrom: null,
      latestStart: null,
    })
  })

  it('rule.laterJoinReplaces: the latest join counts whole, with nothing of the one before', () => {
    const before = [chain(1, 'one', 'first', 'brief.md'), sent(2, 'one', 'report'), sent(3, undefined, 'x')]
    const later = chain(4, 'two', 'second')
    expect(joinOf(...before)).toMatchObject({ sentToParent: true, sentToUnknown: true, brief: 'brief.md' })
    expect(joinOf(...before, later)).toEqual({
      at: at(4),
      name: later.name,
      parent: 'two',
      part: 'second',
      brief: null,
      noticeSeen: false,
      sentToParent: false,
      sentToUnknown: false,
    })
  })

  it('a brief of null and a missing one are the same', () => {
    expect(joinOf(chain(1, 'top', 'p', null)).brief).toBeNull()
    expect(joinOf(chain(1, 'top', 'p')).brief).toBeNull()
    expect(joinOf(chain(1, 'top', 'p', '')).brief).toBe('')
  })
})

describe('rule.chainCommand: what counts as sent to the parent', () => {
  const notice = joinNotice({ sessionId: 'lead', part: 'part' })
  const nothing = { noticeSeen: false, sentToParent: false, sentToUnknown: false }
  const cases: [string, Evidence[], Partial<Join>][] = [
    ['nothing', [], {}],
    ['a message to the parent', [sent(2, 'top', 'report')], { sentToParent: true }],
    ['one to another session', [sent(2, 'other', 'report')], {}],
    ['one to nobody that is known', [sent(2, undefined, 'report')], { sentToUnknown: true }],
    ['one to the parent that was not queued', [sent(2, 'top', 'report', false)], {}],
    ['one to nobody known that was not queued', [sent(2, undefined, 'report', false)], {}],
    ['a received one', [received(2)], {}],
    ['the notice', [sent(2, 'top', notice)], { noticeSeen: true }],
    [
      'the notice twice',
      [sent(2, 'top', notice), sent(3, 'top', notice)],
      { noticeSeen: true, sentToParent: true },
    ],
    ['the notice to a peer that is not known', [sent(2, undefined, notice)], { noticeSeen: true }],
    ['the notice to another session', [sent(2, 'other', notice)], {}],
    [
      'a notice that was not queued, and one that was',
      [sent(2, 'top', notice, false), sent(3, 'top', notice)],
      { noticeSeen: true },
    ],
    [
      'the notice of another part',
      [sent(2, 'top', joinNotice({ sessionId: 'lead', part: 'p' }))],
      { sentToParent: true },
    ],
    [
      'the notice of another session',
      [sent(2, 'top', joinNotice({ sessionId: 'x', part: 'part' }))],
      { sentToParent: true },
    ],
    [
      'both marks stay once they are set',
      [sent(2, undefined, 'x'), sent(3, 'top', 'y'), sent(4, 'other', 'z'), start(5), received(6)],
      { sentToParent: true, sentToUnknown: true },
    ],
  ]
  it.each(cases)('%s', (_, evidence, marks) => {
    expect(joinOf(start(0), chain(1, 'top', 'part'), ...evidence)).toMatchObject({ ...nothing, ...marks })
  })

  it('a message before the join does not count', () => {
    expect(joinOf(sent(0, 'top', 'hello'), sent(1, undefined, 'x'), chain(2, 'top', 'part'))).toMatchObject(
      nothing,
    )
    expect(factsOf(sent(0, 'top', 'hello')).join).toBeNull()
  })

  it('the hash alone tells the notice in metadata mode', () => {
    const { textSha256 } = digestText(notice)
    const kept: Evidence = {
      ...common(2),
      kind: 'message',
      side: 'sent',
      isQueued: true,
      peer: { sessionId: 'top' },
      textSha256,
    }
    expect(joinOf(chain(1, 'top', 'part'), kept)).toMatchObject({ noticeSeen: true, sentToParent: false })
    expect(joinOf(chain(1, 'top', 'part'), { ...kept, textSha256: 'a'.repeat(64) })).toMatchObject({
      sentToParent: true,
    })
  })
})

describe('the order of entries', () => {
  it('is by time, then by name', () => {
    const later = { at: at(2), name: 'a' }
    expect(compareEvidence({ at: at(1), name: 'b' }, later)).toBeLessThan(0)
    expect(compareEvidence(later, { at: at(1), name: 'b' })).toBeGreaterThan(0)
    expect(compareEvidence({ at: at(1), name: 'a' }, { at: at(1), name: 'b' })).toBeLessThan(0)
    expect(compareEvidence({ at: at(1), name: 'b' }, { at: at(1), name: 'a' })).toBeGreaterThan(0)
    expect(compareEvidence(later, { ...later })).toBe(0)
    // As the index orders them: by their bytes, not by a language.
    expect(compareEvidence({ at: at(2), name: 'Z' }, later)).toBeLessThan(0)
    expect(compareEvidence({ at: at(2), name: '-2' }, { at: at(2), name: '1' })).toBeLessThan(0)
  })

  it('newer is what comes after the newest entry that the facts hold, not that entry itself', () => {
    const first = received(1)
    const facts = factsOf(first, { ...received(5), name: 'm.json' })
    expect(isNewer({ at: at(5), name: 'm.json' }, facts)).toBe(false)
    expect(isNewer({ at: at(5), name: 'n.json' }, facts)).toBe(true)
    expect(isNewer({ at: at(5), name: 'l.json' }, facts)).toBe(false)
    expect(isNewer({ at: at(6), name: 'a.json' }, facts)).toBe(true)
    expect(isNewer({ at: at(4), name: 'z.json' }, facts)).toBe(false)
  })
})

const anyEvidence = fc.oneof(
  fc.constantFrom('1', '2').map(version => start(0, version)),
  fc
    .record({ parent: fc.constantFrom('top', 'other'), part: fc.constantFrom('a', 'b') })
    .map(({ parent, part }) => chain(0, parent, part)),
  fc.constant(0).map(received),
  fc
    .record({
      peer: fc.constantFrom('top', 'other', undefined),
      text: fc.constantFrom(
        'x',
        joinNotice({ sessionId: 'lead', part: 'a' }),
        joinNotice({ sessionId: 'lead', part: 'b' }),
      ),
      isQueued: fc.boolean(),
    })
    .map(({ peer, text, isQueued }) => sent(0, peer, text, isQueued)),
)

it('ruling 3: facts that are published and added to are those of all entries at once, and adding changes none of them', () => {
  fc.assert(
    fc.property(fc.array(anyEvidence, { minLength: 1, maxLength: 12 }), fc.nat(11), (all, cut) => {
      const entries = all.map((one, index) => ({ ...one, at: at(index) }))
      let facts = sessionFacts('lead', entries.slice(0, cut))
      for (const one of entries.slice(cut)) {
        const before = structuredClone(facts)
        const after: SessionFacts = addEvidence('lead', facts, one)
        expect(facts).toEqual(before)
        facts = JSON.parse(JSON.stringify(after)) as SessionFacts
      }
      expect(facts).toEqual(sessionFacts('lead', entries))
    }),
  )
})
