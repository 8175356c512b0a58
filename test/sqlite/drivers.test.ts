import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Kysely, SqliteDialect, sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { loadNodeSqlite, type OpenOptions } from '../../src/sqlite/node-sqlite.ts'
import { isBusy, isDamage, isLeftHalfDone, isUnwritable } from '../../src/sqlite/sqlite-error.ts'
import { DRIVERS, HAS_NODE_SQLITE } from '../support/sqlite-drivers.ts'
import { tempFolder } from '../support/temp-folder.ts'

it('Node’s own SQLite is taken where it can do what an index needs, and nowhere else', () => {
  if (HAS_NODE_SQLITE) expect(DRIVERS.map(({ name }) => name)).toEqual(['better-sqlite3', 'node:sqlite'])
  else expect(() => loadNodeSqlite()).toThrow()
})

describe.each(DRIVERS)('$name', driver => {
  const open = (path = ':memory:', options: OpenOptions = {}) => {
    const db = driver.open(path, options)
    onTestFinished(() => void db.close())
    return db
  }
  const inFolder = () => join(tempFolder(), 'some.db')
  const failure = (work: () => unknown) => {
    try {
      work()
    } catch (error) {
      return error as Error & { code: string }
    }
    throw new Error('nothing was thrown')
  }

  it('gives every type of value back as it was, and numbers that are too large rounded', () => {
    const db = open()
    db.exec('create table one (id integer primary key, a, b, c, d, e)')
    const blob = Buffer.from([0, 1, 255])
    db.prepare('insert into one values (?, ?, ?, ?, ?, ?)').run(1, 'ü\u{1F600}', 1.5, null, blob, 2n ** 60n)
    const row = db.prepare('select * from one').get() as Record<string, unknown>
    expect(row).toStrictEqual({ id: 1, a: 'ü\u{1F600}', b: 1.5, c: null, d: blob, e: 2 ** 60 })
    expect(
      db.prepare('select typeof(?) as a, typeof(?) as b, typeof(?) as c').all(3, 3.5, 2 ** 40),
    ).toStrictEqual([{ a: 'real', b: 'real', c: 'real' }])
  })

  it('binds values by their order, as a list and by name, and refuses what it cannot bind', () => {
    const db = open()
    expect(db.prepare('select ? || ?').pluck().get('a', 'b')).toBe('ab')
    expect(db.prepare('select ? || ?').pluck().get(['a', 'b'])).toBe('ab')
    expect(db.prepare('select @a || @b').pluck().get({ a: 'a', b: 'b', more: 'c' })).toBe('ab')
    expect(failure(() => db.prepare('select @a || @b').get({ a: 'a' }))).toMatchObject({
      name: 'RangeError',
      message: 'Missing named parameter "b"',
    })
    expect(db.prepare('select ? is null').pluck().get(undefined)).toBe(1)
    for (const value of [true, Symbol('x'), () => 1])
      expect(failure(() => db.prepare('select ?').get(value))).toBeInstanceOf(TypeError)
  })

  it('says how many rows were changed, and the id of the last one', () => {
    const db = open()
    db.exec('create table one (id integer primary key, a)')
    const insert = db.prepare('insert into one (a) values (?)')
    expect(insert.run('x')).toEqual({ changes: 1, lastInsertRowid: 1 })
    expect(insert.run('y')).toEqual({ changes: 1, lastInsertRowid: 2 })
    expect(db.prepare('update one set a = ?').run('z').changes).toBe(2)
  })

  it('tells statements that give rows from those that do not', () => {
    const db = open()
    db.exec('create table one (a)')
    expect(db.prepare('select 1').reader).toBe(true)
    expect(db.prepare('pragma user_version').reader).toBe(true)
    expect(db.prepare('insert into one values (1) returning a').reader).toBe(true)
    expect(db.prepare('insert into one values (1)').reader).toBe(false)
  })

  it('gives rows, none, first values; a statement is used again and again', () => {
    const db = open()
    db.exec(`create table one (a, b); insert into one values (1, 'x'), (2, 'y')`)
    const all = db.prepare('select a, b from one where a >= ? order by a')
    expect(all.all(1)).toStrictEqual([
      { a: 1, b: 'x' },
      { a: 2, b: 'y' },
    ])
    expect(all.all(3)).toEqual([])
    expect(all.get(2)).toStrictEqual({ a: 2, b: 'y' })
    expect(all.get(3)).toBeUndefined()
    expect([...all.iterate(1)]).toHaveLength(2)
    const plucked = db.prepare('select a, b from one where a >= ? order by a').pluck()
    expect(plucked.all(1)).toEqual([1, 2])
    expect(plucked.get(3)).toBeUndefined()
    expect([...plucked.iterate(2)]).toEqual([2])
  })

  it('lets nothing be written while rows are taken one by one, and everything after it, also after a break', () => {
    const db = open()
    db.exec('create table one (a); insert into one values (1), (2), (3)')
    const insert = db.prepare('insert into one values (9)')
    const rows = db.prepare('select a from one')
    for (const _ of rows.iterate()) {
      expect(failure(() => insert.run())).toBeInstanceOf(TypeError)
      expect(failure(() => db.exec('delete from one'))).toBeInstanceOf(TypeError)
      expect(failure(() => db.close())).toBeInstanceOf(TypeError)
      expect(failure(() => rows.all())).toBeInstanceOf(TypeError)
      expect(db.prepare('select count(*) from one').pluck().get()).toBe(3)
      break
    }
    insert.run()
    expect(rows.all()).toHaveLength(4)
  })

  it('keeps transactions, and says whether one is open', () => {
    const path = inFolder()
    const [db, other] = [open(path), open(path)]
    db.exec('create table one (a)')
    expect(db.inTransaction).toBe(false)
    db.exec('begin immediate; insert into one values (1)')
    expect(db.inTransaction).toBe(true)
    expect(other.prepare('select count(*) from one').pluck().get()).toBe(0)
    db.exec('commit')
    expect(other.prepare('select count(*) from one').pluck().get()).toBe(1)
    db.exec('begin; insert into one values (2); rollback')
    expect([db.inTransaction, db.prepare('select count(*) from one').pluck().get()]).toEqual([false, 1])
    expect(db.name).toBe(path)
  })

  it('waits for another connection no longer than it was told, and then says that the file is busy', () => {
    const path = inFolder()
    const holder = open(path)
    holder.exec('create table one (a); begin exclusive')
    const error = failure(() => open(path, { timeout: 0 }).exec('begin immediate'))
    expect([isBusy(error), error.code, error.message]).toEqual([true, 'SQLITE_BUSY', 'database is locked'])
    expect(failure(() => open(path, { timeout: 200 }).exec('begin immediate')).code).toBe('SQLITE_BUSY')
  })

  it('names its errors by SQLite’s extended codes, with SQLite’s words', () => {
    const db = open()
    db.exec('create table one (a unique not null, b check (b > 0))')
    db.exec('insert into one values (1, 1)')
    const codes = [
      'insert into one values (1, 1)',
      'insert into one values (null, 1)',
      'insert into one values (2, 0)',
      'select * from nowhere',
      'nonsense',
    ].map(statement => {
      const { code, message, name } = failure(() => db.exec(statement))
      return [name, code, message]
    })
    expect(codes).toEqual([
      ['SqliteError', 'SQLITE_CONSTRAINT_UNIQUE', 'UNIQUE constraint failed: one.a'],
      ['SqliteError', 'SQLITE_CONSTRAINT_NOTNULL', 'NOT NULL constraint failed: one.a'],
      ['SqliteError', 'SQLITE_CONSTRAINT_CHECK', 'CHECK constraint failed: b > 0'],
      ['SqliteError', 'SQLITE_ERROR', 'no such table: nowhere'],
      ['SqliteError', 'SQLITE_ERROR', 'near "nonsense": syntax error'],
    ])
    expect(isDamage(failure(() => db.prepare('select * from nowhere')))).toBe(true)
    expect(isDamage(failure(() => db.exec('insert into one values (1, 1)')))).toBe(false)
  })

  it('says that a file is no database, is cut, is full, or may not be written', () => {
    const path = inFolder()
    writeFileSync(path, 'x'.repeat(4096))
    const notOne = failure(() => open(path).exec('select * from sqlite_master'))
    expect([notOne.code, isDamage(notOne)]).toEqual(['SQLITE_NOTADB', true])

    const cut = inFolder()
    const whole = driver.open(cut)
    whole.exec('create table one (a)')
    for (let row = 0; row < 200; row++) whole.prepare('insert into one values (?)').run('x'.repeat(500))
    whole.close()
    writeFileSync(cut, readFileSync(cut).fill(0xff, 8192))
    const damaged = failure(() => open(cut).prepare('select count(*), max(a) from one').get())
    expect([damaged.code.slice(0, 14), isDamage(damaged)]).toEqual(['SQLITE_CORRUPT', true])

    const full = open(inFolder())
    full.exec('pragma max_page_count = 2')
    full.exec('create table one (a)')
    const noRoom = failure(() => full.prepare('insert into one values (?)').run('x'.repeat(100_000)))
    expect([noRoom.code, isUnwritable(noRoom)]).toEqual(['SQLITE_FULL', true])

    const readonly = failure(() => open(cut, { readonly: true }).exec('create table two (a)'))
    expect([readonly.code, isUnwritable(readonly), isLeftHalfDone(readonly)]).toEqual([
      'SQLITE_READONLY',
      true,
      true,
    ])
  })

  it('says that there is no file to read, no folder to make one in, and that a folder is none', () => {
    const dir = tempFolder()
    const missing = failure(() => open(join(dir, 'none.db'), { readonly: true }))
    expect([missing.code, isUnwritable(missing)]).toEqual(['SQLITE_CANTOPEN', true])
    expect(failure(() => open(join(dir, 'none/some.db')))).toMatchObject({
      name: 'TypeError',
      message: 'Cannot open database because the directory does not exist',
    })
    mkdirSync(join(dir, 'folder.db'))
    expect(failure(() => open(join(dir, 'folder.db'))).code).toMatch(/^SQLITE_CANTOPEN/)
  })

  it('searches full texts, compares an index with another file, and keeps its journal in memory', () => {
    const path = inFolder()
    const other = driver.open(path)
    other.exec('create table one (a); insert into one values (1)')
    other.close()
    const db = open(inFolder())
    db.exec('pragma journal_mode = memory')
    expect(db.prepare('pragma journal_mode').pluck().get()).toBe('memory')
    db.exec(`create virtual table words using fts5(text, tokenize='unicode61 remove_diacritics 2')`)
    db.prepare('insert into words (rowid, text) values (?, ?)').run(7, 'Drift of the schéma')
    expect(db.prepare('select rowid from words where words match ?').pluck().all('"schema"')).toEqual([7])
    db.prepare('attach ? as fresh').run(path)
    expect(db.prepare('select a from fresh.one').pluck().all()).toEqual([1])
    expect(db.prepare(`select json_array('x', 1, null)`).pluck().get()).toBe('["x",1,null]')
  })

  it('answers kysely, row by row too', async () => {
    const db = driver.open(':memory:')
    db.exec(`create table one (a, b); insert into one values (1, 'x'), (2, 'y'), (3, null)`)
    const asked = new Kysely<{ one: { a: number; b: string | null } }>({
      dialect: new SqliteDialect({ database: db }),
    })
    onTestFinished(() => asked.destroy())
    const query = asked.selectFrom('one').selectAll().where('a', '>=', 2).orderBy('a')
    expect(await query.execute()).toStrictEqual([
      { a: 2, b: 'y' },
      { a: 3, b: null },
    ])
    expect(await query.select(sql<number>`count(*) over ()`.as('of')).limit(1).execute()).toEqual([
      { a: 2, b: 'y', of: 2 },
    ])
    const streamed: unknown[] = []
    for await (const row of query.stream()) streamed.push(row)
    expect(streamed).toHaveLength(2)
    const inserted = await asked.insertInto('one').values({ a: 4, b: 'z' }).executeTakeFirstOrThrow()
    expect(inserted.numInsertedOrUpdatedRows).toBe(1n)
  })
})
