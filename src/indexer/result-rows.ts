import { fromStored, toStored } from '../database/stored-text.ts'
import type { ResultRow } from '../database/tables.ts'
import type { IndexWriter } from './index-writer.ts'

/** A row of `result` before it has an id. */
export type NewResultRow = Omit<ResultRow, 'id'>

/** The rows of `result`: which results the index knows of. */
export interface ResultRows {
  put(row: NewResultRow, before: ResultRow | undefined): number
  update(id: number, row: Partial<NewResultRow>): void
  remove(id: number): void
}

const COLUMNS = [
  ...([
    'name',
    'stat',
    'kind',
    'path',
    'since',
    'identity',
    'state',
    'problem',
    'status',
    'made_at',
  ] as const),
  ...(['version', 'revision', 'first_seen', 'tries'] as const),
]

export function resultRows(writer: IndexWriter): ResultRows {
  const insert = writer.writing(
    `insert into result (${COLUMNS.join(', ')}) values (${COLUMNS.map(column => `@${column}`).join(', ')})`,
  )
  const replace = writer.writing(
    `update result set ${COLUMNS.map(column => `${column} = @${column}`).join(', ')} where id = @id`,
  )
  const remove = writer.writing('delete from result where id = ?')
  const current = writer.reading('select * from result where id = ?')
  return {
    put(row, before) {
      if (!before) return Number(insert(stored(row)).lastInsertRowid)
      replace({ ...stored(row), id: before.id })
      return before.id
    },
    update(id, row) {
      replace({ ...(current.get(id) as ResultRow), ...stored(row), id })
    },
    remove: id => void remove(id),
  }
}

/** Every result that the index knows of, by the name of its file. */
export function knownRows(writer: IndexWriter): Map<string, ResultRow> {
  const rows = writer.reading('select * from result').all() as ResultRow[]
  return new Map(
    rows.map(row => [row.name, { ...row, path: row.path === null ? null : fromStored(row.path) }]),
  )
}

function stored<Row extends Partial<NewResultRow>>(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'string' ? toStored(value) : value]),
  ) as Row
}
