import type { SqliteDatabase } from './sqlite-database.ts'
import { isDamage } from './sqlite-error.ts'
import { checkSearch } from './text-search.ts'

/** Whether an index file is a sound database and its search tables are those of its texts. Writes nothing. */
export function isSound(db: SqliteDatabase): boolean {
  if (db.prepare('pragma integrity_check(1)').pluck().get() !== 'ok') return false
  try {
    db.exec('begin immediate')
    checkSearch(db)
    return true
  } catch (error) {
    if (isDamage(error)) return false
    throw error
  } finally {
    if (db.inTransaction) db.exec('rollback')
  }
}

/** The first fault that a quick look at an index file finds; null where there is none. */
export function faultOf(db: SqliteDatabase): string | null {
  const found = db.prepare('pragma quick_check(1)').pluck().get() as string
  return found === 'ok' ? null : found
}

/** Makes a search table in a database that nothing else is in; throws SQLite's error where this SQLite has no full-text search. */
export function makeSearchTable(db: SqliteDatabase): void {
  db.exec('create virtual table probe using fts5(text)')
}

/** The version of SQLite itself. */
export function sqliteVersion(db: SqliteDatabase): string {
  return db.prepare('select sqlite_version()').pluck().get() as string
}
