import type { ResultWriter } from '../database/index-writer.ts'
import type { NewResultRow } from '../database/new-rows.ts'
import { fromStored, toStored } from '../database/stored-text.ts'
import type { ResultRow } from '../database/tables.ts'

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

export function resultRows(writer: ResultWriter): ResultRows {
  const insert = writer.adding('result', COLUMNS)
  const replace = writer.replacing('result', COLUMNS)
  return {
    put(row, before) {
      if (!before) return insert(stored(row))
      replace({ ...stored(row), id: before.id })
      return before.id
    },
    update(id, row) {
      replace({ ...writer.rowOf<ResultRow>('result', id), ...stored(row), id })
    },
    remove: writer.removing('result', 'id'),
  }
}

/** Every result that the index knows of, by the name of its file. */
export function knownRows(writer: ResultWriter): Map<string, ResultRow> {
  const rows = writer.rowsOf<ResultRow>('result')
  return new Map(
    rows.map(row => [row.name, { ...row, path: row.path === null ? null : fromStored(row.path) }]),
  )
}

function stored<Row extends Partial<NewResultRow>>(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'string' ? toStored(value) : value]),
  ) as Row
}
