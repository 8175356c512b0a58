import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { schemaVersion } from '../../migrations/index.ts'
import { checkReplaceable, putInPlace, removeLeftBuilds, setAside } from '../../src/indexer/index-files.ts'
import { APPLICATION_ID, indexFileState } from '../../src/sqlite/index-file.ts'
import { makeReplaceable, settleJournal } from '../../src/sqlite/journal.ts'
import { openSqlite } from '../../src/sqlite/open-sqlite.ts'
import { filesIn } from '../support/files.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** A SQLite file with these marks. */
function database(path: string, applicationId: number, userVersion: number): void {
  const db = openSqlite(path)
  db.exec(`pragma application_id = ${applicationId}; pragma user_version = ${userVersion}`)
  db.exec('create table t (v); insert into t values (1)')
  db.close()
}

const PUT: [string, (path: string) => void, string, number][] = [
  ['nothing', () => {}, 'missing', 0],
  ['an empty file', path => writeFileSync(path, ''), 'missing', 0],
  ['this version', path => database(path, APPLICATION_ID, schemaVersion), 'current', schemaVersion],
  ['an older version', path => database(path, APPLICATION_ID, schemaVersion - 1), 'older', schemaVersion - 1],
  ['the next version', path => database(path, APPLICATION_ID, schemaVersion + 1), 'newer', schemaVersion + 1],
  ['version 9999', path => database(path, APPLICATION_ID, 9_999), 'newer', 9_999],
  [
    'another program’s, of the same version',
    path => database(path, APPLICATION_ID + 1, schemaVersion),
    'foreign',
    0,
  ],
  ['another program’s without marks', path => database(path, 0, 0), 'foreign', 0],
  ['a folder', path => mkdirSync(path), 'foreign', 0],
  ['text', path => writeFileSync(path, 'x'.repeat(200)), 'rubbish', 0],
  ['a short file', path => writeFileSync(path, 'SQLite format 3\0'), 'rubbish', 0],
  [
    'a header that is cut off',
    path => {
      database(path, APPLICATION_ID, schemaVersion)
      truncateSync(path, 99)
    },
    'rubbish',
    0,
  ],
  [
    'a header alone',
    path => {
      database(path, APPLICATION_ID, schemaVersion)
      truncateSync(path, 100)
    },
    'current',
    schemaVersion,
  ],
  [
    'a changed first byte',
    path => {
      database(path, APPLICATION_ID, schemaVersion)
      const bytes = readFileSync(path)
      bytes[0] = 0x54
      writeFileSync(path, bytes)
    },
    'rubbish',
    0,
  ],
]

describe('what lies at an index’s path', () => {
  it.each(PUT)('%s', (_, put, state, version) => {
    const path = join(tempFolder(), 'i.db')
    put(path)
    expect(indexFileState(path)).toEqual({ state, version })
  })

  it('below what is no folder is nothing', () => {
    const path = join(tempFolder(), 'file')
    writeFileSync(path, '')
    expect(indexFileState(join(path, 'i.db'))).toEqual({ state: 'missing', version: 0 })
  })

  it('a pipe is not waited for', () => {
    const path = join(tempFolder(), 'pipe')
    execFileSync('mkfifo', [path])
    expect(indexFileState(path)).toEqual({ state: 'foreign', version: 0 })
  })
})

describe('ruling 2: what may be replaced', () => {
  const left =
    /is an index of a newer version \(\d+\); it is left alone|is not an index of coord; it is left alone/
  it.each(PUT)('%s', (name, put, state) => {
    const path = join(tempFolder(), 'i.db')
    put(path)
    for (const isOurs of [true, false]) {
      const isRefused = state === 'newer' || state === 'foreign' || (state === 'rubbish' && !isOurs)
      const check = () => checkReplaceable(path, isOurs)
      if (isRefused)
        expect(check, name).toThrow(
          expect.objectContaining({ kind: 'index', path, message: expect.stringMatching(left) }),
        )
      else expect(check, name).not.toThrow()
    }
  })

  it('what was damaged is kept under another name, with its journal', () => {
    const dir = tempFolder()
    const path = join(dir, 'i.db')
    writeFileSync(path, 'damaged')
    writeFileSync(`${path}-journal`, 'journal')
    const aside = setAside(path)
    expect(aside).toMatch(/\/i\.db\.damaged-\d{4}-\d\d-\d\dT\d{6}\.\d{3}Z$/)
    const name = aside.slice(dir.length + 1)
    expect(filesIn(dir)).toEqual({ [name]: 'damaged', [`${name}-journal`]: 'journal' })
  })

  it('what killed builds left is removed, and nothing else', () => {
    const dir = tempFolder()
    for (const name of [
      'i.db',
      'i.db.building-1',
      'i.db.building-1-journal',
      'j.db.building-2',
      'i.db.build',
      'xi.db.building-3',
    ])
      writeFileSync(join(dir, name), '')
    removeLeftBuilds(join(dir, 'i.db'))
    expect(Object.keys(filesIn(dir)).sort()).toEqual([
      'i.db',
      'i.db.build',
      'j.db.building-2',
      'xi.db.building-3',
    ])
  })

  it('a new index takes the place of the old one, whose journal does not outlive it', () => {
    const dir = tempFolder()
    const path = join(dir, 'i.db')
    writeFileSync(path, 'SQLite format 3\0 and damaged')
    writeFileSync(`${path}-journal`, 'of the damaged one')
    database(`${path}.building-1`, APPLICATION_ID, schemaVersion)
    putInPlace(`${path}.building-1`, path)
    expect(Object.keys(filesIn(dir))).toEqual(['i.db'])
    expect(indexFileState(path).state).toBe('current')
  })
})

describe('the journal that a killed refresh left', () => {
  /** An index in the middle of a transaction, as a kill leaves it: some of its pages are changed, the journal is there. */
  function killed(dir: string): string {
    const path = join(dir, 'i.db')
    database(path, APPLICATION_ID, schemaVersion)
    const script = `const db = new (require(process.argv[1]))(process.argv[2]);
      db.pragma('cache_size = 1'); db.exec('begin'); db.exec('create table u (v)');
      for (let at = 0; at < 200; at++) db.prepare('insert into u values (?)').run('x'.repeat(4000));
      process.kill(process.pid, 'SIGKILL')`
    const module = join(import.meta.dirname, '../../node_modules/better-sqlite3')
    try {
      execFileSync(process.execPath, ['-e', script, module, path], { stdio: 'ignore' })
    } catch {
      // Killed, as it should be.
    }
    expect(existsSync(`${path}-journal`)).toBe(true)
    return path
  }

  it.each([
    ['settled', settleJournal],
    ['made replaceable', makeReplaceable],
  ])('is taken in: %s', (_, settle) => {
    const path = killed(tempFolder())
    settle(path)
    expect(existsSync(`${path}-journal`)).toBe(false)
    const db = openSqlite(path, { readonly: true })
    expect(db.prepare('select name from sqlite_master').pluck().all()).toEqual(['t'])
    db.close()
  })

  it('that holds nothing is removed; an index without one is not opened', () => {
    const dir = tempFolder()
    const path = join(dir, 'i.db')
    database(path, APPLICATION_ID, schemaVersion)
    writeFileSync(`${path}-journal`, '')
    settleJournal(path)
    expect(Object.keys(filesIn(dir))).toEqual(['i.db'])
    settleJournal(join(dir, 'none.db'))
    expect(Object.keys(filesIn(dir))).toEqual(['i.db'])
  })

  it('of an index that cannot be read is no journal to settle, and does not outlive it', () => {
    const dir = tempFolder()
    const path = join(dir, 'i.db')
    writeFileSync(path, 'no database at all'.repeat(100))
    writeFileSync(`${path}-journal`, 'a journal')
    expect(() => settleJournal(path)).toThrow(expect.objectContaining({ code: 'SQLITE_NOTADB' }))
    writeFileSync(`${path}-journal`, 'a journal')
    makeReplaceable(path)
    expect(existsSync(`${path}-journal`)).toBe(false)
    expect(existsSync(path)).toBe(true)
  })

  it('is no reason to replace what cannot be opened for another reason', () => {
    const dir = tempFolder()
    symlinkSync(join(dir, 'missing', 'x'), join(dir, 'i.db'))
    writeFileSync(join(dir, 'i.db-journal'), 'a journal')
    expect(() => makeReplaceable(join(dir, 'i.db'))).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^SQLITE_CANTOPEN/) }),
    )
    expect(existsSync(join(dir, 'i.db-journal'))).toBe(true)
  })
})
