import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IndexDamage } from '../../src/database/database.ts'
import { parseStoredFacts } from '../../src/database/stored-facts.ts'
import { fromStored, toStored } from '../../src/database/stored-text.ts'
import { openSqlite } from '../../src/sqlite/open-sqlite.ts'

const ANY_UNITS = fc
  .array(fc.constantFrom('a', 'é', '\0', '\ud800', '\udfff', '\u{fdd0}', '\u{fdd1}', '\u{fde0}', '\u{1f600}'))
  .map(units => units.join(''))

describe('stored text', () => {
  it.each([
    ['plain', 'plain'],
    ['', ''],
    ['\u{1f600} and \u{fdd1}', '\u{1f600} and \u{fdd1}'],
    ['\0', '\u{fdd0}\u{fdd1}\u{fdd1}\u{fdd1}\u{fdd1}'],
    ['\ud800', '\u{fdd0}\u{fdde}\u{fdd9}\u{fdd1}\u{fdd1}'],
    ['\udfff', '\u{fdd0}\u{fdde}\u{fde0}\u{fde0}\u{fde0}'],
    ['\u{fdd0}', '\u{fdd0}\u{fde0}\u{fdde}\u{fdde}\u{fdd1}'],
    ['a\0b\0', 'a\u{fdd0}\u{fdd1}\u{fdd1}\u{fdd1}\u{fdd1}b\u{fdd0}\u{fdd1}\u{fdd1}\u{fdd1}\u{fdd1}'],
  ])('of %j is %j, and reads back', (text, stored) => {
    expect(toStored(text)).toBe(stored)
    expect(fromStored(stored)).toBe(text)
  })

  it('rule.verbatim: any text comes back from SQLite, and its pieces are found in it by like', () => {
    const db = openSqlite(':memory:')
    db.exec('create table t (id integer primary key, v text)')
    const put = db.prepare('insert into t (v) values (?)')
    const get = db.prepare('select v from t where id = ?').pluck()
    const like = db.prepare('select count(*) from t where id = ? and v like ?').pluck()
    fc.assert(
      fc.property(ANY_UNITS, ANY_UNITS, (before, after) => {
        const text = `${before}\0${after}`
        const { lastInsertRowid: id } = put.run(toStored(text))
        expect(fromStored(get.get(id) as string)).toBe(text)
        expect(like.get(id, `%${toStored('\0')}${toStored(after)}`)).toBe(1)
      }),
    )
    db.close()
  })

  it('of two texts is the same only where they are the same', () => {
    fc.assert(
      fc.property(ANY_UNITS, ANY_UNITS, (a, b) => {
        expect(toStored(a) === toStored(b)).toBe(a === b)
      }),
    )
  })

  it('leaves a mark without its four digits as it is', () => {
    for (const text of ['\u{fdd0}', '\u{fdd0}\u{fdd1}\u{fdd1}\u{fdd1}', '\u{fdd0}abcd'])
      expect(fromStored(text)).toBe(text)
  })
})

describe('stored facts', () => {
  it('read back with every character', () => {
    const facts = { sessionId: 's', cwd: '/a\0b' }
    expect(parseStoredFacts(toStored(JSON.stringify(facts)))).toEqual(facts)
  })

  it('that no indexer wrote are damage of the index', () => {
    for (const stored of ['', '{', 'facts'])
      expect(() => parseStoredFacts(stored), stored).toThrow(IndexDamage)
  })
})
