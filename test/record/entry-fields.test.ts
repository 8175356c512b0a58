import { describe, expect, test } from 'vitest'
import { checkEntry, type Entry, parseEntry, unknownFields } from '../../src/record/entry.ts'
import { wholeEntries } from '../support/entries.ts'
import type { Fields } from '../support/record-builder.ts'

const { start, chain, sent, received } = wholeEntries
const timesNotOfTheRecord = [
  5,
  null,
  '2026-11-01',
  '2026-11-01T10:00:00Z',
  '2026-11-01T10:00:00.000',
  '2026-11-01T10:00:00.000+00:00',
  '2026-11-01T10:00:00.0000Z',
  '2026-13-01T10:00:00.000Z',
  '2026-02-30T10:00:00.000Z',
  '2026-11-01T24:00:00.000Z',
  '2026-11-01T10:00:00.000Z\n',
]
const notIds = [5, null, '', '../../etc/x', 'a/b', '.', '-a', 'a b', 'a'.repeat(129), 'é', 'a\n']
const notText = [5, null, true, ['a'], { a: 'a' }]
const common = { sessionId: notIds, at: timesNotOfTheRecord, cwd: notText }
const ofMessage = { ...common, peer: ['reviewer', null, 5, []], text: notText }

/** Of each form of entry: each field that must stand there, and what it may not be. */
const needed: [string, Fields, Record<string, unknown[]>][] = [
  ['start', start, { ...common, host: notText, version: notText, inbound: notText }],
  ['chain', chain, { ...common, parent: notIds, part: notText }],
  ['sent', sent, { ...ofMessage, isQueued: ['true', 1, null] }],
  [
    'received',
    received,
    { ...ofMessage, envelope: ['x', null, 5, []], outcome: ['Queued', 'delivered', true, null] },
  ],
]

/** Fields that may be missing, and what they may not be where they stand. */
const notCounts = [0, -1, 1.5, '1', true, {}]
const optional: [string, Fields, Record<string, unknown[]>][] = [
  ['start', start, { cause: [5, true, {}], missing: notCounts }],
  ['received', received, { missing: notCounts }],
  ['chain', chain, { brief: [5, true, {}], missing: notCounts }],
  ['sent', sent, { reason: [5, true, {}], msgId: [5, true, {}], missing: notCounts }],
]

/** Fields inside of fields. */
const inside: [string, Fields, string, string, boolean, unknown[]][] = [
  ['sent', sent, 'peer', 'as', true, [5, true, {}]],
  ['sent', sent, 'peer', 'sessionId', false, notIds],
  ['received', received, 'peer', 'as', true, [5, true, {}]],
  ['received', received, 'peer', 'sessionId', false, notIds],
  ['received', received, 'envelope', 'before', true, notText],
  ['received', received, 'envelope', 'after', true, notText],
]

function reasonOf(entry: unknown): string | undefined {
  const parsed = parseEntry(JSON.stringify(entry))
  return 'reason' in parsed ? parsed.reason : undefined
}

function without(entry: Fields, field: string): Fields {
  const { [field]: _, ...rest } = entry
  return rest
}

describe('entryKinds: each form of entry', () => {
  test.each(Object.entries(wholeEntries))('%s: is read as it stands', (_, entry) => {
    expect(parseEntry(JSON.stringify(entry))).toEqual({ entry })
  })

  test.each(Object.entries(wholeEntries))('%s: keeps fields that a later version adds', (_, entry) => {
    const more = {
      ...entry,
      later: { list: [1, 'two', null] },
      ...('peer' in entry ? { peer: { ...entry.peer, profile: 'work' } } : {}),
      ...('envelope' in entry ? { envelope: { ...entry.envelope, plugin: 'p' } } : {}),
    }
    expect(parseEntry(JSON.stringify(more))).toEqual({ entry: more })
  })
})

describe.each(needed)('startEntry, chainEntry, messageEntry: what a %s entry needs', (_, entry, fields) => {
  test.each(Object.keys(fields))('%s: missing, and the reason names it', field => {
    expect(reasonOf(without(entry, field))).toMatch(new RegExp(`^${field}\\b.*missing`))
  })

  test.each(Object.entries(fields))('%s: ill-typed, and the reason names it', (field, values) => {
    for (const value of values) {
      expect(reasonOf({ ...entry, [field]: value }), JSON.stringify(value)).toMatch(
        new RegExp(`^${field}\\b`),
      )
    }
  })
})

describe.each(optional)('%s entry, what may be missing', (_, entry, fields) => {
  test.each(Object.entries(fields))('%s: missing or null is read, ill-typed is named', (field, values) => {
    expect(reasonOf(without(entry, field))).toBeUndefined()
    expect(reasonOf({ ...entry, [field]: null })).toBeUndefined()
    for (const value of values) {
      expect(reasonOf({ ...entry, [field]: value }), JSON.stringify(value)).toMatch(
        new RegExp(`^${field}\\b`),
      )
    }
  })
})

describe('what a later version has added', () => {
  test('a start entry may say what caused it', () => {
    expect(reasonOf(without(start, 'cause'))).toBeUndefined()
    for (const value of [5, true, {}])
      expect(reasonOf({ ...start, cause: value })).toBe('cause: must be a string')
  })

  test.each(Object.entries(wholeEntries))('%s: may say how many before it are missing', (_, entry) => {
    expect(reasonOf({ ...entry, missing: 1 })).toBeUndefined()
    for (const value of ['1', true, 1.5, [1], {}])
      expect(reasonOf({ ...entry, missing: value })).toBe('missing: must be a whole number')
    for (const value of [0, -1])
      expect(reasonOf({ ...entry, missing: value })).toBe('missing: must be at least 1')
  })
})

describe.each(inside)('%s entry', (_, entry, outer, field, isNeeded, values) => {
  const path = `${outer}.${field}`
  const outerValue = entry[outer] as Fields

  test(`${path}: ${isNeeded ? 'missing is named' : 'may be missing'}`, () => {
    const reason = reasonOf({ ...entry, [outer]: without(outerValue, field) })
    if (isNeeded) expect(reason).toMatch(new RegExp(`^${path.replace('.', '\\.')}\\b.*missing`))
    else expect(reason).toBeUndefined()
  })

  test(`${path}: ill-typed, and the reason names it`, () => {
    for (const value of values) {
      const reason = reasonOf({ ...entry, [outer]: { ...outerValue, [field]: value } })
      expect(reason, JSON.stringify(value)).toMatch(new RegExp(`^${path.replace('.', '\\.')}\\b`))
    }
  })
})

describe('messageEntry: what stands on one side only', () => {
  test.each(['envelope', 'outcome'])('%s on a sent entry is named', field => {
    expect(reasonOf({ ...sent, [field]: received[field as 'envelope'] })).toMatch(new RegExp(`^${field}\\b`))
  })

  test.each(['isQueued', 'reason'])('%s on a received entry is named', field => {
    expect(reasonOf({ ...received, [field]: sent[field as 'reason'] })).toMatch(new RegExp(`^${field}\\b`))
  })

  test('rule.receiveOutcome: each outcome of the rule is read', () => {
    for (const outcome of ['queued', 'consumed', 'rejected', 'unknown']) {
      expect(reasonOf({ ...received, outcome })).toBeUndefined()
    }
  })

  test('rule.peerAsSeen: a peer whom the host did not name is null', () => {
    expect(reasonOf({ ...received, peer: { as: null } })).toBeUndefined()
  })
})

describe('kind and side', () => {
  test.each([undefined, null, 5, '', 'Start', 'message ', '__proto__', 'constructor'])(
    'kind %j is named',
    kind => {
      expect(reasonOf({ ...start, kind })).toMatch(/^kind\b/)
    },
  )

  test.each([undefined, null, 5, '', 'Sent', 'both'])('side %j is named', side => {
    expect(reasonOf({ ...sent, side })).toMatch(/^side\b/)
  })
})

describe('entryFile: one JSON object', () => {
  test.each(['', ' ', '{', '{"a":', '{}{}', '[]', 'null', '"start"', '5', 'undefined', '{"kind":"start"}x'])(
    '%j is no entry, and there is a reason',
    json => {
      const parsed = parseEntry(json)
      expect(parsed).toEqual({ reason: expect.stringMatching(/\S/) })
    },
  )

  test('every file cut short is no entry, wherever the cut is', () => {
    const whole = JSON.stringify(received)
    for (let length = 0; length < whole.length; length++) {
      expect(parseEntry(whole.slice(0, length)), whole.slice(0, length)).toHaveProperty('reason')
    }
  })

  test('fields named like those of every object are only fields', () => {
    const json = JSON.stringify(start).replace('{', '{"__proto__":{"kind":"chain"},"constructor":5,')
    const parsed = parseEntry(json)
    expect('entry' in parsed && parsed.entry.kind).toBe('start')
  })
})

describe('the reason', () => {
  test.each([
    ['', 'empty file'],
    ['[]', 'not a JSON object'],
    ['null', 'not a JSON object'],
    ['"start"', 'not a JSON object'],
    ['{}', 'kind: missing'],
    ['{"kind":null}', 'kind: must be start, chain or message'],
    ['{"kind":"message"}', 'side: missing'],
    ['{"kind":"message","side":null}', 'side: must be sent or received'],
  ])('of %j is: %s', (json, reason) => {
    expect(parseEntry(json)).toEqual({ reason })
  })

  test.each([' ', '\n', '{"kind":'])('of %j is that it is no JSON, not that it is empty', json => {
    expect(parseEntry(json)).toEqual({ reason: expect.stringMatching(/^not JSON: ./) })
  })

  test('tells a field that is null from one that is missing, inside of fields too', () => {
    expect(reasonOf({ ...start, cwd: null })).toBe('cwd: must be a string')
    expect(reasonOf(without(start, 'cwd'))).toBe('cwd: missing')
    expect(reasonOf({ ...received, envelope: { before: null, after: '' } })).toBe(
      'envelope.before: must be a string',
    )
    expect(reasonOf({ ...received, envelope: { after: '' } })).toBe('envelope.before: missing')
    expect(reasonOf({ ...sent, peer: {} })).toBe('peer.as: missing')
  })

  test('says of each field what it should be', () => {
    expect(reasonOf({ ...start, sessionId: 'a b' })).toBe('sessionId: is not a full session id')
    expect(reasonOf({ ...start, at: 'x' })).toMatch(/^at: must be UTC to the millisecond/)
    expect(reasonOf({ ...sent, outcome: 'queued' })).toBe('outcome: stands only on a received entry')
    expect(reasonOf({ ...received, reason: 'x' })).toBe('reason: stands only on a sent entry')
  })
})

describe('an entry that is read', () => {
  test('is the very value that was given, whatever a later version has added', () => {
    for (const entry of Object.values(wholeEntries)) {
      const value = { later: { deep: [1] }, ...entry }
      const parsed = checkEntry(value)
      expect('entry' in parsed && parsed.entry).toBe(value)
    }
  })

  test('each side may have a msgId and a peer that is resolved', () => {
    expect(reasonOf({ ...received, msgId: 'm', peer: { as: null, sessionId: 'session-2' } })).toBeUndefined()
    expect(reasonOf({ ...sent, text: '', msgId: null, reason: null })).toBeUndefined()
  })

  test.each(['sent', 'received'] as const)('a %s one may hold its text and the digest of it', side => {
    const digest = { textLength: 0, textSha256: 'a'.repeat(64) }
    expect(reasonOf({ ...wholeEntries[side], ...digest })).toBeUndefined()
  })
})

describe('fields that this version does not know', () => {
  const unknownOf = (entry: Fields) => unknownFields(entry as Entry)

  test.each(Object.entries(wholeEntries))('%s: none where all are known', (_, entry) => {
    expect(unknownOf(entry)).toBeNull()
    expect(unknownOf({ ...entry, later: null, more: { a: 1 } })).toEqual({ later: null, more: { a: 1 } })
  })

  test('a field inside of a field comes with what it stands in', () => {
    const peer = { as: 'x', sessionId: 's', host: 'h' }
    expect(unknownOf({ ...sent, peer })).toEqual({ peer })
    expect(unknownOf({ ...sent, peer: { as: 'x', sessionId: 's' } })).toBeNull()
    const inner = { before: '', after: '', between: '' }
    expect(unknownOf({ ...received, envelope: inner })).toEqual({ envelope: inner })
  })

  test('a name that every object has is a name like others', () => {
    const names = { constructor: { a: 1 }, toString: { b: 2 } }
    expect(unknownOf({ ...start, ...names })).toEqual(names)
  })

  test('a field that another kind has is not one of this kind', () => {
    expect(unknownOf({ ...start, part: 'p', text: 't' })).toEqual({ part: 'p', text: 't' })
    expect(unknownOf({ ...chain, outcome: 'queued' })).toEqual({ outcome: 'queued' })
  })

  test('what is no entry has none', () => {
    expect(unknownOf({ kind: 'other', a: 1 })).toBeNull()
    expect(unknownOf({ kind: 'message', side: 'both', a: 1 })).toBeNull()
  })
})
