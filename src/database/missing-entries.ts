import type { Database } from './database.ts'
import { fromStored } from './stored-text.ts'
import { IS_MISSED } from './unknown-evidence.ts'

/** What is known to be missing of a record (ruling 8). */
export interface MissingEntries {
  entries: number
  /** Some of the files that are gone or that follow what is missing, each with what is missing there. */
  named: { file: string; reason: string }[]
}

/** Entries whose files are gone, and those that were never written as others show. */
export const COUNT_MISSING = `
  (select count(*) from gone g where ${IS_MISSED}) + (select coalesce(sum(missing), 0) from gap)`

/** What an index knows to be missing, at most `most` files by name. */
export function readMissing(db: Database, most: number): MissingEntries {
  const entries = db.prepare(`select ${COUNT_MISSING}`).pluck().get() as number
  const rows = db
    .prepare(
      `select folder, name, reason from (
         select g.folder, g.name, 'gone since ' || g.since as reason from gone g where ${IS_MISSED}
         union all select session_id, name, reason from gap
       ) as missing order by folder, name, reason limit ?`,
    )
    .all(most) as { folder: string; name: string; reason: string }[]
  const named = rows.map(({ folder, name, reason }) => ({ file: fromStored(`${folder}/${name}`), reason }))
  return { entries, named }
}
