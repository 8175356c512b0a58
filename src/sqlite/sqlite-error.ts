import { IndexDamage } from '../database/database.ts'

/** Whether this error is SQLite's own; `code` is its extended result code, for example `SQLITE_CORRUPT`. */
export function isSqliteError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && /^SQLITE_/.test(String((error as { code?: unknown }).code))
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

/** Whether another process has the file, and does not let go of it. */
export function isBusy(error: unknown): boolean {
  return isSqliteError(error) && /^SQLITE_(BUSY|LOCKED)/.test(error.code)
}

/** Whether a reader met an index that a killed refresh left half done: what is to be undone can only be undone by a writer. */
export function isLeftHalfDone(error: unknown): boolean {
  return isSqliteError(error) && error.code.startsWith('SQLITE_READONLY')
}

/** Whether the file cannot be opened or written: rights, a full disk. */
export function isUnwritable(error: unknown): boolean {
  return isSqliteError(error) && /^SQLITE_(READONLY|FULL|CANTOPEN)/.test(error.code)
}
