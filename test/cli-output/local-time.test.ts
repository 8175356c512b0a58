import { afterAll, expect, test } from 'vitest'
import { formatAge, formatTime } from '../../src/cli/output/local-time.ts'

const zoneBefore = process.env.TZ

afterAll(() => {
  if (zoneBefore === undefined) delete process.env.TZ
  else process.env.TZ = zoneBefore
})

test.each([
  ['Europe/Berlin', '2026-11-01 10:00:00'],
  ['America/New_York', '2026-11-01 04:00:00'],
  ['Asia/Kathmandu', '2026-11-01 14:45:00'],
])('times are shown in local time: %s', (zone, shown) => {
  process.env.TZ = zone
  expect(formatTime('2026-11-01T09:00:00.000Z')).toBe(shown)
  expect(formatTime('2026-11-01T09:00:00.000Z', { utc: true })).toBe('2026-11-01 09:00:00Z')
})

test('what is no time is shown escaped', () => {
  expect(formatTime('\x1b[2J')).toBe('\\x1b[2J')
})

test.each([
  [0, 'just now'],
  [999, 'just now'],
  [45_000, '45 s ago'],
  [3_599_000, '59 min ago'],
  [10_800_000, '3 h ago'],
  [400 * 86_400_000, '400 d ago'],
  [1_000, '1 s ago'],
  [59_999, '59 s ago'],
  [60_000, '1 min ago'],
  [3_600_000, '1 h ago'],
  [86_399_999, '23 h ago'],
  [86_400_000, '1 d ago'],
  [-999, 'just now'],
  [-1_999, 'in 1 s'],
  [-7_200_000, 'in 2 h'],
])('age of %i ms: %s', (age, shown) => expect(formatAge(age)).toBe(shown))

test.each([
  ['Pacific/Kiritimati', '2026-12-31T23:04:05.999Z', '2027-01-01 13:04:05'],
  ['America/New_York', '2027-01-01T03:00:00.000Z', '2026-12-31 22:00:00'],
  ['UTC', '0099-02-03T04:05:06.000Z', '0099-02-03 04:05:06'],
])('the local day and year stand, also where they are not those of UTC: %s', (zone, at, shown) => {
  process.env.TZ = zone
  expect(formatTime(at)).toBe(shown)
  expect(formatTime(at, { utc: false })).toBe(shown)
})
