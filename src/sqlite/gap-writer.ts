import type { GapWriter } from '../database/index-writer.ts'
import { fromStored, toStored } from '../database/stored-text.ts'
import type { GapRow } from '../database/tables.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/**
 * Writes what is missing of the record.
 *
 * @param write prepares a statement that begins the writer's transaction (`indexWriter`)
 */
export function gapWriter(
  db: SqliteDatabase,
  write: (sql: string) => (...values: unknown[]) => unknown,
): GapWriter {
  const goneIn = db.prepare('select name from gone where folder = ?').pluck()
  const gapsOf = db.prepare('select * from gap where session_id = ?')
  const addGone = write(
    `insert into gone (folder, name, at, sha256, since)
     select f.name, e.name, e.at, e.sha256, ? from entry e join folder f on f.id = e.folder_id where e.id = ?`,
  )
  const removeGone = write('delete from gone where folder = ? and name = ?')
  const addGap = write(
    `insert into gap (session_id, name, name_at, missing, reason, first_seen)
     values (@session_id, @name, @name_at, @missing, @reason, @first_seen)`,
  )
  const removeGap = write('delete from gap where id = ?')
  return {
    goneIn: folder => (goneIn.all(toStored(folder)) as string[]).map(fromStored),
    addGone: (entryId, since) => void addGone(since, entryId),
    removeGone: (folder, name) => void removeGone(toStored(folder), toStored(name)),
    gaps: sessionId => gapsOf.all(sessionId) as GapRow[],
    addGap: (row, now) => void addGap({ ...row, first_seen: now }),
    removeGap: id => void removeGap(id),
  }
}
