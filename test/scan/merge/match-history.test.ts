import { describe, expect, it } from 'vitest'
import type { Found } from '../../../src/scan/extract/found.ts'
import type { Group } from '../../../src/scan/merge/group-items.ts'
import type { Item } from '../../../src/scan/merge/item.ts'
import { matchHistory } from '../../../src/scan/merge/match-history.ts'
import { foundOf, itemOf, sha } from '../../support/scan-items.ts'
import { second } from '../../support/transcripts.ts'

type Some = Partial<Item> & Partial<Pick<Found, 'words' | 'fields'>>

const group = (id: string, { words = 'go', fields = {}, ...more }: Some = {}): Group => {
  const first = itemOf({ id, provisional: foundOf({ words, fields }), ...more })
  return { first, others: [], decides: first }
}
const listed = (id: string, more: Some = {}) => group(id, { kind: 'history_only', ...more })

function matched(...groups: Group[]) {
  const { groups: left, matches } = matchHistory(groups, item => item.provisional as Found)
  return {
    left: left.map(({ first }) => first.id),
    pairs: [...matches].map(([{ first }, items]) => [first.id, ...items.map(({ id }) => id)]),
  }
}

const HOURS_6 = 6 * 3_600

describe('a typed prompt of a list and a message of a transcript', () => {
  it('of one session and text are one message', () => {
    expect(matched(listed('l'), group('m'), group('n', { words: 'stop' }))).toEqual({
      left: ['m', 'n'],
      pairs: [['m', 'l']],
    })
  })

  it('of which a list holds several lines: all of them belong to it', () => {
    const [l, other] = [listed('l'), listed('other')]
    l.others = [other.first]
    expect(matched(l, group('m')).pairs).toEqual([['m', 'l', 'other']])
  })

  it.each<[string, Some, Some]>([
    ['another session', {}, { session: 'other' }],
    ['another text', {}, { words: 'go on' }],
    ['a notice', {}, { label: 'notice' }],
    ['six hours later', {}, { at: second(HOURS_6) }],
    ['six hours before', { at: second(HOURS_6) }, {}],
    [
      'another text and another hash of what was pasted',
      { fields: { expandedSha256: sha('x') } },
      { words: 'y' },
    ],
  ])('are two messages: %s', (_, list, message) => {
    expect(matched(listed('l', list), group('m', message))).toEqual({ left: ['l', 'm'], pairs: [] })
  })

  it.each<[string, Some, Some]>([
    ['almost six hours later', {}, { at: new Date(Date.parse(second(HOURS_6)) - 1).toISOString() }],
    ['a launcher’s, by its row', {}, { label: 'launcher' }],
    ['one that says nothing', {}, { label: 'unresolved', saysNothing: true }],
    ['without a time', {}, { at: null }],
    ['without a time in the list', { at: null }, { at: second(99_999) }],
    ['with a `!` and other blanks', { words: '! go  on\n' }, { words: 'go on' }],
    [
      'as what was pasted stands in the transcript',
      { fields: { expandedSha256: sha('a b') } },
      { words: 'a  b' },
    ],
  ])('are one message: %s', (_, list, message) => {
    expect(matched(listed('l', list), group('m', message)).pairs).toEqual([['m', 'l']])
  })

  it('each once, in the order of time of the list, the nearest first', () => {
    const times = { third: 20, late: 10, early: 0 }
    const lines = Object.entries(times).map(([id, at]) => listed(id, { at: second(at) }))
    const messages = [group('at 4', { at: second(4) }), group('at 11', { at: second(11) })]
    expect(matched(...lines, ...messages)).toEqual({
      left: ['third', 'at 4', 'at 11'],
      pairs: [
        ['at 4', 'early'],
        ['at 11', 'late'],
      ],
    })
  })

  it('of two sessions with the same words each has its own', () => {
    const other = { session: 'other', at: second(5) }
    expect(
      matched(listed('l', other), listed('k'), group('m', { at: second(5) }), group('n', other)),
    ).toEqual({
      left: ['m', 'n'],
      pairs: [
        ['m', 'k'],
        ['n', 'l'],
      ],
    })
  })

  it('the text as it is listed before the text with what was pasted', () => {
    const list = listed('l', { words: 'see [Pasted text #1]', fields: { expandedSha256: sha('see it') } })
    expect(matched(list, group('whole', { words: 'see it' }), group('mark', { words: 'see' })).pairs).toEqual(
      [['mark', 'l']],
    )
  })

  it('without a list nothing is read', () => {
    const groups = [group('m')]
    expect(
      matchHistory(groups, () => {
        throw new Error('read')
      }),
    ).toEqual({ groups, matches: new Map() })
  })
})
