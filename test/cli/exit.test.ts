import { describe, expect, it } from 'vitest'
import { asProblem, EXIT, exitCodeOf } from '../../src/cli/exit.ts'
import { problemJson, problemText } from '../../src/cli/problem-text.ts'
import { IndexDamage } from '../../src/database/database.ts'
import { Problem, type ProblemKind } from '../../src/problem/problem.ts'
import { openSqlite } from '../../src/sqlite/open-sqlite.ts'

const KINDS: Record<ProblemKind, number> = {
  ...{ usage: 2, filter: 2, environment: 3, check: 4 },
  ...{ 'not-found': 1, record: 1, index: 1, failed: 1 },
}

it('each kind of problem has its exit code, as README.md says', () => {
  expect(EXIT).toEqual({ done: 0, failed: 1, usage: 2, environment: 3, refused: 4, partial: 8 })
  for (const [kind, code] of Object.entries(KINDS))
    expect(exitCodeOf(new Problem(kind as ProblemKind, 'x')), kind).toBe(code)
})

describe('any error is told as a problem', () => {
  const system = (code: string, path?: string) => Object.assign(new Error(`${code}: no`), { code, path })

  /** An error as the database itself makes it, with another of its codes. */
  function sqliteError(code: string): Error {
    const db = openSqlite(':memory:')
    try {
      db.exec('select * from nothing')
    } catch (error) {
      return Object.assign(error as Error, { code, message: `${code}: no` })
    } finally {
      db.close()
    }
    throw new Error('a table that is not there was read')
  }

  it('a problem stays what it is', () => {
    const problem = new Problem('check', 'x')
    expect(asProblem(problem)).toBe(problem)
  })

  it.each(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'EFBIG', 'EMFILE'])(
    '%s is of the environment, and names the file',
    code => {
      expect(asProblem(system(code, '/f'))).toMatchObject({
        ...{ kind: 'environment', path: '/f', message: `${code}: no` },
        hint: expect.stringContaining('coord doctor'),
      })
      expect(asProblem(system(code)).path).toBeUndefined()
    },
  )

  it.each([
    'SQLITE_READONLY',
    'SQLITE_READONLY_DBMOVED',
    'SQLITE_FULL',
    'SQLITE_CANTOPEN',
    'SQLITE_CANTOPEN_ISDIR',
  ])('%s is of the environment', code => {
    expect(asProblem(sqliteError(code))).toMatchObject({ kind: 'environment' })
  })

  it.each(['SQLITE_BUSY', 'SQLITE_BUSY_TIMEOUT'])('%s is an index in use', code => {
    expect(asProblem(sqliteError(code))).toMatchObject({
      ...{ kind: 'index', message: expect.stringContaining('in use') },
      hint: expect.stringContaining('--index'),
    })
  })

  it('damage is of the index, and says what mends it', () => {
    for (const error of [
      sqliteError('SQLITE_CORRUPT'),
      sqliteError('SQLITE_NOTADB'),
      new IndexDamage('torn'),
    ])
      expect(asProblem(error)).toMatchObject({
        ...{ kind: 'index', message: expect.stringContaining('the index is damaged: ') },
        hint: expect.stringContaining('coord index'),
      })
  })

  it('another error of the system has failed with its file; without one it is a fault of coord', () => {
    expect(asProblem(system('EISDIR', '/f'))).toMatchObject({
      kind: 'failed',
      path: '/f',
      message: 'EISDIR: no',
    })
    for (const error of [
      system('EISDIR'),
      new TypeError('no function'),
      Object.assign(new Error('x'), { path: '/f' }),
    ])
      expect(asProblem(error)).toMatchObject({
        ...{ kind: 'failed', message: expect.stringMatching(/^unexpected: /), cause: error },
        hint: expect.stringContaining('COORD_DEBUG'),
      })
    expect(asProblem('text').message).toBe('unexpected: text')
  })
})

describe('a problem as text', () => {
  it('is one line with its kind, and a hint', () => {
    expect(problemText(new Problem('record', 'it is\n  torn'))).toBe('coord: it is torn (record)')
    expect(problemText(new Problem('record', 'x', { hint: 'mend it' }))).toBe(
      'coord: x (record)\nhint: mend it',
    )
  })

  it('shows a place before the hint; a hint that ends with the caret is the place alone', () => {
    const at = 'a = b\n  ^'
    expect(problemText(new Problem('filter', 'x', { hint: at }))).toBe('coord: x (filter)\n  a = b\n    ^')
    expect(problemText(new Problem('filter', 'x', { hint: 'leave ^ out' }))).toBe(
      'coord: x (filter)\nhint: leave ^ out',
    )
    expect(problemText(new Problem('filter', 'x', { hint: `${at}^^\nname a column` }))).toBe(
      'coord: x (filter)\n  a = b\n    ^^^\nhint: name a column',
    )
  })

  it('as JSON has all of its fields, with null for what there is not', () => {
    expect(JSON.parse(problemJson(new Problem('record', 'x\u001b\n', { hint: 'h', path: '/p' })))).toEqual({
      error: { kind: 'record', message: 'x\u001b\n', hint: 'h', path: '/p' },
    })
    expect(JSON.parse(problemJson(new Problem('usage', 'x')))).toEqual({
      error: { kind: 'usage', message: 'x', hint: null, path: null },
    })
    expect(problemJson(new Problem('record', 'x\u001b\n'))).not.toMatch(/[\n\u001b]/)
  })
})
