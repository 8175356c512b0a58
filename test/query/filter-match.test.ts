import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { Problem } from '../../src/problem/problem.ts'
import { readSearch } from '../../src/query/filter/match-text.ts'
import { isSearchable } from '../../src/sqlite/text-search.ts'
import { IndexFixture } from './index-fixture.ts'

const fixture = new IndexFixture()

beforeAll(() => {
  fixture.message('The schema drift breaks the parser', { session_id: 'A' })
  fixture.message('drift of the schema; rock and roll', { session_id: 'B' })
  fixture.message('Überraschung: text:drifting a-b NEAR or not', { session_id: 'C' })
  fixture.message(null, { session_id: 'D' })
})

const found = async (search: string, before = '') => {
  const filter = `${before}text match '${search.replaceAll("'", "''")}'`
  return (await fixture.values('messages', 'session_id', filter)).join('')
}

describe('a search', () => {
  test.each([
    ['drift schema', 'AB'],
    ['SCHEMA', 'AB'],
    ['"schema drift"', 'A'],
    ['drift*', 'ABC'],
    ['drif', ''],
    ['"the schema dr"*', 'A'],
    ['parser or roll', 'AB'],
    ['parser OR rock roll', 'AB'],
    ['drift and parser', 'A'],
    ['"rock and roll"', 'B'],
    ['uberraschung', 'C'],
    ['"or"', 'C'],
    ['not', 'C'],
    ['drift -- parser', 'A'],
  ])('%s', async (search, sessions) => expect(await found(search)).toBe(sessions))

  test.each([
    ['text:drifting', 'C'],
    ['a-b', 'C'],
    ['NEAR(schema drift)', ''],
    ['^schema', 'AB'],
    ['schema NOT drift', ''],
    ['{text}:schema', ''],
    ['schema + drift', 'AB'],
  ])("nothing of FTS5's own syntax gets through: %s", async (search, sessions) => {
    expect(await found(search)).toBe(sessions)
  })

  test.each([
    ["not (text match 'schema' or text match 'roll')", 'C'],
    ["not (text match 'schema' and session_id != 'A')", 'AC'],
    ["not (session_id = 'A' or (text match 'roll' or session_id = 'C'))", ''],
  ])('nor inside and and or, under a not: %s', async (filter, sessions) => {
    expect((await fixture.values('messages', 'session_id', filter)).join('')).toBe(sessions)
  })

  test('a text that is not known is neither found nor ruled out', async () => {
    expect(await found('schema', 'not ')).toBe('C')
    expect(await found('schema', 'not (not ').catch(error => (error as Problem).kind)).toBe('filter')
    expect((await fixture.values('messages', 'session_id', "not (not text match 'schema')")).join('')).toBe(
      'AB',
    )
    expect(
      (await fixture.values('messages', 'session_id', "text not match 'schema' or not has_text")).join(''),
    ).toBe('CD')
  })
})

describe('an error points inside the search', () => {
  test.each([
    ["text match ''", 13],
    ["text match '  --'", 15],
    ["text match '🎉'", 13],
    ["text match 'foo or'", 18],
    ["text match 'or foo'", 13],
    ["text match 'foo or or bar'", 20],
    [`text match 'it''s "open'`, 19],
    ["text match '*foo'", 13],
    ["text match 'f*oo'", 14],
    ["text match 'foo or ---'", 20],
  ])('%s', async (filter, character) => {
    const problem = await fixture.values('messages', 'session_id', filter).catch(error => error as Problem)
    expect(problem).toBeInstanceOf(Problem)
    expect((problem as Problem).message).toMatch(new RegExp(` at character ${character}$`))
  })
})

test('any search is an answer or a fault inside it', async () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.constantFrom(
      '"',
      '*',
      ' ',
      'or',
      'and',
      'NOT',
      'NEAR(',
      ')',
      ':',
      '^',
      '+',
      '-',
      '{',
      '}',
      "'",
      '\0',
      '\uD800',
      'drift',
    ),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async pieces => {
      const search = pieces.join('')
      const result = readSearch(search, isSearchable)
      if ('search' in result) {
        expect(await found(search)).toMatch(/^[ABC]*$/)
        expect(await found(search, 'not ')).toMatch(/^[ABC]*$/)
      } else {
        expect(result.index).toBeGreaterThanOrEqual(0)
        expect(result.index).toBeLessThanOrEqual(search.length)
      }
    }),
  )
})

test('a search of 5,000 words gives an answer', async () => {
  expect(await found(Array(5000).fill('drift').join(' '))).toBe('AB')
  expect(await found(Array(5000).fill('parser').join(' or '))).toBe('A')
})
