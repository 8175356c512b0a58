import { describe, expect, it } from 'vitest'
import { Problem } from '../../src/problem/problem.ts'
import { readSearch } from '../../src/query/filter/match-text.ts'
import { recordRelations } from '../../src/query/relations.ts'
import { compileFilter } from '../../src/query/run-query.ts'
import { sqliteDialect } from '../../src/sqlite/dialect.ts'
import { isSearchable, searchQuery } from '../../src/sqlite/text-search.ts'
import { IndexFixture, NOW } from './index-fixture.ts'

const compile = (filter: string, relation = 'messages') =>
  compileFilter({ relation, filter, now: NOW, dialect: sqliteDialect, relations: recordRelations })

function problemOf(filter: string, relation?: string): Problem {
  try {
    compile(filter, relation)
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error('no problem')
}

describe('how much a filter may hold', () => {
  const all = (term: string, number: number) => Array(number).fill(term).join(' or ')

  it.each<[string, string, number]>([
    ['a number', 'text_length = 1', 1],
    ['a text', "side = 'sent'", 1],
    ['a boolean', 'is_queued = true', 1],
    ['a search', "text match 'x'", 1],
    ['a pattern', "side like 'x'", 2],
    ['a time', 'at > 2h', 2],
    ['two of a range', 'text_length between 1 and 2', 2],
  ])('%s: %s counts as %i of 16,000 values', (_, term, count) => {
    expect(() => compile(all(term, 16_000 / count))).not.toThrow()
    const problem = problemOf(all(term, 16_000 / count + 1))
    expect(problem.message).toMatch(/^more values than a filter can hold at character \d+$/)
    expect(problem.hint).toContain('at most 16000, times and patterns count twice')
  })

  it('values of a list count each', () => {
    const list = (values: string[]) => `side in (${values.join(', ')})`
    expect(() => compile(list(Array(16_000).fill("'x'")))).not.toThrow()
    expect(problemOf(list(Array(16_001).fill("'x'"))).message).toMatch(/^more values/)
    expect(problemOf(`at in (${Array(8_001).fill('2h').join(',')})`).message).toMatch(/^more values/)
  })

  it.each([
    ['%', 50_000],
    ['ä', 25_000],
    ['\u{FDD0}', 50_000 / 6],
  ])('a pattern of %j is measured as it is bound', (letter, most) => {
    const accepted = letter.repeat(Math.floor(letter === '\u{FDD0}' ? most / 4 : most))
    expect(() => compile(`text like '${accepted}'`)).not.toThrow()
    const refused = letter.repeat(Math.floor(most) + 1)
    expect(problemOf(`text like '${refused}'`).hint).toContain('at most 50000 bytes')
  })

  it.each(['!', 'é', '🎉', '%'])('%s is one character to escape by', letter => {
    expect(() => compile(`text like 'x' escape '${letter}'`)).not.toThrow()
  })

  it.each(['', '!!', '🎉🎉', 'e\u0301', '\0', '\ud800', '\u{FDD0}'])('%j is none', letter => {
    expect(problemOf(`text like 'x' escape '${letter}'`).message).toMatch(/^escape needs one character/)
  })
})

describe('values of another type say how to write them', () => {
  const fitsOf = (filter: string, relation?: string) => problemOf(filter, relation).hint?.split('\n').at(-1)

  it.each([
    ["text_length = '5.25'", 'a number stands without quotes: 5.25'],
    ["text_length = '-5'", 'a number stands without quotes: -5'],
    ["text_length = '5x'", 'a number stands without quotes: 10'],
    ["text_length = '1234567890123456'", 'a number stands without quotes: 10'],
    [`side = ${'x'.repeat(60)}`, `a text stands in single quotes: '${'x'.repeat(60)}'`],
    [`side = ${'x'.repeat(61)}`, 'a text stands in single quotes'],
    ['side = CWD', "a column compares with a value; the text cwd would be 'cwd'"],
    ["is_queued = 'null'", 'write is_queued = true, or is_queued on its own'],
    ['is_queued = null', 'write is_queued is null'],
    ['is_queued != null', 'write is_queued is not null'],
    ['text_length in (1, NULL)', 'write text_length is null'],
    ['is_queued < true', 'write is_queued or not is_queued'],
    ['text_length', 'compare it: text_length >= 10'],
    ["at like '2026%'", "write for example at >= '2026-11-01'"],
    ["text_length like '5'", 'write for example text_length >= 10'],
    ["is_queued like 'x'", 'write for example is_queued = true'],
  ])('%s: %s', (filter, fits) => expect(fitsOf(filter)).toBe(fits))

  it("'null' in quotes is a text", () => {
    expect(() => compile("reason = 'null' and side in ('null')")).not.toThrow()
  })

  it('a relation that cannot be searched says so, one that can names its column', () => {
    expect(fitsOf("session_id match 'x'", 'sessions')).toContain('no column of sessions can be searched')
    expect(fitsOf("side match 'x'")).toContain('match searches text')
  })
})

describe('a search as it is asked of the index', () => {
  it.each<[string, string]>([
    ['a', '("a")'],
    [' a  b ', '("a" AND "b")'],
    ['a and b', '("a" AND "b")'],
    ['a AND b', '("a" AND "b")'],
    ['a b or c d OR e', '("a" AND "b") OR ("c" AND "d") OR ("e")'],
    ['"a b" c', '("a b" AND "c")'],
    ['"say ""hi"" now"', '("say ""hi"" now")'],
    ['a"b c"', '("a" AND "b c")'],
    ['beg*', '("beg"*)'],
    ['beg**', '("beg"*)'],
    ['"two words"*', '("two words"*)'],
    ['-- a', '("a")'],
    ['٣', '("٣")'],
    ['\ue000', '("\ue000")'],
    ['a:b', '("a:b")'],
    ['"or"', '("or")'],
    ['and and a', '("a")'],
  ])('%j is %s', (search, query) => {
    const read = readSearch(search, isSearchable)
    expect('search' in read && searchQuery(read.search)).toBe(query)
  })

  it.each<[string, number, string]>([
    ['', 0, 'no letter or digit to search for'],
    ['  -- ', 2, 'no letter or digit to search for'],
    ['or a', 0, 'nothing to search for before or'],
    ['a or', 3, 'nothing to search for after or'],
    ['a or  --', 6, 'nothing to search for after or'],
    ['a or or b', 5, 'nothing to search for before or'],
    ['a "b', 2, 'a phrase that begins and has no end'],
    ['a b*c', 3, 'a * that is not at the end of a word'],
    ['a *b', 2, 'a * that is not at the end of a word'],
  ])('%j is refused at %i: %s', (search, index, what) => {
    expect(readSearch(search, isSearchable)).toMatchObject({ what, index })
  })

  it('finds a word beside a character that the index cannot hold as it is', async () => {
    const fixture = new IndexFixture()
    fixture.message('before\0after \u{FDD0}x', { session_id: 'A' })
    fixture.message('before after', { session_id: 'B' })
    const found = (filter: string) => fixture.values('messages', 'session_id', filter)
    expect(await found(`text match '"before\0after"'`)).toEqual(['A'])
    expect(await found("text match 'after'")).toContain('B')
    expect(await found("text_length > 0 and session_id in ('A', 'x')")).toEqual(['A'])
  })
})

it('without a value is neither like another nor unlike it', async () => {
  const fixture = new IndexFixture()
  fixture.message('x', { session_id: 'A', reason: 'r' })
  fixture.message('x', { session_id: 'B', reason: null })
  const found = async (filter: string) => (await fixture.values('messages', 'session_id', filter)).join('')
  for (const test of ["reason != 'x'", "reason not like 'x'", "reason not in ('x')", "not reason = 'x'"])
    expect(await found(test), test).toBe('A')
  expect(await found("reason like 'R'")).toBe('A')
  expect(await found("session_id like '\\%' or session_id like '_'")).toBe('AB')
})
