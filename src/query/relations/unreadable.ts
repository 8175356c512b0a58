import { type Kysely, type SqlBool, sql } from 'kysely'
import type { IndexTables } from '../../database/tables.ts'
import { IS_NO_DUPLICATE } from '../../database/unknown-evidence.ts'
import type { Relation, RelationSource } from '../relation.ts'
import { columnsOf, filePath } from './columns.ts'

const { text, number, boolean, time } = columnsOf('unreadable')

/** Unknown evidence: files and folders that could not be read, and second contents of one name (rule.oneWriter). */
export const unreadable: Relation = {
  name: 'unreadable',
  description: 'files, folders and results that could not be read',
  columns: [
    text(
      'file',
      'path relative to the record folder; a folder stands as its name, a result as its whole path',
    ),
    text('reason', 'why it could not be read'),
    time('first_seen', 'when the index met it first'),
    number('tries', 'how often it was tried'),
    text('session_id', 'name of the folder'),
    boolean('is_conflict', 'whether it holds other bytes under a name that is taken'),
    time('name_at', "the time in the file's name"),
    text('sha256', 'SHA-256 of the file, where its bytes could be read'),
  ],
  tableColumns: ['file', 'reason', 'first_seen', 'tries'],
  order: [{ column: 'file', direction: 'asc' }],
  from: db =>
    db.selectFrom(
      files(db).unionAll(folders(db)).unionAll(damagedResults(db)).as('unreadable'),
    ) as unknown as RelationSource,
}

/** A second copy of an entry, with the same bytes, hides nothing and is not listed. */
function files(db: Kysely<IndexTables>) {
  return db
    .selectFrom('unread as u')
    .innerJoin('folder', 'folder.id', 'u.folder_id')
    .where(sql<SqlBool>`${sql.raw(IS_NO_DUPLICATE)}`)
    .select([
      filePath('folder.name', 'u.name').as('file'),
      'u.reason as reason',
      'u.first_seen as first_seen',
      'u.tries as tries',
      'folder.name as session_id',
      'u.is_conflict as is_conflict',
      'u.name_at as name_at',
      'u.sha256 as sha256',
    ])
}

function folders(db: Kysely<IndexTables>) {
  return db
    .selectFrom('folder')
    .where('folder.problem', 'is not', null)
    .select([
      sql<unknown>`${sql.ref('folder.name')}`.as('file'),
      sql<string>`${sql.ref('folder.problem')}`.as('reason'),
      sql<string>`${sql.ref('folder.first_seen')}`.as('first_seen'),
      'folder.tries as tries',
      'folder.name as session_id',
      sql<number>`false`.as('is_conflict'),
      sql<string | null>`null`.as('name_at'),
      sql<string | null>`null`.as('sha256'),
    ])
}

/** Results that lie outside the record. One that is gone hides nothing and is not listed. */
function damagedResults(db: Kysely<IndexTables>) {
  return db
    .selectFrom('result')
    .where('result.state', '=', 'damaged')
    .select([
      sql<unknown>`coalesce(result.path, result.name)`.as('file'),
      sql<string>`${sql.ref('result.problem')}`.as('reason'),
      'result.first_seen as first_seen',
      'result.tries as tries',
      sql<string>`null`.as('session_id'),
      sql<number>`false`.as('is_conflict'),
      sql<string | null>`null`.as('name_at'),
      sql<string | null>`null`.as('sha256'),
    ])
}
