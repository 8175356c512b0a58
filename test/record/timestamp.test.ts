import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatTimestamp, isTimestamp } from '../../src/record/timestamp.ts'

test('timeFormat: what is written is UTC to the millisecond and is read back', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) }), time => {
      const text = formatTimestamp(new Date(time))
      expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      expect(isTimestamp(text)).toBe(true)
      expect(Date.parse(text)).toBe(time)
    }),
  )
})

test.each([
  '2026-02-29T00:00:00.000Z',
  '2026-11-31T00:00:00.000Z',
  '2026-11-01T23:60:00.000Z',
  '+012026-11-01T00:00:00.000Z',
])('timeFormat: %s is no time of the calendar and the clock', text => {
  expect(isTimestamp(text)).toBe(false)
})

test('timeFormat: a leap day is one', () => {
  expect(isTimestamp('2028-02-29T00:00:00.000Z')).toBe(true)
})

test.each([
  '2026-11-01T10:00:00.000Z\n',
  '2026-11-01T10:00:00.000Zx',
  ' 2026-11-01T10:00:00.000Z',
  '2026-11-01T10:00:00.00Z',
  '2026-11-01 10:00:00.000Z',
  '2026-11-01T10:00:00.000z',
  '-000001-11-01T10:00:00.000Z',
  '',
])('timeFormat: %j is not the format', text => {
  expect(isTimestamp(text)).toBe(false)
})
