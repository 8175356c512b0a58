import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { escapeLines } from '../../src/hostile-text/escape-text.ts'
import { Problem } from '../../src/problem/problem.ts'
import { parseFilter } from '../../src/query/filter/parser.ts'
import { recordRelations } from '../../src/query/relations.ts'
import { IndexFixture } from './index-fixture.ts'

const fixture = new IndexFixture()
const tables = ['entry', 'message_text', 'unread', 'session', 'folder', 'message_fts']
const count = () => tables.map(table => fixture.sqlite.prepare(`select count(*) from ${table}`).pluck().get())

beforeAll(() => {
  fixture.message('schema drift', { is_queued: 1 })
  fixture.message(null, { session_id: 'S2' })
  fixture.entry({ session_id: 'S2', kind: 'chain', parent: 'S1', part: 'p' })
  fixture.session({ session_id: 'S2', parent: 'S1' })
  fixture.unread('S3', { name: 'x.json' })
})

/** Pieces that filters, and attempts to break out of them, are made of. */
const piece = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      'side',
      'at',
      'is_queued',
      'text_length',
      'text',
      'file',
      'reason',
      'session_id',
    ),
  },
  {
    weight: 5,
    arbitrary: fc.constantFrom('and', 'or', 'not', 'like', 'in', 'is', 'null', 'between', 'match', 'escape'),
  },
  { weight: 5, arbitrary: fc.constantFrom('=', '!=', '<', '<=', '>', '>=', '(', ')', ',', '==', '<>') },
  {
    weight: 5,
    arbitrary: fc.constantFrom("'x'", "''", "'%'", '1', '2h', 'true', 'today', "'2026-11-01'", "'a b*'"),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ';',
      '--',
      '/*',
      '"',
      '`',
      '\\',
      '\0',
      '\x1b[2J',
      '\u202e',
      '\ud800',
      '?',
      '@a',
      '$1',
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 5 }) },
)

async function answerOrProblem(relation: string, filter: string): Promise<'answer' | 'problem'> {
  try {
    await fixture.rows(relation, { filter })
    return 'answer'
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    expect(error.kind).toBe('filter')
    expect(escapeLines(error.message + error.hint)).toBe(error.message + error.hint)
    expect(error.message).not.toContain('\n')
    return 'problem'
  }
}

test('case 20: any filter gives an answer or an error that is safe to show, and changes nothing', async () => {
  const before = count()
  const relation = fc.constantFrom(...recordRelations.map(({ name }) => name))
  await fc.assert(
    fc.asyncProperty(relation, fc.array(piece, { maxLength: 12 }), async (name, pieces) => {
      await answerOrProblem(name, pieces.join(' '))
      await answerOrProblem(name, pieces.join(''))
    }),
    { numRuns: 400 },
  )
  expect(count()).toEqual(before)
})

test('case 20: any text is found as the value it is', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), async text => {
      const own = new IndexFixture()
      own.message(text, { session_id: 'A', cwd: text })
      own.message(`${text}x`, { session_id: 'B', cwd: `${text}x` })
      const value = `'${text.replaceAll("'", "''")}'`
      expect(await own.values('messages', 'session_id', `text = ${value} and cwd in (${value})`)).toEqual([
        'A',
      ])
      expect(await own.values('messages', 'text', `text > ${value}`)).toEqual([`${text}x`])
    }),
    { numRuns: 50 },
  )
})

test('valid filters made of conditions always answer', async () => {
  const condition = fc.constantFrom(
    "side = 'x'",
    'is_queued',
    'at > 2h',
    "text match 'schema'",
    "reason like '%'",
    'text_length between 1 and 9',
    "outcome in ('queued', 'unknown')",
    'msg_id is not null',
  )
  const { filter } = fc.letrec<{ filter: string }>(tie => ({
    filter: fc.oneof(
      { maxDepth: 6 },
      condition,
      tie('filter').map(inner => `not (${inner})`),
      fc.tuple(tie('filter'), tie('filter')).map(([left, right]) => `(${left}) and ${right}`),
      fc.tuple(tie('filter'), tie('filter')).map(([left, right]) => `(${left} or ${right})`),
    ),
  }))
  await fc.assert(
    fc.asyncProperty(filter, async text => {
      expect(await answerOrProblem('messages', text)).toBe('answer')
      // Every row is true, false or unknown: the three together are the whole.
      const [yes, no, all] = await Promise.all([
        fixture.count('messages', text),
        fixture.count('messages', `not (${text})`),
        fixture.count('messages'),
      ])
      expect(yes + no).toBeLessThanOrEqual(all)
    }),
  )
})

test('the tree is plain and frozen, with the place of every part', () => {
  const tree = parseFilter("not is_queued or side in ('a')")
  expect(JSON.parse(JSON.stringify(tree))).toEqual({
    kind: 'or',
    start: 0,
    end: 30,
    terms: [
      {
        kind: 'not',
        start: 0,
        end: 13,
        term: { kind: 'flag', start: 4, end: 13, column: { text: 'is_queued', start: 4, end: 13 } },
      },
      {
        kind: 'in',
        start: 17,
        end: 30,
        column: { text: 'side', start: 17, end: 21 },
        values: [{ kind: 'string', text: 'a', start: 26, end: 29 }],
      },
    ],
  })
  const isFrozen = (value: unknown): boolean =>
    typeof value !== 'object' ||
    value === null ||
    (Object.isFrozen(value) && Object.values(value).every(isFrozen))
  expect(isFrozen(tree)).toBe(true)
})
