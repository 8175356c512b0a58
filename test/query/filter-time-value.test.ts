import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { timeCompares } from '../../src/query/filter/time-compares.ts'
import { readTime, storedTime } from '../../src/query/filter/time-value.ts'
import type { RelationColumn } from '../../src/query/relation.ts'
import { NOW } from './index-fixture.ts'

const zoneBefore = process.env.TZ

beforeAll(() => {
  process.env.TZ = 'Asia/Kolkata'
})

afterAll(() => {
  if (zoneBefore === undefined) delete process.env.TZ
  else process.env.TZ = zoneBefore
})

/** A span as the times of its ends. */
function spanOf(text: string): [string, string] | null {
  const span = readTime(text, NOW)
  return span && [new Date(span.from).toISOString(), new Date(span.to).toISOString()]
}

const ago = (milliseconds: number) => new Date(NOW.getTime() - milliseconds).toISOString()

describe('the time that is meant, in a zone half an hour off', () => {
  it.each<[string, string, string]>([
    ['2026-11-01', '2026-10-31T18:30:00.000Z', '2026-11-01T18:30:00.000Z'],
    ['2028-02-29', '2028-02-28T18:30:00.000Z', '2028-02-29T18:30:00.000Z'],
    ['today', '2026-10-31T18:30:00.000Z', '2026-11-01T18:30:00.000Z'],
    ['Yesterday', '2026-10-30T18:30:00.000Z', '2026-10-31T18:30:00.000Z'],
    ['2026-11-01 10:00', '2026-11-01T04:30:00.000Z', '2026-11-01T04:31:00.000Z'],
    ['2026-11-01t10:00:07', '2026-11-01T04:30:07.000Z', '2026-11-01T04:30:08.000Z'],
    ['2026-11-01T10:00:07.5', '2026-11-01T04:30:07.500Z', '2026-11-01T04:30:07.501Z'],
    ['2026-11-01T10:00:07.05', '2026-11-01T04:30:07.050Z', '2026-11-01T04:30:07.051Z'],
    ['2026-11-01T10:00:07.005', '2026-11-01T04:30:07.005Z', '2026-11-01T04:30:07.006Z'],
    ['2026-11-01T10:00:00.25Z', '2026-11-01T10:00:00.250Z', '2026-11-01T10:00:00.251Z'],
    ['2026-11-01T10:00Z', '2026-11-01T10:00:00.000Z', '2026-11-01T10:01:00.000Z'],
    ['2026-11-01T10:00:07z', '2026-11-01T10:00:07.000Z', '2026-11-01T10:00:08.000Z'],
    ['2026-11-01T10:00+02:30', '2026-11-01T07:30:00.000Z', '2026-11-01T07:31:00.000Z'],
    ['2026-11-01T10:00-0230', '2026-11-01T12:30:00.000Z', '2026-11-01T12:31:00.000Z'],
    ['2026-11-01T10:00-02', '2026-11-01T12:00:00.000Z', '2026-11-01T12:01:00.000Z'],
    ['2026-11-01T23:59:59+23:59', '2026-11-01T00:00:59.000Z', '2026-11-01T00:01:00.000Z'],
    ['2026-01-01T00:00+01', '2025-12-31T23:00:00.000Z', '2025-12-31T23:01:00.000Z'],
    ['0050-01-01T00:00Z', '0050-01-01T00:00:00.000Z', '0050-01-01T00:01:00.000Z'],
  ])('%s', (text, from, to) => expect(spanOf(text)).toEqual([from, to]))

  it('a local time of the first century is not of the twentieth', () => {
    expect(spanOf('0050-01-01')?.[0]).toMatch(/^0049-12-31T/)
  })

  it.each<[string, number]>([
    ['now', 0],
    ['0s', 0],
    ['30s', 30_000],
    ['15m', 900_000],
    ['15M', 900_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['2w', 1_209_600_000],
  ])('%s is exact', (text, before) => expect(spanOf(text)).toEqual([ago(before), ago(before - 1)]))

  it.each([
    '2026-02-29',
    '2026-04-31',
    '2026-11-00',
    '2026-00-01',
    '2026-13-01',
    '2026-11-01T24:00Z',
    '2026-11-01T10:60Z',
    '2026-11-01T10:00:60Z',
    '2026-02-30T10:00Z',
    '2026-02-30T10:00',
    '2026-11-01T10:00+24:00',
    '2026-11-01T10:00+01:60',
    '2026-11-01T10:00+1',
    '2026-11-01T10:00:00.1234Z',
    '2026-11-01T10:00:00.',
    '2026-11-01  10:00',
    '2026-11-01T10:00ZZ',
    'x2026-11-01',
    '2026-11-01x',
    ' 2h',
    '2h ',
    'h',
    '2x',
    '-2h',
    '2.5h',
    'nowadays',
  ])('%j is none', text => expect(spanOf(text)).toBeNull())
})

describe('a moment as the index holds it', () => {
  it.each<[number, string]>([
    [Date.parse('0000-01-01T00:00:00.000Z'), '0000-01-01T00:00:00.000Z'],
    [Date.parse('0000-01-01T00:00:00.000Z') - 1, ''],
    [Date.parse('9999-12-31T23:59:59.999Z'), '9999-12-31T23:59:59.999Z'],
    [Date.parse('9999-12-31T23:59:59.999Z') + 1, ':'],
    [-Infinity, ''],
    [Infinity, ':'],
    [Number.NaN, ':'],
  ])('%d is %j', (at, stored) => expect(storedTime(at)).toBe(stored))

  it('what is outside sorts before and after all that is inside', () => {
    expect('' < '0000-01-01T00:00:00.000Z' && '9999-12-31T23:59:59.999Z' < ':').toBe(true)
  })
})

describe('a comparison with a span', () => {
  const column = { name: 'at' } as RelationColumn
  const span = { from: Date.parse('2026-11-01T10:00:00.000Z'), to: Date.parse('2026-11-01T10:01:00.000Z') }
  const from = { kind: 'compare', column, value: '2026-11-01T10:00:00.000Z' }
  const to = { kind: 'compare', column, value: '2026-11-01T10:01:00.000Z' }
  it.each([
    ['<', { ...from, operator: '<' }],
    ['>=', { ...from, operator: '>=' }],
    ['<=', { ...to, operator: '<' }],
    ['>', { ...to, operator: '>=' }],
    [
      '=',
      {
        kind: 'and',
        terms: [
          { ...from, operator: '>=' },
          { ...to, operator: '<' },
        ],
      },
    ],
    [
      '!=',
      {
        kind: 'or',
        terms: [
          { ...from, operator: '<' },
          { ...to, operator: '>=' },
        ],
      },
    ],
  ] as const)('%s', (operator, condition) => {
    expect(timeCompares(column, operator, span)).toEqual(condition)
  })
})
