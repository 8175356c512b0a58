import { expect, it } from 'vitest'
import { clippedFields } from '../../../src/scan/extract/clip.ts'

const nested = (depth: number): unknown => (depth === 0 ? 'end' : { in: nested(depth - 1) })
const many = (count: number) => Array.from({ length: count }, (_, at) => at)
const named = (count: number) => Object.fromEntries(many(count).map(at => [`f${at}`, at]))

it.each<[string, unknown, unknown]>([
  ['a text as long as may be', 'x'.repeat(2_000), 'x'.repeat(2_000)],
  ['a longer one', 'x'.repeat(2_001), `${'x'.repeat(2_000)} […]`],
  ['a list as long as may be', many(100), many(100)],
  ['a longer one', many(101), [...many(100), '[…]']],
  ['an object of as many fields', named(100), named(100)],
  ['of more', named(101), { ...named(100), '…': '[…]' }],
  ['texts in lists in objects', { a: ['y'.repeat(2_001)] }, { a: [`${'y'.repeat(2_000)} […]`] }],
  ['what is no text', { a: [null, true, 1.5, 0] }, { a: [null, true, 1.5, 0] }],
  ['as deep as may be', nested(6), nested(6)],
  ['deeper', nested(8), { in: { in: { in: { in: { in: { in: { in: '[…]' } } } } } } }],
  ['lists that are deeper', [[[[[[[[1]]]]]]]], [[[[[[['[…]']]]]]]]],
])('evidence keeps of a field: %s', (_, value, expected) => {
  expect(clippedFields({ field: value })).toEqual({ field: expected })
})
