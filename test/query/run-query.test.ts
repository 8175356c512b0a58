import { describe, expect, test } from 'vitest'
import { nearest } from '../../src/problem/nearest.ts'
import { Problem } from '../../src/problem/problem.ts'
import type { Relation } from '../../src/query/relation.ts'
import { recordRelations } from '../../src/query/relations.ts'
import { runQuery } from '../../src/query/run-query.ts'
import { sqliteDialect } from '../../src/sqlite/dialect.ts'
import { IndexFixture, NOW } from './index-fixture.ts'

async function problemOf(
  request: Parameters<IndexFixture['rows']>[1],
  relation = 'entries',
): Promise<Problem> {
  return await new IndexFixture().rows(relation, request).then(
    () => Promise.reject(new Error('no problem')),
    error => (error instanceof Problem ? error : Promise.reject(error)),
  )
}

test('an unknown relation names the nearest and lists the others', async () => {
  const problem = await problemOf({}, 'mesages')
  expect(problem).toMatchObject({
    kind: 'usage',
    message: 'unknown relation "mesages"',
    hint: 'did you mean messages? relations: entries, messages, sessions, chain, unreadable, directions, scanned_messages, sources, results, runs, steps',
  })
})

test('a relation of another room is asked for like the others', async () => {
  const fixture = new IndexFixture()
  fixture.entry({ session_id: 'S1' })
  const more: Relation = { ...(recordRelations[0] as Relation), name: 'more' }
  const relations = [...recordRelations, more]
  expect(await fixture.rows('more', { relations, select: 'kind' })).toEqual([{ kind: 'start' }])
})

describe('select', () => {
  test('columns come in the order asked for', async () => {
    const result = runQuery(new IndexFixture().db, {
      relation: 'entries',
      select: ' kind , AT',
      now: NOW,
      dialect: sqliteDialect,
    })
    expect(result.columns.map(({ name, type }) => [name, type])).toEqual([
      ['kind', 'text'],
      ['at', 'time'],
    ])
  })

  test.each([
    ['knd', 'unknown column "knd" of entries at character 1', 'did you mean kind?'],
    ['at,,kind', 'a column is missing at character 4', 'commas'],
    ['', 'a column is missing at character 1', 'commas'],
    ['at kind', 'unexpected "kind" at character 4', 'commas'],
    ['at,kind,at', 'at is chosen twice at character 9', ''],
    ['*', 'unknown column "*" of entries at character 1', 'columns: session_id'],
    ['at,1;drop', 'unknown column "1;drop" of entries at character 4', 'columns: '],
    ['text', 'unknown column "text" of entries at character 1', 'messages has it'],
  ])('case 20: %s', async (select, message, hint) => {
    const problem = await problemOf({ select })
    expect(problem).toMatchObject({ kind: 'usage', message })
    expect(problem.hint).toContain(hint)
  })
})

describe('order', () => {
  test.each([
    ['att', 'unknown column "att" of entries at character 1', 'did you mean at?'],
    ['at, kind dsc', 'unexpected "dsc" at character 10', 'did you mean desc?'],
    ['at desc nulls last', 'unexpected "nulls" at character 9', 'commas'],
    ['at; drop table entry', 'unknown column "at;" of entries at character 1', 'did you mean at?'],
    ['random()', 'unknown column "random()" of entries at character 1', 'columns: '],
  ])('case 20: %s', async (order, message, hint) => {
    const problem = await problemOf({ order })
    expect(problem).toMatchObject({ kind: 'usage', message })
    expect(problem.hint).toContain(hint)
  })

  test('without one, entries stand by time and then name; ties are broken the same way under any order', async () => {
    const fixture = new IndexFixture()
    const names = ['b', 'a', 'c'].map(letter => `2026-11-01T100000.000Z-${letter}.json`)
    for (const session_id of ['S2', 'S1']) {
      for (const name of names) fixture.entry({ session_id, name })
    }
    fixture.entry({ session_id: 'S3', name: names[0] as string, at: '2026-11-01T09:00:00.000Z' })
    const files = (order?: string) =>
      fixture
        .rows('entries', { order, select: 'session_id,name' })
        .then(rows => rows.map(row => `${row.session_id}${String(row.name).at(-6)}`).join(' '))
    expect(await files()).toBe('S3b S1a S2a S1b S2b S1c S2c')
    expect(await files('at desc')).toBe('S1a S2a S1b S2b S1c S2c S3b')
    expect(await files('kind, session_id DESC')).toBe('S3b S2a S2b S2c S1a S1b S1c')
  })
})

describe('limit', () => {
  test('is a whole number from 0', async () => {
    const fixture = new IndexFixture()
    for (const session_id of ['A', 'B', 'C']) fixture.entry({ session_id })
    expect(await fixture.rows('entries', { limit: 2 })).toHaveLength(2)
    expect(await fixture.rows('entries', { limit: 0 })).toEqual([])
  })

  test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('%s is none', async limit => {
    expect(await problemOf({ limit })).toMatchObject({
      kind: 'usage',
      message: 'the limit is not a whole number from 0',
    })
  })
})

test('count is the number of rows that the filter finds', async () => {
  const fixture = new IndexFixture()
  for (const session_id of ['A', 'B', 'C']) fixture.entry({ session_id })
  expect(await fixture.count('entries')).toBe(3)
  expect(await fixture.count('entries', "session_id > 'A'")).toBe(2)
})

test('what is wrong with a question is thrown before anything is read', () => {
  const { db, sqlite } = new IndexFixture()
  sqlite.close()
  expect(() => runQuery(db, { relation: 'entries', filter: 'x', now: NOW, dialect: sqliteDialect })).toThrow(
    Problem,
  )
  expect(() => runQuery(db, { relation: 'entries', limit: -1, now: NOW, dialect: sqliteDialect })).toThrow(
    Problem,
  )
})

test('rows come one by one, and a loop that ends early gives the connection back', async () => {
  const fixture = new IndexFixture()
  for (const session_id of ['A', 'B', 'C']) fixture.entry({ session_id })
  for await (const row of runQuery(fixture.db, {
    relation: 'entries',
    select: 'session_id',
    now: NOW,
    dialect: sqliteDialect,
  }).rows) {
    expect(row).toEqual({ session_id: 'A' })
    break
  }
  expect(await fixture.count('entries')).toBe(3)
  fixture.entry({ session_id: 'D' })
})

test.each([
  ['sessionId', 'session_id'],
  ['peer', 'peer_as'],
  ['lenght', null],
  ['text_lenght', 'text_length'],
  ['quite_else', null],
  ['x'.repeat(100_000), null],
])('nearest: %s', (word, column) => {
  expect(nearest(word, ['session_id', 'peer_as', 'text_length', 'at'])).toBe(column)
})
