import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type BetterSqlite from 'better-sqlite3'
import { Problem } from '../problem/problem.ts'
import { loadNodeSqlite, type OpenOptions, openNodeSqlite } from './node-sqlite.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** What opens SQLite files in this process. */
export interface Driver {
  name: 'better-sqlite3' | 'node:sqlite'
  /** Why it is not better-sqlite3, which is asked first. */
  instead: string | null
  open(path: string, options: OpenOptions): SqliteDatabase
}

const requireHere = createRequire(import.meta.url)
let found: Driver | undefined

/** Opens a SQLite file, and makes it where there is none. Throws as `sqliteDriver`, and SQLite's own errors. */
export function openSqlite(path: string, options: OpenOptions = {}): SqliteDatabase {
  return sqliteDriver().open(path, options)
}

/**
 * The driver of this process: better-sqlite3 where it can be loaded, else Node's own SQLite where that can do what the
 * index needs. A native module that is missing or was built for another Node must never look like an empty record.
 *
 * @throws Problem `environment` where there is neither, with what mends it
 */
export function sqliteDriver(): Driver {
  found ??= findDriver()
  return found
}

function findDriver(): Driver {
  let cause: unknown
  try {
    return betterSqlite()
  } catch (error) {
    cause = error
  }
  try {
    const module = loadNodeSqlite()
    return {
      name: 'node:sqlite',
      instead: firstLine(cause),
      open: (path, options) => openNodeSqlite(module, path, options),
    }
  } catch {
    throw new Problem(
      'environment',
      `the native module better-sqlite3 cannot be loaded: ${firstLine(cause)}`,
      { hint: `${howToMend()}; or take Node 22.16 or later, which brings SQLite`, cause },
    )
  }
}

/** The module is only found to be missing or another Node's when something is opened. */
function betterSqlite(): Driver {
  const Constructor = requireHere('better-sqlite3') as typeof BetterSqlite
  new Constructor(':memory:').close()
  return {
    name: 'better-sqlite3',
    instead: null,
    open: (path, options) => new Constructor(path, options) as SqliteDatabase,
  }
}

/** Where the package is there, its own script builds it: `npm rebuild` does nothing, and says so nowhere, where npm blocks install scripts. */
function howToMend(): string {
  try {
    const folder = dirname(requireHere.resolve('better-sqlite3/package.json'))
    return `build it: cd ${folder} && npm run install`
  } catch {
    return `install it: cd ${join(import.meta.dirname, '..')} && npm install`
  }
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] as string
}
