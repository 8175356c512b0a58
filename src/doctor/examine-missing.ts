import { readMissing } from '../database/missing-entries.ts'
import { indexFileState } from '../sqlite/index-file.ts'
import { openSqlite } from '../sqlite/open-sqlite.ts'
import { isSqliteError } from '../sqlite/sqlite-error.ts'
import type { Check } from './examine.ts'

const MOST_NAMED = 3

/** Looks at what the index knows to be missing of the record: nothing mends it, but a person should know. */
export function examineMissing(indexPath: string): Check {
  const name = 'missing entries'
  if (indexFileState(indexPath).state !== 'current')
    return { name, status: 'ok', detail: 'not known before there is an index', hint: null }
  const db = openSqlite(indexPath, { readonly: true, timeout: 10_000 })
  try {
    const { entries, named } = readMissing(db, MOST_NAMED)
    if (named.length === 0) return { name, status: 'ok', detail: 'none is known to be missing', hint: null }
    const files = named.map(({ file, reason }) => `${file} (${reason})`).join(', ')
    return {
      name,
      status: 'warning',
      detail: `${entries} ${entries === 1 ? 'entry is' : 'entries are'} missing from the record, and unknown: ${files}`,
      hint: 'coord query unreadable lists them all; put back what was removed or moved, if you have it',
    }
  } catch (error) {
    if (!isSqliteError(error)) throw error
    return { name, status: 'warning', detail: 'not known: the index cannot be read', hint: null }
  } finally {
    db.close()
  }
}
