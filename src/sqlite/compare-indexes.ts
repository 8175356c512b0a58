import { fromStored } from '../database/stored-text.ts'
import { ENTRY_CONTENT, TEXT_CONTENT, UNREAD_CONTENT } from '../database/tables.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** One difference between an index and one that was just built from the record. */
export interface Difference {
  /** Path below the record's folder; of what concerns a whole session, its id. */
  file: string
  /**
   * `changed`: other bytes than when it was indexed; `gone`; `unindexed`: it lies in a folder that has not changed
   * since it was indexed, and the index does not know it; `index`: the index holds something else than the file.
   */
  what: 'changed' | 'gone' | 'unindexed' | 'index'
}

/**
 * Compares two indexes of one record. What only differs because the record went on since (new files, and what follows
 * from them) is no difference.
 *
 * @param db the index to check
 * @param freshPath the index just built
 */
export function compareIndexes(
  db: SqliteDatabase,
  freshPath: string,
): { filesNew: number; differences: Difference[] } {
  db.prepare('attach ? as fresh').run(freshPath)
  const { files, filesNew } = compareFiles(db)
  const touched = new Set(files.map(({ folder }) => folder))
  const sessions = (db.prepare(DIFFERENT_SESSIONS).pluck().all() as string[]).filter(id => !touched.has(id))
  const differences = files.flatMap(({ folder, name, what }) =>
    what === 'new' ? [] : [{ file: `${folder}/${name}`, what }],
  )
  return {
    filesNew,
    differences: [...differences, ...sessions.map(file => ({ file, what: 'index' as const }))],
  }
}

interface FileDifference {
  folder: string
  name: string
  what: Difference['what'] | 'new'
}

function compareFiles(db: SqliteDatabase): { files: FileDifference[]; filesNew: number } {
  const rows = db.prepare(DIFFERENT_FILES).all() as (Omit<FileDifference, 'what'> & {
    what: FileDifference['what'] | 'unknown'
  })[]
  const unchanged = new Set(db.prepare(UNCHANGED_FOLDERS).pluck().all() as string[])
  const files = rows.map(({ folder, name, what }): FileDifference => {
    const found = what === 'unknown' ? (unchanged.has(folder) ? 'unindexed' : 'new') : what
    return { folder: fromStored(folder), name: fromStored(name), what: found }
  })
  return { files, filesNew: files.filter(({ what }) => what === 'new').length }
}

/** Every file of an index, an entry or not, with a fingerprint of all that stands of it. */
function filesOf(schema: string): string {
  const entry = [...ENTRY_CONTENT.map(column => `e.${column}`), ...TEXT_CONTENT.map(column => `t.${column}`)]
  return `
    select f.name as folder, e.name, e.stat, e.sha256, 0 as is_retried, json_array('entry', ${entry.join(', ')}) as content
    from ${schema}.entry e join ${schema}.folder f on f.id = e.folder_id left join ${schema}.message_text t on t.entry_id = e.id
    union all
    select f.name, u.name, u.stat, u.sha256, u.is_retried, json_array('unread', ${UNREAD_CONTENT.map(column => `u.${column}`).join(', ')})
    from ${schema}.unread u join ${schema}.folder f on f.id = u.folder_id`
}

const DIFFERENT_FILES = `
  select coalesce(i.folder, n.folder) as folder, coalesce(i.name, n.name) as name,
    case
      when n.name is null then 'gone'
      when i.name is null then 'unknown'
      when i.stat is n.stat then 'index'
      when i.is_retried then 'new'
      else 'changed'
    end as what
  from (${filesOf('main')}) i full join (${filesOf('fresh')}) n on i.folder = n.folder and i.name = n.name
  where i.content is not n.content or i.sha256 is not n.sha256
  order by 1, 2`

const UNCHANGED_FOLDERS = `
  select i.name from main.folder i join fresh.folder n on n.name = i.name and n.identity = i.identity where i.is_settled = 1`

const DIFFERENT_SESSIONS = `
  select session_id from (select * from main.session except select * from fresh.session)
  union select session_id from (select * from fresh.session except select * from main.session)`
