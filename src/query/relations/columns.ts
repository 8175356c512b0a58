import { type RawBuilder, sql } from 'kysely'
import type { ColumnType, RelationColumn } from '../relation.ts'

/** Makes the columns of one table: `of('entry').text('cwd', 'working directory …')`. The expression is the table's column of that name unless given. */
export function columnsOf(table: string) {
  const make =
    (type: ColumnType) =>
    (name: string, description: string, expression: RawBuilder<unknown> = sql.ref(`${table}.${name}`)) =>
      Object.freeze<RelationColumn>({ name, type, description, expression })
  return { text: make('text'), number: make('number'), boolean: make('boolean'), time: make('time') }
}

/** A file's path relative to the record folder. */
export function filePath(folder: string, name: string): RawBuilder<unknown> {
  return sql`(${sql.ref(folder)} || '/' || ${sql.ref(name)})`
}
