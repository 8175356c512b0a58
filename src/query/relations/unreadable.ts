import { type Kysely, type SqlBool, sql } from 'kysely'
import type { IndexTables } from '../../database/tables.ts'
import { IS_MISSED, IS_NO_DUPLICATE } from '../../database/unknown-evidence.ts'
import type { Relation, RelationSource } from '../relation.ts'
import { columnsOf, filePath } from './columns.ts'

const { text, number, boolean, time } = columnsOf('unreadable')

/** Unknown evidence: files and folders that could not be read, second contents of one name (rule.oneWriter), and what is missing (ruling 8). */
export const unreadable: Relation = {
  name: 'unreadable',
  description: 'files, folders and results that could not be read, and entries that are missing',
  columns: [
    text(
      'file',
      'path relative to the record folder; a folder stands as its name, a result as its whole path; of entries that were never there, the one that follows them',
    ),
    text('reason', 'why it could not be read, or what is missing'),
    time('first_seen', 'when the index met it first'),
    number('tries', 'how often it was tried; 0 where nothing is there to be tried'),
    text('session_id', 'name of the folder'),
    boolean('is_conflict', 'whether it holds other bytes under a name that is taken'),
    time('name_at', "the time in the file's name"),
    text('sha256', 'SHA-256 of the file, where its bytes could be read'),
    number(
      'missing',
      'how many entries are known to be missing here; null where something is there and cannot be read',
    ),
  ],
  tableColumns: ['file', 'reason', 'first_seen', 'tries'],
  // One file can be gone and the next one to other entries that are missing.
  order: [
    { column: 'file', direction: 'asc' },
    { column: 'reason', direction: 'asc' },
  ],
  from: db =>
    db.selectFrom(
      files(db)
        .unionAll(folders(db))
        .unionAll(damagedResults(db))
        .unionAll(goneEntries(db))
        .unionAll(gaps(db))
        .as('unreadable'),
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
      sql<number | null>`null`.as('missing'),
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
      sql<number | null>`null`.as('missing'),
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
      sql<number | null>`null`.as('missing'),
    ])
}

/** Entries that the index held and whose files were there no more at a later look. */
function goneEntries(db: Kysely<IndexTables>) {
  return db
    .selectFrom('gone as g')
    .where(sql<SqlBool>`${sql.raw(IS_MISSED)}`)
    .select([
      filePath('g.folder', 'g.name').as('file'),
      sql<string>`('gone since ' || ${sql.ref('g.since')})`.as('reason'),
      'g.since as first_seen',
      sql<number>`0`.as('tries'),
      'g.folder as session_id',
      sql<number>`false`.as('is_conflict'),
      sql<string | null>`${sql.ref('g.at')}`.as('name_at'),
      sql<string | null>`${sql.ref('g.sha256')}`.as('sha256'),
      sql<number | null>`1`.as('missing'),
    ])
}

/** Entries that were not written, or that numbers show to be missing, before one that is there. */
function gaps(db: Kysely<IndexTables>) {
  return db
    .selectFrom('gap')
    .select([
      filePath('gap.session_id', 'gap.name').as('file'),
      'gap.reason as reason',
      'gap.first_seen as first_seen',
      sql<number>`0`.as('tries'),
      'gap.session_id as session_id',
      sql<number>`false`.as('is_conflict'),
      sql<string | null>`${sql.ref('gap.name_at')}`.as('name_at'),
      sql<string | null>`null`.as('sha256'),
      'gap.missing as missing',
    ])
}
