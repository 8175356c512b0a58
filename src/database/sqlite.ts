import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type Sqlite from 'better-sqlite3'
import { Problem } from '../problem/problem.ts'

export type Database = Sqlite.Database
export type Statement = Sqlite.Statement

const requireHere = createRequire(import.meta.url)

/**
 * Opens a SQLite file. A native module that is missing or was built for another Node is a problem of the
 * environment and says how to mend it; it must never look like an empty record.
 */
export function openSqlite(path: string, options: Sqlite.Options = {}): Database {
  try {
    const Constructor = requireHere('better-sqlite3') as typeof Sqlite
    return new Constructor(path, options)
  } catch (error) {
    if (isSqliteError(error) || error instanceof TypeError) throw error
    throw new Problem(
      'environment',
      `the native module better-sqlite3 cannot be loaded: ${firstLine(error)}`,
      {
        hint: `build it: cd ${installFolder()} && npm rebuild better-sqlite3 --ignore-scripts=false`,
        cause: error,
      },
    )
  }
}

/** Whether this error is SQLite's own; `code` is its extended result code, for example `SQLITE_CORRUPT`. */
export function isSqliteError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && /^SQLITE_/.test(String((error as { code?: unknown }).code))
}

/** The index holds what no indexer writes. */
export class IndexDamage extends Error {
  override readonly name = 'IndexDamage'
}

/**
 * Whether an error says that the index's content is not sound: by SQLite's own word, by tables that are missing, or
 * by what is read from them. A busy or locked index is not meant.
 */
export function isDamage(error: unknown): boolean {
  if (error instanceof IndexDamage) return true
  return (
    isSqliteError(error) &&
    (/^SQLITE_(CORRUPT|NOTADB)/.test(error.code) || /^no such (table|column)/.test(error.message))
  )
}

/** Whether a reader met an index that a killed refresh left half done: what is to be undone can only be undone by a writer. */
export function isLeftHalfDone(error: unknown): boolean {
  return isSqliteError(error) && /^SQLITE_READONLY/.test(error.code)
}

function installFolder(): string {
  try {
    return dirname(dirname(dirname(requireHere.resolve('better-sqlite3/package.json'))))
  } catch {
    return join(import.meta.dirname, '..')
  }
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] as string
}
