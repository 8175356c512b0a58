import fc from 'fast-check'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { Problem } from '../../src/problem/problem.ts'
import { readTime } from '../../src/query/filter/time-value.ts'
import { IndexFixture, NOW } from './index-fixture.ts'

const zoneBefore = process.env.TZ

afterAll(() => {
  if (zoneBefore === undefined) delete process.env.TZ
  else process.env.TZ = zoneBefore
})

/** A fixture of one start entry for each time, whose session is its letter. */
function entriesAt(...times: string[]): (filter: string, now?: string) => Promise<string> {
  const fixture = new IndexFixture()
  times.forEach((at, index) => {
    fixture.entry({ session_id: String.fromCharCode(65 + index), at })
  })
  return async (filter, now = '2026-11-01T12:00:00.000Z') => {
    const rows = await fixture.rows('entries', { filter, select: 'session_id', now: new Date(now) })
    return rows.map(row => row.session_id).join('')
  }
}

describe('a date is the whole day of the time zone', () => {
  test.each([
    ["at = '2026-11-01'", 'BC'],
    ["at != '2026-11-01'", 'ADE'],
    ["at < '2026-11-01'", 'A'],
    ["at <= '2026-11-01'", 'ABC'],
    ["at > '2026-11-01'", 'DE'],
    ["at >= '2026-11-01'", 'BCDE'],
    ["at between '2026-11-01' and '2026-11-02'", 'BCD'],
    ["at not between '2026-11-01' and '2026-11-02'", 'AE'],
    ["at in ('2026-10-31', '2026-11-03')", 'AE'],
    ["at not in ('2026-10-31', 2026-11-03)", 'BCD'],
    ['at = 2026-11-01', 'BC'],
    ['at = today', 'BC'],
    ["at = 'Yesterday'", 'A'],
    ['at > today', 'DE'],
  ])('Berlin: %s', async (filter, sessions) => {
    process.env.TZ = 'Europe/Berlin'
    const found = entriesAt(
      '2026-10-31T22:59:59.999Z',
      '2026-10-31T23:00:00.000Z',
      '2026-11-01T22:59:59.999Z',
      '2026-11-01T23:00:00.000Z',
      '2026-11-02T23:00:00.000Z',
    )
    expect(await found(filter)).toBe(sessions)
  })

  test('today begins where the person is, not in UTC', async () => {
    const found = entriesAt('2026-11-01T09:59:59.999Z', '2026-11-01T10:00:00.000Z')
    process.env.TZ = 'Pacific/Kiritimati'
    expect(await found('at = today', '2026-11-01T12:00:00.000Z')).toBe('B')
    process.env.TZ = 'Pacific/Pago_Pago'
    expect(await found('at = today', '2026-11-01T12:00:00.000Z')).toBe('')
    expect(await found('at = yesterday', '2026-11-01T12:00:00.000Z')).toBe('AB')
  })

  test('a day on which the clocks change is 23 or 25 hours long', () => {
    process.env.TZ = 'America/New_York'
    const hours = (text: string) => {
      const span = readTime(text, NOW)
      return span === null ? null : (span.to - span.from) / 3_600_000
    }
    expect([hours('2026-03-08'), hours('2026-03-09'), hours('2026-11-01')]).toEqual([23, 24, 25])
    process.env.TZ = 'Africa/Cairo'
    // Midnight itself is skipped there: the day begins at one.
    expect(readTime('2026-04-24', NOW)?.from).toBe(Date.parse('2026-04-23T22:00:00.000Z'))
    process.env.TZ = 'Pacific/Apia'
    // This day was skipped whole; nothing is in it.
    expect(hours('2011-12-30')).toBe(0)
  })
})

describe('times of day', () => {
  beforeEach(() => {
    process.env.TZ = 'Europe/Berlin'
  })

  test('without a zone they are local; a time is the whole minute or second that it is written to', async () => {
    const found = entriesAt(
      '2026-11-01T09:00:00.000Z',
      '2026-11-01T09:00:00.999Z',
      '2026-11-01T09:00:01.000Z',
    )
    expect(await found("at = '2026-11-01 10:00:00'")).toBe('AB')
    expect(await found("at = '2026-11-01T10:00'")).toBe('ABC')
    expect(await found("at > '2026-11-01 10:00'")).toBe('')
    expect(await found("at <= '2026-11-01 10:00'")).toBe('ABC')
    expect(await found("at <= '2026-11-01 10:00:00'")).toBe('AB')
    expect(await found("at = '2026-11-01 10:00:00.999'")).toBe('B')
    expect(await found('at = 2026-11-01T10:00:01')).toBe('C')
  })

  test('with Z or an offset they are of that zone, and exact with a fraction', async () => {
    const found = entriesAt('2026-11-01T09:00:00.000Z', '2026-11-01T09:00:00.001Z')
    expect(await found("at = '2026-11-01T09:00:00Z'")).toBe('AB')
    expect(await found("at = '2026-11-01T09:00:00.000Z'")).toBe('A')
    expect(await found("at > '2026-11-01T09:00:00.000z'")).toBe('B')
    expect(await found("at = '2026-11-01T14:30+05:30'")).toBe('AB')
    expect(await found('at = 2026-11-01T04:00:00.001-0500')).toBe('B')
    expect(await found("at < '2026-11-01 10:00:00+01'")).toBe('')
  })

  test('now and ages count from the moment of the question', async () => {
    const found = entriesAt(
      '2026-10-18T12:00:00.000Z',
      '2026-10-25T12:00:00.000Z',
      '2026-11-01T09:59:59.000Z',
      '2026-11-01T10:00:00.000Z',
      '2026-11-01T12:00:00.000Z',
    )
    expect(await found('at >= 2h')).toBe('DE')
    expect(await found("at >= '120m'")).toBe('DE')
    expect(await found('at < 7200S')).toBe('ABC')
    expect(await found('at = 7d')).toBe('B')
    expect(await found('at >= 2w')).toBe('ABCDE')
    expect(await found('at >= now')).toBe('E')
    expect(await found('at >= 999999999999999999999d')).toBe('ABCDE')
  })

  test('times at the ends of the calendar are in order', async () => {
    const found = entriesAt('0000-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z')
    expect(await found("at >= '0000-01-01T00:00+10:00'")).toBe('AB')
    expect(await found("at <= '9999-12-31T23:59-10:00'")).toBe('AB')
    expect(await found("at > '9999-12-31T23:59-10:00'")).toBe('')
    expect(await found("at = '0000-01-01T00:00Z'")).toBe('A')
    expect(await found("at > '0099-01-01'")).toBe('B')
  })
})

test.each([
  '2026-02-30',
  '2026-13-01',
  '2026-00-10',
  '2026-1-1',
  '2026-11',
  '20261101',
  '2026-11-01T24:00',
  '2026-11-01T10:60',
  '2026-11-01T10:00:60',
  '2026-11-01T10:00:00.1234',
  '2026-11-01T10:00+24:00',
  '2026-11-01T10',
  '10:00',
  '',
  '2y',
  '1.5h',
  '-2h',
  'tomorrow',
])('no time: %s', async text => {
  const fixture = new IndexFixture()
  const problem = await fixture.values('entries', 'at', `at >= '${text}'`).catch(error => error as Problem)
  expect(problem).toBeInstanceOf(Problem)
  expect((problem as Problem).hint).toContain('times:')
})

test('for any time and day, a row is before, at or after it', async () => {
  process.env.TZ = 'America/New_York'
  const day = fc.date({ min: new Date('2026-10-30'), max: new Date('2026-11-03'), noInvalidDate: true })
  await fc.assert(
    fc.asyncProperty(
      day,
      fc.constantFrom('2026-10-31', '2026-11-01', '2026-11-01 01:30', 'today', 'now', '30h'),
      async (date, time) => {
        const found = entriesAt(date.toISOString())
        const hits = await Promise.all(['<', '=', '>'].map(operator => found(`at ${operator} '${time}'`)))
        expect(hits.join('')).toBe('A')
        const [before, same, after] = hits as [string, string, string]
        expect(await found(`at <= '${time}'`)).toBe(before + same)
        expect(await found(`at >= '${time}'`)).toBe(same + after)
        expect(await found(`at != '${time}'`)).toBe(before + after)
      },
    ),
    { numRuns: 40 },
  )
})
