import type { OutputColumn, Row } from './output-column.ts'
import { safeJson } from './safe-json.ts'
import { csvHeader, csvRow, tsvHeader, tsvRow } from './separated.ts'
import { layOutTable, type TableOptions } from './table.ts'

export type RowFormat = 'table' | 'ndjson' | 'csv' | 'tsv'

export interface RowsOutOptions extends TableOptions {
  /** Takes a piece of the output; a promise holds the rows back until it is done. */
  write: (piece: string) => void | Promise<void>
}

export interface RowsOut {
  columns: readonly OutputColumn[]
  rows: AsyncIterable<Row> | Iterable<Row>
}

/** Rows, and the length of their texts, that a table measures before its first line goes out. */
const MEASURED_ROWS = 1000
const MEASURED_LENGTH = 4_194_304
const PIECE_LENGTH = 65_536

/**
 * Writes rows as they come and returns their number. Tables show local time unless `utc`; the other formats keep the
 * record's. Nothing of a record's text reaches the output as a control or an invisible character.
 */
export async function writeRows(out: RowsOut, format: RowFormat, options: RowsOutOptions): Promise<number> {
  const pieces = new Pieces(options.write)
  const count = await (format === 'table'
    ? writeTable(out, options, pieces)
    : writeLines(out, LINES[format], pieces))
  await pieces.flush()
  return count
}

/** Writes `{ …head, "rows": […] }` as one JSON document without holding the rows in memory. */
export async function writeJsonDocument(
  head: Readonly<Record<string, unknown>>,
  rows: RowsOut['rows'],
  write: RowsOutOptions['write'],
): Promise<number> {
  const pieces = new Pieces(write)
  const fields = Object.entries(head).map(([name, value]) => `${safeJson(name)}:${safeJson(value)},`)
  await pieces.add(`{${fields.join('')}"rows":[`)
  let count = 0
  for await (const row of rows) {
    await pieces.add((count === 0 ? '\n' : ',\n') + safeJson(row))
    count += 1
  }
  await pieces.add(count === 0 ? ']}\n' : '\n]}\n')
  await pieces.flush()
  return count
}

type LineFormat = { header?: typeof csvHeader; row: typeof csvRow }

const LINES: Record<Exclude<RowFormat, 'table'>, LineFormat> = {
  ndjson: { row: (_, row) => `${safeJson(row)}\n` },
  csv: { header: csvHeader, row: csvRow },
  tsv: { header: tsvHeader, row: tsvRow },
}

async function writeLines({ columns, rows }: RowsOut, format: LineFormat, pieces: Pieces): Promise<number> {
  if (format.header) await pieces.add(format.header(columns))
  let count = 0
  for await (const row of rows) {
    await pieces.add(format.row(columns, row))
    count += 1
  }
  return count
}

async function writeTable(
  { columns, rows }: RowsOut,
  options: TableOptions,
  pieces: Pieces,
): Promise<number> {
  const first: Row[] = []
  let length = 0
  let layout = null
  let count = 0
  const start = async () => {
    const made = layOutTable(columns, first, options)
    await pieces.add(`${made.header()}\n`)
    for (const row of first) await pieces.add(`${made.line(row)}\n`)
    return made
  }
  for await (const row of rows) {
    count += 1
    if (layout !== null) {
      await pieces.add(`${layout.line(row)}\n`)
      continue
    }
    first.push(row)
    for (const { name } of columns) length += String(row[name] ?? '').length
    if (first.length === MEASURED_ROWS || length > MEASURED_LENGTH) layout = await start()
  }
  if (layout === null) await start()
  return count
}

/** Gathers lines so that a write is worth its call. */
class Pieces {
  readonly #write: RowsOutOptions['write']
  #waiting = ''

  constructor(write: RowsOutOptions['write']) {
    this.#write = write
  }

  async add(text: string): Promise<void> {
    this.#waiting += text
    if (this.#waiting.length >= PIECE_LENGTH) await this.flush()
  }

  async flush(): Promise<void> {
    if (this.#waiting === '') return
    const piece = this.#waiting
    this.#waiting = ''
    await this.#write(piece)
  }
}
