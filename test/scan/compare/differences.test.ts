import { describe, expect, it, test } from 'vitest'
import { type Differences, findDifferences } from '../../../src/scan/compare/differences.ts'
import type { Measured } from '../../../src/scan/compare/measured.ts'
import { pairMessages } from '../../../src/scan/compare/pair-messages.ts'
import { commonSample, sampleSha256 } from '../../../src/scan/compare/sample.ts'
import type { Manifest } from '../../../src/scan/manifest.ts'

const message = (id: string, more: Partial<Measured> = {}): Measured => ({
  ...{ id, label: 'person', confidence: 'high', kind: 'typed', sha256: 'w', places: ['src:1'] },
  ...{ correlation: null, delivery: null, trace: null },
  ...more,
})
const byId = (...messages: Measured[]) => new Map(messages.map(one => [one.id, one]))
const ids = (older: Measured[], newer: Measured[]) => {
  const { both, onlyOld, onlyNew } = pairMessages(byId(...older), byId(...newer))
  return {
    both: both.map(one => `${one.older.id}=${one.newer.id}`),
    onlyOld: onlyOld.map(({ id }) => id),
    onlyNew: onlyNew.map(({ id }) => id),
  }
}
const differ = (older: Measured[], newer: Measured[]): Record<keyof Differences, string[]> => {
  const found = findDifferences(pairMessages(byId(...older), byId(...newer)))
  const told = (all: Differences['losses']) => all.map(({ id, what }) => `${id}: ${what}`)
  return { losses: told(found.losses), gains: told(found.gains), changes: told(found.changes) }
}
const none = { losses: [], gains: [], changes: [] }

describe('which message is which', () => {
  it('goes by the id first, whatever else fits', () => {
    const a = message('a', { places: ['s:1'] })
    const b = message('b', { places: ['s:2'] })
    const swapped = [message('a', { places: ['s:2'] }), message('b', { places: ['s:1'] })]
    expect(ids([a, b], swapped)).toEqual({ both: ['a=a', 'b=b'], onlyOld: [], onlyNew: [] })
  })

  it('then by the same words in any place that both have, and one is paired once', () => {
    const a = message('a', { places: ['s:1', 's:2'] })
    expect(ids([a], [message('x', { places: ['s:3', 's:2'] })]).both).toEqual(['a=x'])
    const b = message('b', { places: ['s:2'] })
    expect(ids([a, b], [message('x', { places: ['s:1', 's:2'] })])).toEqual({
      ...{ both: ['a=x'], onlyOld: ['b'], onlyNew: [] },
    })
    expect(ids([a], [message('x', { places: ['s:3'] })])).toEqual({
      ...{ both: [], onlyOld: ['a'], onlyNew: ['x'] },
    })
  })

  it('then by the place, where one of each is left in it', () => {
    const one = (id: string, sha256: string) => message(id, { sha256 })
    expect(ids([one('a', '1')], [one('x', '2')]).both).toEqual(['a=x'])
    expect(ids([one('a', '1'), one('b', '2')], [one('x', '3')]).both).toEqual([])
    expect(ids([one('a', '1')], [one('x', '2'), one('y', '3')]).both).toEqual([])
    expect(ids([one('a', '1'), one('b', '2')], [one('x', '1'), one('y', '3')]).both).toEqual(['a=x', 'b=y'])
  })
})

describe('what differs', () => {
  test.each<[string, Partial<Measured>, Partial<Measured>, Partial<Record<keyof Differences, string[]>>]>([
    ['nothing', {}, {}, {}],
    [
      'a candidate lost',
      { correlation: 'candidates' },
      { correlation: null },
      { losses: ['a: the evidence of its sender candidates became none'] },
    ],
    [
      'an id for candidates',
      { correlation: 'candidates' },
      { correlation: 'msgId' },
      { gains: ['a: the evidence of its sender candidates became msgId'] },
    ],
    [
      'candidates for an id',
      { correlation: 'msgId' },
      { correlation: 'candidates' },
      { losses: ['a: the evidence of its sender msgId became candidates'] },
    ],
    ['no evidence either way', { correlation: 'unknown' }, { correlation: null }, {}],
    [
      'a place less',
      { places: ['source:1', 'source:12'] },
      { places: ['source:1'] },
      { losses: ['a: its place line 12 of source:12… is missing'] },
    ],
    [
      'a place more',
      { places: ['source:1'] },
      { places: ['source:1', 'source:2'] },
      { gains: ['a: its place line 2 of source:2… is new'] },
    ],
    [
      'unresolved and now the person’s',
      { label: 'unresolved' },
      { label: 'person' },
      { gains: ['a: unresolved (high) became person (high)'] },
    ],
    [
      'other words, whatever their places',
      { sha256: '1' },
      { sha256: '2', places: ['x:9'] },
      { losses: ['a: its words changed'] },
    ],
    [
      'less sure',
      { confidence: 'high' },
      { confidence: 'low' },
      { changes: ['a: person: confidence high became low'] },
    ],
  ])('%s', (_, before, after, found) => {
    expect(differ([message('a', before)], [message('a', after)])).toEqual({ ...none, ...found })
  })

  const trace = (end: string, ...facts: string[]) => ({ trace: { end, facts: new Set(facts) } })
  test.each<[string, Partial<Measured>, Partial<Measured>, Partial<Record<keyof Differences, string[]>>]>([
    ['its end', trace('done'), trace('error'), { changes: ["a: the turn's end done became error"] }],
    ['its end lost', trace('done'), trace('unknown'), { losses: ["a: the turn's end done became unknown"] }],
    ['its end known', trace('unknown'), trace('done'), { gains: ["a: the turn's end unknown became done"] }],
    ['a fact lost', trace('done', 'x', 'y'), trace('done', 'y'), { losses: ['a: x is missing'] }],
    ['a fact more', trace('done', 'x'), trace('done', 'x', 'y'), { gains: ['a: y is new'] }],
    ['all of it', trace('done', 'x'), {}, { losses: ['a: what followed it is missing'] }],
    ['none before', {}, trace('done', 'x'), {}],
    [
      'none under another label',
      trace('done', 'x'),
      { label: 'peer' },
      { losses: ['a: person (high) became peer (high)'] },
    ],
  ])('in what followed: %s', (_, before, after, found) => {
    expect(differ([message('a', before)], [message('a', after)])).toEqual({ ...none, ...found })
  })

  it('a message that another one holds is none that is missing or new; one place is not all', () => {
    const both = message('a', { places: ['s:1', 's:2'] })
    const [one, other] = [message('a', { places: ['s:1'] }), message('b', { places: ['s:2'] })]
    expect(differ([one, other], [both])).toEqual({
      losses: [],
      gains: ['a: its place line 2 of s:2… is new'],
      changes: ['b: it is part of another message with the same words now'],
    })
    expect(differ([both], [one, other])).toEqual({
      losses: [],
      gains: [],
      changes: [
        'a: its place line 2 of s:2… belongs to another message now',
        'b: it was part of another message with the same words',
      ],
    })
    const more = message('b', { places: ['s:2', 's:3'] })
    expect(differ([one, more], [both]).losses).toEqual(['b: the message (person) is missing'])
    expect(differ([both], [one, more]).gains).toEqual(['b: a message (person) that the old result lacks'])
    const elsewhere = message('c', { places: ['s:2'], sha256: 'other' })
    expect(differ([both], [one, elsewhere]).losses).toEqual(['a: its place line 2 of s:2… is missing'])
  })
})

describe('the sample', () => {
  const of = (...hashes: string[]) =>
    ({ sources: hashes.map((sha256, at) => ({ sha256, file: `/f${at}` })) }) as unknown as Manifest

  it('is the same in any order, and another with each source more or less, also a second one of the same bytes', () => {
    expect(commonSample(of('a', 'b', 'b'), of('b', 'a', 'b'))).toBe(sampleSha256(of('b', 'b', 'a')))
    expect(sampleSha256(of('a', 'b'))).not.toBe(sampleSha256(of('a', 'a', 'b')))
    expect(() => commonSample(of('a', 'b', 'b'), of('a', 'b'))).toThrow(/samples: only the old one read \/f2/)
    expect(() => commonSample(of('a'), of('a', 'a'))).toThrow(/samples: only the new one read \/f1/)
    expect(() => commonSample(of('a', 'c'), of('b', 'c'))).toThrow(/old one read .*; only the new one read/)
  })

  it('names five of what only one read, and how many more', () => {
    const many = Array.from({ length: 7 }, (_, at) => `h${at}`)
    expect(() => commonSample(of(...many), of())).toThrow(/\/f4 \(h4…\), and 2 more$/)
    expect(() => commonSample(of(...many.slice(0, 5)), of())).toThrow(/\/f4 \(h4…\)$/)
  })
})
