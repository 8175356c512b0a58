import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { settleJournal } from '../../src/sqlite/journal.ts'
import { makeIndex } from '../../src/sqlite/new-index.ts'
import { openSqlite } from '../../src/sqlite/open-sqlite.ts'
import { openIndex, readIndex } from '../../src/sqlite/read-index.ts'
import { faultOf, isSound } from '../../src/sqlite/soundness.ts'
import { updateIndex } from '../../src/sqlite/update-index.ts'
import { tempFolder } from '../support/temp-folder.ts'

const RECORD = '/home/dev/re\ud800cord'

async function index(recordDir = RECORD): Promise<string> {
  const path = join(tempFolder(), 'i.db')
  await makeIndex(path, async writer => writer.setMeta('record_dir', recordDir))
  return path
}

describe('reading an index', () => {
  const ask = { readIndex: (path: string, dir: string) => readIndex(path, dir, () => 1), openIndex }
  for (const [name, read] of Object.entries(ask)) {
    it(`${name}: of another record is refused, and both are named`, async () => {
      const path = await index()
      await expect(read(path, '/elsewhere')).rejects.toMatchObject({
        kind: 'index',
        path,
        message: `${path} is the index of another record (${RECORD})`,
      })
    })

    it(`${name}: where there is none, or one of another version, says so`, async () => {
      const path = join(tempFolder(), 'i.db')
      await expect(read(path, RECORD)).rejects.toMatchObject({
        kind: 'index',
        path,
        message: `there is no index at ${path}`,
      })
      writeFileSync(path, 'x'.repeat(200))
      await expect(read(path, RECORD)).rejects.toMatchObject({
        kind: 'index',
        path,
        message: `${path} is no index of this version (rubbish)`,
      })
    })
  }

  it('gives one unchanging view, writes nothing, and is closed also where it fails', async () => {
    const path = await index()
    let kept: { prepare(sql: string): unknown } | undefined
    const failed = readIndex(path, RECORD, db => {
      kept = db
      expect(db.inTransaction).toBe(true)
      expect(() => db.exec('delete from meta')).toThrow(expect.objectContaining({ code: 'SQLITE_READONLY' }))
      throw new Error('the caller’s own')
    })
    await expect(failed).rejects.toThrow('the caller’s own')
    expect(() => kept?.prepare('select 1')).toThrow()
  })

  it('opened for single questions, sees what is written between them', async () => {
    const path = await index()
    const db = await openIndex(path, RECORD)
    expect(db.inTransaction).toBe(false)
    const version = db.prepare(`select value from meta where key = 'indexed_at'`).pluck()
    expect(version.get()).toBeUndefined()
    await updateIndex(path, async writer => {
      writer.setMeta('indexed_at', 'now')
      writer.commit()
    })
    expect(version.get()).toBe('now')
    db.close()
  })

  it('that is damaged passes SQLite’s error on', async () => {
    const path = await index()
    const db = openSqlite(path)
    db.exec('drop table meta')
    db.close()
    await expect(readIndex(path, RECORD, () => 1)).rejects.toMatchObject({
      code: 'SQLITE_ERROR',
      message: 'no such table: meta',
    })
  })
})

describe('an index whose journal is to be played back', () => {
  /** Index and journal as they lie on disk in the middle of a refresh, and nobody at work on them. */
  async function halfDone(): Promise<string> {
    const path = await index()
    const db = openSqlite(path)
    db.exec('pragma cache_size = 1; begin')
    const add = db.prepare('insert into meta (key, value) values (?, ?)')
    for (let key = 0; key < 100; key++) add.run(`k${key}`, 'x'.repeat(8_000))
    const copy = join(tempFolder(), 'copy.db')
    for (const end of ['', '-journal']) copyFileSync(path + end, copy + end)
    db.exec('rollback')
    db.close()
    return copy
  }

  it('is looked at again, since another may do that meanwhile', async () => {
    const path = await halfDone()
    const reading = readIndex(path, RECORD, db => db.prepare('select count(*) from meta').pluck().get())
    settleJournal(path)
    expect(await reading).toBe(1)
  })

  it('is no index to read where nobody does', async () => {
    const path = await halfDone()
    await expect(readIndex(path, RECORD, () => 1)).rejects.toMatchObject({
      code: expect.stringMatching(/^SQLITE_READONLY/),
    })
  })
})

describe('an update of an index', () => {
  it('that commits nothing leaves nothing', async () => {
    const path = await index()
    await updateIndex(path, async writer => writer.setMeta('indexed_at', 'now'))
    await expect(
      updateIndex(path, async writer => {
        writer.setMeta('indexed_at', 'now')
        throw new Error('stopped')
      }),
    ).rejects.toThrow('stopped')
    expect(await readIndex(path, RECORD, db => db.prepare('select key from meta').pluck().all())).toEqual([
      'record_dir',
    ])
  })
})

describe('a sound index', () => {
  const broken: [string, string, boolean, boolean][] = [
    ['as it was made', 'select 1', true, true],
    [
      'a text that its search table does not have',
      `insert into message_text (entry_id, text) values (7, 'words')`,
      false,
      true,
    ],
    [
      'a word of the search table that no text has',
      `insert into message_fts (rowid, text) values (7, 'words')`,
      false,
      true,
    ],
    [
      'words of a scan that their search table does not have',
      `insert into scan_message (result_id, message_id, label, confidence, kind, words, sha256, product, session_id,
        file, line, "offset", places, is_decided) values (1, 'm', 'person', 'high', 'k', 'words', 'x', 'codex', 's', '/f', 1, 0, 1, 0)`,
      false,
      true,
    ],
  ]
  it.each(broken)('%s', async (_, sql, sound, quick) => {
    const path = await index()
    const db = openSqlite(path)
    db.exec(sql)
    expect(isSound(db)).toBe(sound)
    expect(db.inTransaction).toBe(false)
    expect(faultOf(db) === null).toBe(quick)
    db.close()
  })

  it('has every row in its indexes', async () => {
    const path = await index()
    const db = openSqlite(path)
    db.exec(`insert into folder (name, is_settled, tries) values ('s', 0, 0)`)
    const page = db
      .prepare(
        `select rootpage from sqlite_master where name like 'folder%' and type = 'index' or name like 'sqlite_autoindex_folder%'`,
      )
      .pluck()
      .get()
    db.close()
    expect(page, 'folder has an index').toBeTypeOf('number')
    expect(isSoundAt(path)).toBe(true)
  })
})

function isSoundAt(path: string): boolean {
  const db = openSqlite(path)
  try {
    return isSound(db)
  } finally {
    db.close()
  }
}
