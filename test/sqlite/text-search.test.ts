import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Search } from '../../src/database/dialect.ts'
import { makeIndex } from '../../src/sqlite/new-index.ts'
import { openSqlite } from '../../src/sqlite/open-sqlite.ts'
import { foundIds, isSearchable, searchOfOne, searchQuery } from '../../src/sqlite/text-search.ts'
import { tempFolder } from '../support/temp-folder.ts'

const TEXTS = ['drift of the schema', 'schema', 'drift', 'a "drift" of "x"', 'of drift the schema']

const word = (text: string) => ({ text, isPrefix: false })
const begins = (text: string) => ({ text, isPrefix: true })

it.each<[string, Search, number[]]>([
  ['a word', [[word('schema')]], [0, 1, 4]],
  ['words in their order', [[word('drift of the')]], [0]],
  ['every term of a group', [[word('drift'), word('schema')]], [0, 4]],
  ['any of the groups', [[word('schema')], [word('x')]], [0, 1, 3, 4]],
  [
    'groups of terms',
    [
      [word('drift'), word('the')],
      [word('x'), word('a')],
    ],
    [0, 3, 4],
  ],
  ['the beginning of a word', [[begins('sch')]], [0, 1, 4]],
  ['the beginning of a word, asked for as a word', [[word('sch')]], []],
  ['quotes, which separate words', [[word('"drift" of "x"')]], [3]],
  ['one quote', [[word('drift"')]], [0, 2, 3, 4]],
  ['what FTS5 would take for its own', [[word('NEAR(drift schema)')]], []],
  ['a column of FTS5', [[word('text:drift')]], []],
])('a search finds %s', async (_, search, found) => {
  const path = join(tempFolder(), 'i.db')
  await makeIndex(path, async () => {})
  const db = openSqlite(path)
  const add = db.prepare(searchOfOne('message_text').add)
  for (const [id, text] of TEXTS.entries()) add.run(id, text)
  const ids = db
    .prepare(`${foundIds('message_text')} ? order by rowid`)
    .pluck()
    .all(searchQuery(search))
  expect(ids).toEqual(found)
  db.close()
})

it.each([
  ['a', true],
  ['é', true],
  ['7', true],
  ['字', true],
  ['\u{E000}', true],
  ['', false],
  [' -"*:^\u{FDD0}', false],
  ['\u{1F600}', false],
])('%j can be searched for: %s', (text, is) => expect(isSearchable(text)).toBe(is))
