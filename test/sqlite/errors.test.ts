import { describe, expect, it } from 'vitest'
import { IndexDamage } from '../../src/database/database.ts'
import { RESULT_CODES } from '../../src/sqlite/result-codes.ts'
import {
  isBusy,
  isDamage,
  isLeftHalfDone,
  isSqliteError,
  isUnwritable,
} from '../../src/sqlite/sqlite-error.ts'

const error = (code: unknown, message = 'm') => Object.assign(new Error(message), { code })

describe('what an error of SQLite means', () => {
  const kinds = { isDamage, isBusy, isLeftHalfDone, isUnwritable }
  it.each<[string, string, (keyof typeof kinds)[]]>([
    ['SQLITE_CORRUPT', 'm', ['isDamage']],
    ['SQLITE_CORRUPT_VTAB', 'm', ['isDamage']],
    ['SQLITE_NOTADB', 'm', ['isDamage']],
    ['SQLITE_ERROR', 'no such table: meta', ['isDamage']],
    ['SQLITE_ERROR', 'no such column: x', ['isDamage']],
    ['SQLITE_ERROR', 'there is no such table: meta', []],
    ['SQLITE_ERROR', 'no such function: f', []],
    ['SQLITE_BUSY', 'm', ['isBusy']],
    ['SQLITE_BUSY_SNAPSHOT', 'm', ['isBusy']],
    ['SQLITE_LOCKED', 'm', ['isBusy']],
    ['SQLITE_READONLY', 'm', ['isLeftHalfDone', 'isUnwritable']],
    ['SQLITE_READONLY_ROLLBACK', 'm', ['isLeftHalfDone', 'isUnwritable']],
    ['SQLITE_FULL', 'm', ['isUnwritable']],
    ['SQLITE_CANTOPEN_ISDIR', 'm', ['isUnwritable']],
    ['SQLITE_IOERR_READ', 'm', []],
    ['SQLITE_CONSTRAINT_UNIQUE', 'm', []],
  ])('%s, %s: %j', (code, message, meant) => {
    const found = Object.entries(kinds).flatMap(([name, is]) => (is(error(code, message)) ? [name] : []))
    expect(found.sort()).toEqual([...meant].sort())
    expect(isSqliteError(error(code, message))).toBe(true)
  })

  it('what is not SQLite’s own means none of it', () => {
    for (const one of [
      error('EBUSY'),
      error('X_SQLITE_CORRUPT'),
      error(undefined, 'no such table: t'),
      { code: 'SQLITE_CORRUPT' },
      null,
    ]) {
      expect(isSqliteError(one)).toBe(false)
      for (const is of Object.values(kinds)) expect(is(one)).toBe(false)
    }
    expect(isDamage(new IndexDamage('facts'))).toBe(true)
  })
})

describe('the names of SQLite’s result codes', () => {
  // sqlite.org/rescode.html
  it.each([
    [1, 'SQLITE_ERROR'],
    [257, 'SQLITE_ERROR_MISSING_COLLSEQ'],
    [5, 'SQLITE_BUSY'],
    [261, 'SQLITE_BUSY_RECOVERY'],
    [517, 'SQLITE_BUSY_SNAPSHOT'],
    [8, 'SQLITE_READONLY'],
    [776, 'SQLITE_READONLY_ROLLBACK'],
    [266, 'SQLITE_IOERR_READ'],
    [522, 'SQLITE_IOERR_SHORT_READ'],
    [1034, 'SQLITE_IOERR_FSYNC'],
    [11, 'SQLITE_CORRUPT'],
    [267, 'SQLITE_CORRUPT_VTAB'],
    [779, 'SQLITE_CORRUPT_INDEX'],
    [13, 'SQLITE_FULL'],
    [526, 'SQLITE_CANTOPEN_ISDIR'],
    [2067, 'SQLITE_CONSTRAINT_UNIQUE'],
    [1555, 'SQLITE_CONSTRAINT_PRIMARYKEY'],
    [2579, 'SQLITE_CONSTRAINT_ROWID'],
    [516, 'SQLITE_ABORT_ROLLBACK'],
    [26, 'SQLITE_NOTADB'],
    [283, 'SQLITE_NOTICE_RECOVER_WAL'],
    [284, 'SQLITE_WARNING_AUTOINDEX'],
  ])('%i is %s', (code, name) => expect(RESULT_CODES[code]).toBe(name))

  it('stand for nothing where SQLite has none', () => {
    for (const code of [0, 260, 99, 258 * 256]) expect(RESULT_CODES[code]).toBeUndefined()
  })
})
