import { describe, expect, test } from 'vitest'
import { sharedPlace } from '../support/coord.ts'
import { at, resolved } from '../support/record-builder.ts'

const here = sharedPlace()
const { record } = here
record.start('alpha', at(0), { cwd: '/home/dev/shop' })
record.sent('alpha', resolved('beta'), 'the schema drift is real', at(10), { cwd: '/home/dev/shop' })
record.received('alpha', 'reviewer', "it's 100% drift, table_v2", at(20), { cwd: '/home/dev/100%' })
record.sent('alpha', 'gamma', 'Grüße', at(30), { isQueued: false, reason: 'held' })
record.received('alpha', { as: null }, 'a\nb "quoted" words', at(40), { outcome: 'rejected' })
record.start('beta', '2026-12-24T23:59:59.999Z', { cwd: '/home/dev/shop-2' })

async function seconds(relation: string, filter: string): Promise<number[]> {
  const outcome = await here.run('query', relation, filter, '--select', 'at', '--json')
  expect(outcome.code, outcome.stderr).toBe(0)
  return outcome.json().rows.map((row: { at: string }) => (Date.parse(row.at) - Date.parse(at(0))) / 1000)
}

const day24 = (Date.parse('2026-12-24T23:59:59.999Z') - Date.parse(at(0))) / 1000

describe('the filter', () => {
  const cases: [string, string, number[]][] = [
    ['entries', "kind = 'start'", [0, day24]],
    ['entries', "kind != 'start'", [10, 20, 30, 40]],
    ['entries', "KIND = 'start' AND session_id = 'alpha'", [0]],
    ['entries', "session_id = 'beta' or kind = 'message'", [10, 20, 30, 40, day24]],
    ['entries', "session_id = 'beta' or kind = 'message' and not session_id = 'alpha'", [day24]],
    ['entries', "(session_id = 'beta' or kind = 'message') and session_id = 'alpha'", [10, 20, 30, 40]],
    ['entries', "not (kind = 'start')", [10, 20, 30, 40]],
    ['entries', "not not kind = 'start'", [0, day24]],
    ['messages', "side in ('received', 'nothing')", [20, 40]],
    ['messages', "side not in ('received')", [10, 30]],
    ['messages', 'reason is null', [10, 20, 40]],
    ['messages', 'reason is not null', [30]],
    ['messages', 'peer_as is null', [40]],
    ['messages', `at between '${at(10)}' and '${at(30)}'`, [10, 20, 30]],
    ['messages', `at > '${at(10)}' and at < '${at(30)}'`, [20]],
    ['messages', `at >= '${at(10)}' and at <= '${at(30)}'`, [10, 20, 30]],
    ['entries', "at >= '2026-12-01'", [day24]],
    ['messages', 'text_length > 20 and text_length <= 26', [10, 20]],
    ['entries', "cwd like '/home/dev/shop%'", [0, 10, day24]],
    ['messages', "text like '%drift%'", [10, 20]],
    ['messages', "text not like '%drift%'", [30, 40]],
    ['messages', "text like 'Gr__e'", [30]],
    ['messages', "text = 'it''s 100% drift, table_v2'", [20]],
    ['messages', "text = 'Grüße'", [30]],
    ['messages', "text match 'schema drift'", [10]],
    ['messages', "text match 'drift'", [10, 20]],
    ['messages', 'text match \'"quoted words"\'', [40]],
    ['messages', 'is_queued = true', [10]],
    ['messages', 'is_queued = false', [30]],
    ['messages', "outcome = 'rejected'", [40]],
    [
      'messages',
      "side = 'received' and at >= '2026-11-01' and cwd like '/home/dev/%' and text match 'drift'",
      [20],
    ],
    ['entries', `${'('.repeat(40)}kind = 'start'${')'.repeat(40)}`, [0, day24]],
  ]

  test.each(cases)('%s where %s', async (relation, filter, expected) => {
    expect(await seconds(relation, filter)).toEqual(expected)
  })

  const hostileMatches = [
    'text:drift',
    'drift*',
    'NEAR(a b)',
    'a AND b',
    '"',
    '""',
    '(',
    '*',
    '^drift',
    '-drift',
    '{a b}: c',
    'drift"; drop table entry; --',
    '\u001b',
    '',
  ]
  test.each(hostileMatches)(
    'text match %j answers or says what is wrong, never a fault of SQLite',
    async words => {
      const outcome = await here.run(
        'query',
        'messages',
        `text match '${words.replaceAll("'", "''")}'`,
        '--json',
      )
      expect([0, 2]).toContain(outcome.code)
      expect(outcome.stderr).not.toMatch(/sqlite|fts5|SQLITE_/i)
    },
  )
})

describe('case 20: a filter that is wrong', () => {
  const wrong: [string, string, number][] = [
    ["' or 1=1 --", 'an open quote', 1],
    [';drop table entries', 'a semicolon', 1],
    ["kind = 'start'; drop table entries", 'a second statement', 15],
    ['colour = 5', 'an unknown column', 1],
    ['kind', 'no condition', 1],
    ['kind =', 'no value', 7],
    ["kind = 'start", 'a quote that is not closed', 8],
    ["kind = 'start' and", 'nothing after and', 19],
    ["kind = 'start' kind = 'x'", 'no and', 16],
    ["(kind = 'start'", 'a bracket that is not closed', 16],
    ["kind = 'start')", 'a bracket too many', 15],
    ["kind === 'start'", 'a wrong operator', 8],
    ["kind = 'start' -- comment", 'a comment', 16],
    ['kind in ()', 'an empty list', 10],
    ['1 = 1', 'a number for a column', 1],
    ['kind = (select 1)', 'a query inside', 8],
    ['sqlite_version() = 1', 'a function', 15],
    ['rowid = 1', 'a column of SQLite', 1],
    ['constructor = 1', 'a field of every object', 1],
    ['__proto__ = 1', 'another', 1],
    ['at > yesterdayish', 'a word for a value', 6],
    ["at > '2026-99-99'", 'a time that is none', 6],
  ]

  test.each(wrong)('%s (%s): an error that points at the place', async (filter, _, place) => {
    const outcome = await here.run('query', 'entries', filter)
    expect(outcome.code, outcome.stdout).toBe(2)
    expect(outcome.stdout).toBe('')
    expect(outcome.stderr).toMatch(/\(filter\)$/m)
    const lines = outcome.stderr.split('\n')
    const caretLine = lines.findIndex(line => /^\s*\^+\s*$/.test(line))
    expect(caretLine, outcome.stderr).toBeGreaterThan(0)
    const shown = lines[caretLine - 1] as string
    const start = shown.indexOf(filter)
    expect(start, `the filter stands above the caret:\n${outcome.stderr}`).toBeGreaterThanOrEqual(0)
    const caret = (lines[caretLine] as string).indexOf('^') - start + 1
    expect(caret, outcome.stderr).toBe(place)
  })

  test('a wrong column is told what would fit', async () => {
    const { stderr } = await here.run('query', 'messages', "peer_ass = 'x'")
    expect(stderr).toContain('peer_as')
  })

  test('with --json the error is an object of kind filter, and stdout is empty', async () => {
    const outcome = await here.run('query', 'entries', "' or 1=1 --", '--json')
    expect(outcome.code).toBe(2)
    expect(outcome.stdout).toBe('')
    expect(outcome.error()).toMatchObject({ kind: 'filter', message: expect.stringMatching(/\S/) })
  })

  test('values are bound: SQL in them finds only itself, and nothing runs', async () => {
    const before = (await here.run('query', 'entries', '--count')).stdout
    for (const value of ["' or 1=1 --", "'; drop table entry; --", "x' union select 1 --"]) {
      expect(await seconds('messages', `text = '${value.replaceAll("'", "''")}'`)).toEqual([])
    }
    expect((await here.run('query', 'entries', '--no-refresh', '--count')).stdout).toBe(before)
  })

  test('--order and --select take columns alone', async () => {
    for (const hostile of ['at; drop table entry', '(select 1)', 'at desc, random()', "at' --"]) {
      for (const option of ['--order', '--select']) {
        const outcome = await here.run('query', 'entries', option, hostile)
        expect(outcome.code, `${option} ${hostile}`).toBe(2)
        expect(outcome.stdout).toBe('')
      }
    }
  })

  test('a filter of 100,000 brackets is an answer or an error, not a crash', async () => {
    const filter = `${'('.repeat(50_000)}kind = 'start'${')'.repeat(50_000)}`
    const outcome = await here.run('query', 'entries', filter, '--json')
    expect([0, 2]).toContain(outcome.code)
    if (outcome.code === 2) expect(outcome.error().kind).toBe('filter')
  })

  test('a filter of 3,000 conditions is an answer or an error, not a crash', async () => {
    const filter = Array.from({ length: 3000 }, () => "kind = 'start'").join(' or ')
    const outcome = await here.run('query', 'entries', filter, '--json')
    expect([0, 2]).toContain(outcome.code)
    if (outcome.code === 2) expect(outcome.error().kind).toBe('filter')
  })
})

describe('--select, --order, --limit, --count', () => {
  test('columns stand in the order that was asked for', async () => {
    const { columns, rows } = (await here.run('query', 'entries', '--select', 'kind,at', '--json')).json()
    expect(columns).toEqual(['kind', 'at'])
    expect(Object.keys(rows[0])).toEqual(['kind', 'at'])
  })

  test('--order "at desc" with --limit', async () => {
    const outcome = await here.run(
      'query',
      'messages',
      '--order',
      'at desc',
      '--limit',
      '2',
      '--select',
      'at',
      '--json',
    )
    expect(outcome.json().rows).toEqual([{ at: at(40) }, { at: at(30) }])
  })

  test('--order by two columns', async () => {
    const outcome = await here.run(
      'query',
      'entries',
      '--order',
      'kind desc, at desc',
      '--select',
      'kind,at',
      '--json',
    )
    expect(outcome.json().rows.map((row: { kind: string }) => row.kind)).toEqual([
      'start',
      'start',
      'message',
      'message',
      'message',
      'message',
    ])
    expect(outcome.json().rows[0].at).toBe('2026-12-24T23:59:59.999Z')
    expect(outcome.json().rows[2].at).toBe(at(40))
  })

  test('--limit 0 is no row, and --count counts all that fit', async () => {
    expect((await here.run('query', 'entries', '--limit', '0', '--json')).json().rows).toEqual([])
    expect((await here.run('query', 'entries', "kind = 'message'", '--count')).stdout).toBe('4\n')
  })
})
