import { describe, expect, test } from 'vitest'
import { Problem } from '../../src/problem/problem.ts'
import { recordRelations } from '../../src/query/relations.ts'
import { compileFilter } from '../../src/query/run-query.ts'
import { sqliteDialect } from '../../src/sqlite/dialect.ts'
import { NOW } from './index-fixture.ts'

function problemOf(filter: string, relation = 'messages'): Problem {
  try {
    compileFilter({ relation, filter, now: NOW, dialect: sqliteDialect, relations: recordRelations })
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error(`no problem with ${filter}`)
}

/** What the caret points at, and the line below it. */
function placeOf(problem: Problem): { under: string; fits: string } {
  const [shown, caret, fits] = (problem.hint as string).split('\n') as [string, string, string]
  expect(caret).toMatch(/^ *\^$/)
  return { under: shown.slice(caret.length - 1), fits }
}

describe('case 20: an error points at the place and nothing runs', () => {
  test.each([
    ["' or 1=1 --", "' or 1=1 --", 'close it'],
    [';drop table entries', ';drop', 'a filter is made of'],
    ["side = 'x'; drop table entry", '; drop', 'a filter is made of'],
    ["side = 'x' -- rest", '-- rest', 'a filter is made of'],
    ["side = '' or 1=1", '1=1', 'the column stands on the left'],
    ["side = '' or '1'='1'", "'1'='1'", 'the column stands on the left'],
    ["side = 'x') or (side = 'y'", ") or (side = 'y'", 'no parenthesis is open'],
    ["side = 'x' union select 1", 'union', 'join conditions'],
    ['(select 1) = 1', 'select', 'columns: session_id'],
    ['lower(side) = 1', '(side)', 'no functions'],
  ])('%s', (filter, under, fits) => {
    const problem = problemOf(filter)
    expect(problem.kind).toBe('filter')
    const place = placeOf(problem)
    if (filter.startsWith('(select')) expect(place.under).toMatch(/^(select|1)/)
    else expect(place.under.startsWith(under)).toBe(true)
    if (!filter.startsWith('(select')) expect(place.fits).toContain(fits)
  })

  test('an unknown column names the nearest and lists the others', () => {
    const problem = problemOf("kind = 'message' and peeras = 'x'")
    expect(problem.message).toBe('unknown column "peeras" of messages at character 22')
    expect(placeOf(problem)).toEqual({
      under: "peeras = 'x'",
      fits: expect.stringMatching(/^did you mean peer_as\? columns: session_id, at, /) as string,
    })
  })

  test('a column of another relation is named with it', () => {
    expect(placeOf(problemOf("text = 'x'", 'entries')).fits).toMatch(/^messages has it; columns here: /)
  })
})

describe('types', () => {
  test.each([
    ["text_length > '5'", "'5'", 'without quotes: 5'],
    ['text_length > true', 'true', 'without quotes: 10'],
    ['text > 5', '5', "'5'"],
    ['text = true', 'true', "'true'"],
    ['text = 2h', '2h', "'2h'"],
    ['side = received', 'received', "'received'"],
    ['side = "received"', '"received"', "'received'"],
    ['side = “received”', '“received”', "'received'"],
    ['"side" = 1', '"side"', 'a column without quotes'],
    ['side = cwd', 'cwd', "'cwd'"],
    ["is_queued = 'true'", "'true'", 'is_queued = true'],
    ['is_queued = 1', '1', 'is_queued = true'],
    ['is_queued > true', 'true', 'not is_queued'],
    ['is_queued between false and true', 'is_queued', 'not is_queued'],
    ["is_queued like 'x'", 'is_queued', 'is_queued = true'],
    ["at like '2026-11%'", 'at like', "at >= '2026-11-01'"],
    ["text_length like '5'", 'text_length', 'text_length >= 10'],
    ["at match 'x'", 'at match', 'match searches text'],
    ['at = 5', '5', 'times:'],
    ['at > tody', 'tody', 'did you mean today?'],
    ['at > text', 'text', "'text'"],
    ['side', 'side', "side = '…'"],
    ['at and is_queued', 'at and', "at >= '2026-11-01'"],
    ['reason = null', 'null', 'reason is null'],
    ['reason != NULL', 'NULL', 'reason is not null'],
    ["reason in ('a', null)", 'null', 'reason is null'],
    ['at > null', 'null', 'at is null'],
    ['text_length between null and 5', 'null', 'text_length is null'],
    ['reason like null', 'null', 'reason is null'],
    ["text like 'x' escape 'ab'", "'ab'", "escape '!'"],
    ["text like 'x' escape ''", "''", "escape '!'"],
    ["text like 'x' escape '\0'", "'", "escape '!'"],
  ])('%s', (filter, under, fits) => {
    const place = placeOf(problemOf(filter))
    expect(place.under.startsWith(under)).toBe(true)
    expect(place.fits).toContain(fits)
  })

  test('a pattern longer than SQLite takes is refused at its place', () => {
    expect(problemOf(`text like '${'%'.repeat(50_001)}'`).message).toBe(
      'a pattern that is too long at character 11',
    )
  })
})

describe('syntax', () => {
  test.each([
    ['', '', 'leave the filter out'],
    ['   ', '   ', 'leave the filter out'],
    ["side = 'x' side = 'y'", "side = 'y'", 'join conditions'],
    ["side = 'x' and", '', 'begins with a column'],
    ['and', 'and', 'begins with a column'],
    ['side =', '', 'a value belongs here'],
    ['side = = 1', '= 1', 'a value belongs here'],
    ["(side = 'x'", '', 'close the parenthesis'],
    ['()', ')', 'begins with a column'],
    ["side in 'x'", "'x'", 'parentheses'],
    ['side in ()', ')', 'a value belongs here'],
    ["side in ('x' 'y')", "'y'", 'goes on with ,'],
    ["side in ('x',", '', 'a value belongs here'],
    ["side between 'a'", '', 'between … and …'],
    ["side between 'a' or 'b'", 'or', 'between … and …'],
    ["side is 'x'", "'x'", 'is null'],
    ["side not 'x'", "'x'", 'like, in, between or match'],
    ["side lke 'x'", 'lke', 'did you mean like?'],
    ["cwd ilike 'x'", 'ilike', 'did you mean like?'],
    ["cwd contains 'x'", 'contains', 'after a column'],
    ["side = 'x' && at > now", '&&', 'write and'],
    ["side = 'x' || at > now", '||', 'write or'],
    ["! side = 'x'", '!', 'write not'],
    ["entries.side = 'x'", '.side', 'without the name'],
    ["side = 'it's'", "'", 'written twice'],
    ['text_length > 1e999', '1e999', ''],
  ])('%s', (filter, under, fits) => {
    const problem = problemOf(filter)
    expect(problem.kind).toBe('filter')
    const place = placeOf(problem)
    expect(place.under.startsWith(under)).toBe(true)
    expect(place.fits ?? '').toContain(fits)
  })
})

describe('the place is shown safely', () => {
  test('controls and bidi characters stand escaped and the caret stays under the place', () => {
    const problem = problemOf("cwd='\u202e\x1b]52;\x07漢\n' and sidee='x'")
    // The ideograph takes two columns of the terminal.
    expect(problem.hint?.split('\n').slice(0, 2)).toEqual([
      "cwd='\\u{202e}\\x1b]52;\\x07漢\\n' and sidee='x'",
      `${' '.repeat("cwd='\\u{202e}\\x1b]52;\\x0700\\n' and ".length)}^`,
    ])
  })

  test('a name made of controls is escaped in the message too', () => {
    expect(problemOf("side = 'x' \u202e").message).toBe('unexpected "\\u{202e}" at character 12')
  })

  test('of a long filter the part around the place is shown', () => {
    const term = "side = 'x' or "
    const problem = problemOf(`${term.repeat(5000)}sidd = 'x'${" or side = 'x'".repeat(5000)}`)
    expect(problem.message).toBe(`unknown column "sidd" of messages at character ${5000 * term.length + 1}`)
    const [shown, caret] = String(problem.hint).split('\n') as [string, string]
    expect(shown.length).toBeLessThan(80)
    expect(shown).toMatch(/^….*…$/)
    expect(shown.slice(caret.length - 1)).toMatch(/^sidd = 'x'/)
  })

  test('characters are counted as people count them, not in halves of a pair', () => {
    expect(problemOf("cwd = '👍👍' and x = 1").message).toBe('unknown column "x" of messages at character 16')
  })
})

describe('nesting never overflows the stack', () => {
  test.each([
    ['parentheses', `${'('.repeat(10_000)}side = 'x'${')'.repeat(10_000)}`],
    ['parentheses that never close', '('.repeat(10_000)],
    ['not', `${'not '.repeat(10_000)}side = 'x'`],
    ['not and parentheses', `${'not('.repeat(10_000)}side = 'x'${')'.repeat(10_000)}`],
  ])('10,000 %s', (_, filter) => {
    expect(problemOf(filter).message).toMatch(/^nested more than 50 deep at character \d+$/)
  })

  test('100,000 values are refused at the first that is too many', () => {
    expect(problemOf(Array(100_000).fill('text_length = 1').join(' or ')).message).toMatch(
      /^more values than a filter can hold/,
    )
  })
})
