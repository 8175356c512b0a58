import { describe, expect, it } from 'vitest'
import type { Found } from '../../../src/scan/extract/found.ts'
import { indexSends } from '../../../src/scan/merge/correlate.ts'
import type { Group } from '../../../src/scan/merge/group-items.ts'
import type { Item } from '../../../src/scan/merge/item.ts'
import type { RecordLookup } from '../../../src/scan/merge/record-lookup.ts'
import { spotReader } from '../../../src/scan/merge/spot-reader.ts'
import { type Telling, tellMessage } from '../../../src/scan/merge/tell-message.ts'
import type { Trace } from '../../../src/scan/message.ts'
import { foundOf, itemOf, placeOf, sendOf, sha, traceOf } from '../../support/scan-items.ts'
import { second } from '../../support/transcripts.ts'

/** An item whose words, fields and trace hold only while nothing follows. */
function item(more: Partial<Item> & { found?: Partial<Found>; followed?: Trace } = {}): Item {
  const { found = {}, followed, ...own } = more
  const provisional = foundOf({ words: 'count', ...found })
  return itemOf({
    ...{ provisional, sha256: sha(provisional.words), trace: followed ? { provisional: followed } : null },
    ...own,
  })
}

const groupOf = (first: Item, more: Partial<Group> = {}): Group => ({
  first,
  others: [],
  decides: first,
  ...more,
})

function tell(group: Group, more: Partial<Telling> = {}) {
  return tellMessage(group, {
    ...{ spots: spotReader(), sends: indexSends([]), record: null },
    ...{ listed: () => [], personsWords: () => null, ...more },
  })
}

const record = (more: Partial<RecordLookup>): RecordLookup => ({
  ...{ received: () => [], sentWithMsgId: () => [], sentLike: () => [], join: () => null },
  ...more,
})
const received = record({
  received: () => [
    { file: 'x/1.json', session: 's', at: second(0), peerSession: null, msgId: null, sha256: null },
  ],
})

describe('a message out of its places', () => {
  it('has the words and the place of the first, the label and the fields of the one that decides', () => {
    const first = item({ id: 'first', label: 'person', kind: 'typed', found: { fields: { a: 1 } } })
    const decides = item({
      ...{ label: 'notice', confidence: 'medium', kind: 'meta', session: 'other', cwd: null, at: null },
      ...{ place: placeOf({ line: 2 }), found: { words: 'other', fields: { b: 2 } } },
    })
    expect(tell(groupOf(first, { others: [decides], decides })).message).toEqual({
      ...{ id: 'first', label: 'notice', confidence: 'medium', kind: 'meta', words: 'count' },
      ...{ sha256: sha('count'), product: 'claude-code', session: 's', at: second(0) },
      ...{ cwd: '/home/dev/shed', source: placeOf(), alsoAt: [placeOf({ line: 2 })] },
      evidence: { fields: { b: 2 } },
    })
  })

  it('names its other places: those of the first row, then by file and place those of other rows and of lists', () => {
    const at = (file: string, offset: number) => placeOf({ file, offset })
    const first = item({ also: [at('/z', 9)] })
    const others = [item({ place: at('/c', 1), also: [at('/c', 5)] }), item({ place: at('/b', 2) })]
    const listed = [item({ place: at('/b', 1), also: [at('/b', 7)] })]
    const { message } = tell(groupOf(first, { others }), { listed: () => listed })
    expect(message.alsoAt.map(({ file, offset }) => `${file} ${offset}`)).toEqual([
      ...['/z 9', '/b 1', '/b 7', '/b 2', '/c 1', '/c 5'],
    ])
  })
})

describe('rule.personsWords: what settles a message that its row does not', () => {
  const unresolved = (saysNothing: boolean) =>
    groupOf(item({ label: 'unresolved', confidence: 'low', saysNothing, found: { msgId: 'id' } }))
  const list = { listed: () => [item()] }

  it.each<[string, Group, Partial<Telling>, [string, string, string | undefined]]>([
    ['nothing', unresolved(true), {}, ['unresolved', 'low', undefined]],
    [
      'a list, where the row says nothing',
      unresolved(true),
      list,
      ['person', 'medium', 'the list of prompts'],
    ],
    ['no list, where the row speaks for two', unresolved(false), list, ['unresolved', 'low', undefined]],
    ['a received entry', unresolved(false), { record: received }, ['peer', 'medium', 'a received entry']],
    [
      'a received entry more than a list',
      unresolved(true),
      { ...list, record: received },
      ['peer', 'medium', 'a received entry'],
    ],
    ['nothing else of the person’s', groupOf(item()), { record: received }, ['person', 'high', undefined]],
    [
      'nothing of a notice',
      groupOf(item({ label: 'notice' })),
      { ...list, record: received },
      ['notice', 'high', undefined],
    ],
  ])('%s', (_, group, telling, expected) => {
    const { label, confidence, evidence } = tell(group, telling).message
    const because = evidence.before?.because
    expect([label, confidence, because?.slice(0, expected[2]?.length)]).toEqual(expected)
    if (because !== undefined)
      expect(evidence.before).toMatchObject({ label: 'unresolved', confidence: 'low' })
    expect(evidence.record).toEqual(telling.record ? { received: ['x/1.json'] } : undefined)
  })

  it('the record is asked of the session, the words and the time of the first place', () => {
    const asked: unknown[] = []
    const lookup = record({
      received: (...question) => {
        asked.push(question)
        return []
      },
    })
    const other = item({ session: 'other', at: second(5), found: { words: 'other' } })
    tell(groupOf(item(), { others: [other], decides: other }), { record: lookup })
    expect(asked).toEqual([['s', sha('count'), second(0)]])
  })

  it.each<[string, Partial<Item>, RecordLookup | null, boolean]>([
    ['a peer’s', { label: 'peer' }, null, true],
    ['what a received entry makes a peer’s', { label: 'unresolved' }, received, true],
    ['what is unresolved', { label: 'unresolved' }, record({}), false],
    ['the person’s', { label: 'person' }, received, false],
    ['a launcher’s', { label: 'launcher' }, received, false],
    ['a notice', { label: 'notice' }, received, false],
  ])('a sender is looked for of %s: %j', (_, more, lookup, isTied) => {
    const decides = item({ ...more, found: { msgId: 'm', words: 'count' } })
    const telling = { record: lookup, sends: indexSends([sendOf()]) }
    const { correlation } = tell(groupOf(item(), { others: [decides], decides }), telling).message.evidence
    expect(correlation?.evidence).toBe(isTied ? 'msgId' : undefined)
  })

  it('of a peer’s message without an id, by its own words, session and time', () => {
    const peer = item({ label: 'peer' })
    const sends = indexSends([sendOf(), sendOf({ session: 's' })])
    const { correlation } = tell(groupOf(peer), { sends }).message.evidence
    expect(correlation).toMatchObject({
      evidence: 'candidates',
      msgId: null,
      candidates: [{ session: 'sender' }],
    })
  })
})

describe('a launcher’s words', () => {
  const launcher = (found: Partial<Found>, more: Partial<Item> = {}) =>
    groupOf(item({ label: 'launcher', found, ...more }))
  const join = { file: 'x/j.json', parent: 'p', part: 'rakes', brief: 'count' }
  const joined = (brief = 'count') =>
    record({ join: session => (session === 's' ? { ...join, brief } : null) })

  it.each<[string, Group, RecordLookup, unknown]>([
    ['the brief of the session’s join', launcher({ words: 'do: count it' }), joined(), { chain: join }],
    ['another brief', launcher({}), joined('recount'), undefined],
    ['an empty brief', launcher({}), joined(''), undefined],
    ['of another session', launcher({}, { session: 'x' }), joined(), undefined],
    ['of the person', groupOf(item()), joined(), undefined],
  ])('%s', (_, group, lookup, expected) => {
    expect(tell(group, { record: lookup }).message.evidence.record).toEqual(expected)
  })

  it('name the person’s words in the session that started this one', () => {
    const personsWords = (session: string, sha256: string) =>
      sha256 === sha('count') ? `of ${session}` : null
    const copyOf = (group: Group) => tell(group, { personsWords }).message.evidence.copyOf
    expect(copyOf(launcher({ launchedBy: 'lead' }))).toBe('of lead')
    expect(copyOf(launcher({}))).toBeUndefined()
    expect(copyOf(launcher({ launchedBy: 'lead', words: 'other' }))).toBeUndefined()
    expect(copyOf(groupOf(item({ found: { launchedBy: 'lead' } })))).toBeUndefined()
  })
})

describe('rule.everyDirectionTraced: what followed', () => {
  const done = traceOf({ end: 'done' })
  it.each(['person', 'launcher', 'unresolved'] as const)(
    'is told of a message that is labelled %s',
    label => {
      expect(tell(groupOf(item({ label, followed: done }))).trace).toEqual(done)
    },
  )

  it.each(['peer', 'notice'] as const)('is not told of one that is labelled %s', label => {
    expect(tell(groupOf(item({ label, followed: done }))).trace).toBeNull()
  })

  it('of the first place that shows it', () => {
    const other = item({ seq: 1, followed: traceOf({ end: 'error' }) })
    expect(tell(groupOf(item({ followed: done }), { others: [other] })).trace).toEqual(done)
    expect(tell(groupOf(item(), { others: [item(), other] })).trace).toEqual(traceOf({ end: 'error' }))
  })

  it('is nothing where no place shows it; also then a rewind is told', () => {
    expect(tell(groupOf(item())).trace).toEqual(traceOf())
    expect(tell(groupOf(item({ isAbandoned: true }))).trace).toEqual(traceOf({ end: 'abandoned' }))
  })
})
