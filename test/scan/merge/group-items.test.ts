import { describe, expect, it } from 'vitest'
import { byPlace, groupItems } from '../../../src/scan/merge/group-items.ts'
import type { Item } from '../../../src/scan/merge/item.ts'
import { itemOf, placeOf } from '../../support/scan-items.ts'
import { second } from '../../support/transcripts.ts'

type Some = Parameters<typeof itemOf>[0]

/** The ids of each group in its order. */
const grouped = (keys: string[][], items: Item[] = keys.map((_, at) => itemOf({ id: `${at}`, seq: at }))) =>
  groupItems(items, keys).map(({ first, others }) => [first, ...others].map(({ id }) => id))

describe('what shares a key is one message', () => {
  it.each([
    ['no key in common', [['a'], ['b'], ['c']], [['0'], ['1'], ['2']]],
    ['one key', [['a'], ['b'], ['a']], [['0', '2'], ['1']]],
    [
      'one of several',
      [
        ['a', 'x'],
        ['b', 'y'],
        ['y', 'c'],
      ],
      [['0'], ['1', '2']],
    ],
    ['by way of a third that comes last', [['a'], ['b'], ['a', 'b']], [['0', '1', '2']]],
    ['by way of a chain', [['a'], ['c'], ['b', 'c'], ['a', 'b']], [['0', '1', '2', '3']]],
    [
      'two groups that a last one joins',
      [['a'], ['a', 'b'], ['c'], ['c', 'd'], ['d', 'b'], ['e']],
      [['0', '1', '2', '3', '4'], ['5']],
    ],
    ['by the same two keys more than once', [['a'], ['c'], ['a', 'c'], ['c', 'a']], [['0', '1', '2', '3']]],
    ['names that every object has', [['__proto__'], ['constructor'], ['__proto__']], [['0', '2'], ['1']]],
    [
      'the same key twice',
      [
        ['a', 'a'],
        ['b', 'b'],
      ],
      [['0'], ['1']],
    ],
  ])('%s', (_, keys, expected) => {
    expect(grouped(keys)).toEqual(expected)
  })
})

describe('the place nearest to the origin comes first', () => {
  const late: Some = { at: second(9) }
  it.each<[string, Some, Some]>([
    ['the time it was said', { at: second(0) }, { at: second(1), whole: { firstAt: second(-9) } }],
    ['one with a time', late, { at: null }],
    ['a file that is no copy', { whole: { derivedFrom: [] } }, { whole: { derivedFrom: ['x'] } }],
    [
      'the time before what the file is',
      { at: second(0), whole: { derivedFrom: ['x'] } },
      { at: second(1), whole: { derivedFrom: [] } },
    ],
    [
      'no copy before an older file',
      { whole: { derivedFrom: [], firstAt: second(5) } },
      { whole: { derivedFrom: ['x'], firstAt: second(1) } },
    ],
    ['the older file', { whole: { firstAt: second(0) } }, { whole: { firstAt: second(1) } }],
    ['a file with a time', { whole: { firstAt: second(5) } }, { whole: { firstAt: null } }],
    [
      'the older file before its name',
      { whole: { firstAt: second(0) }, place: placeOf({ file: '/z' }) },
      { whole: { firstAt: second(1) }, place: placeOf({ file: '/a' }) },
    ],
    [
      'the name of the file',
      { place: placeOf({ file: '/a', offset: 9 }) },
      { place: placeOf({ file: '/b' }) },
    ],
    [
      'the offset, as a number',
      { place: placeOf({ offset: 9, line: 9 }), seq: 4 },
      { place: placeOf({ offset: 10, line: 1 }), seq: 3 },
    ],
    ['the number in the file', { seq: 9 }, { seq: 10 }],
  ])('%s', (_, first, other) => {
    const [a, b] = [itemOf({ ...first, id: 'first' }), itemOf({ ...other, id: 'other' })]
    expect(grouped([['k'], ['k']], [a, b])).toEqual([['first', 'other']])
    expect(grouped([['k'], ['k']], [b, a])).toEqual([['first', 'other']])
  })

  it('places by file, offset and number', () => {
    const at = (file: string, offset: number, seq: number) =>
      itemOf({ seq, place: placeOf({ file, offset }) })
    const ordered = [at('/a', 0, 1), at('/a', 0, 2), at('/a', 5, 0), at('/b', 1, 0)]
    expect([...ordered].reverse().sort(byPlace)).toEqual(ordered)
  })
})

describe('rule.personsWords: which place decides', () => {
  const notice: Some = { label: 'notice' }
  const two: Some = { label: 'unresolved' }
  const person: Some = { label: 'person' }
  const nothing: Some = { label: 'unresolved', saysNothing: true }
  it.each<[string, Some, Some]>([
    ['a notice before one for two authors', notice, two],
    ['a peer’s before one for two authors', { label: 'peer' }, two],
    ['a launcher’s before the person’s', { label: 'launcher' }, person],
    ['one for two authors before the person’s', two, person],
    ['the person’s before one that says nothing', person, nothing],
    ['one for two authors before one that says nothing', two, nothing],
  ])('%s', (_, decides, other) => {
    for (const order of [0, 1]) {
      const items = [itemOf({ ...decides, id: 'decides', seq: order }), itemOf({ ...other, seq: 1 - order })]
      expect(groupItems(items, [['k'], ['k']])[0]?.decides.id).toBe('decides')
    }
  })

  it('of two that weigh the same, the one nearest to the origin', () => {
    const items = [itemOf({ id: 'b', seq: 1, ...notice }), itemOf({ id: 'a', seq: 0, label: 'peer' })]
    expect(groupItems(items, [['k'], ['k']])[0]?.decides.id).toBe('a')
  })
})
