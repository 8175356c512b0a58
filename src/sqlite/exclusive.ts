import type { SqliteDatabase } from './sqlite-database.ts'
import { isBusy } from './sqlite-error.ts'

/** Keeps every other connection from a file until this one is closed; false where another one is at it. Writes nothing. */
export function takeExclusively(db: SqliteDatabase): boolean {
  try {
    db.exec('begin exclusive')
    return true
  } catch (error) {
    if (isBusy(error)) return false
    throw error
  }
}
