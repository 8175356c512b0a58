import { Kysely, type SqlBool, SqliteDialect, sql } from 'kysely'
import type { Dialect } from '../database/dialect.ts'
import type { IndexTables } from '../database/tables.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { foundIds, isSearchable, searchQuery } from './text-search.ts'

/** What SQLite says in its own words. */
export const sqliteDialect: Dialect = {
  // SQLite takes 32,766 bound values and a pattern of 50,000 bytes (sqlite.org/limits.html).
  mostValues: 16_000,
  longestPattern: 50_000,
  isSearchable,
  // SQLite's own `like` means just that.
  like: (text, pattern, escapedBy) =>
    escapedBy === null
      ? sql<SqlBool>`(${text} like ${sql.val(pattern)})`
      : sql<SqlBool>`(${text} like ${sql.val(pattern)} escape ${sql.val(escapedBy)})`,
  isFound: ({ table, id }, search) =>
    sql<SqlBool>`(${id} in (${sql.raw(foundIds(table))}${sql.val(searchQuery(search))}))`,
}

/** An open index for questions by kysely. */
export function askable(db: SqliteDatabase): Kysely<IndexTables> {
  return new Kysely<IndexTables>({ dialect: new SqliteDialect({ database: db }) })
}
