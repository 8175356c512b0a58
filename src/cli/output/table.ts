import { displayWidth } from '../../hostile-text/display-width.ts'
import { fitEscaped, fitText, padText } from './fit-text.ts'
import { formatTime } from './local-time.ts'
import type { OutputColumn, Row } from './output-column.ts'

export interface TableOptions {
  /** Columns of the terminal; without it nothing is shortened. */
  width?: number | undefined
  utc?: boolean | undefined
  colour?: boolean | undefined
}

const GAP = '  '
/** Texts are not cut below this before other columns are. */
const NARROWEST = 6
const BOLD = ['\x1b[1m', '\x1b[22m'] as const

/** Lines of an aligned table whose column widths come from its first rows. */
export interface TableLayout {
  header(): string
  line(row: Row): string
}

/** Lays out a table after its first rows: numbers on the right; where `width` is given, the widest texts are cut with `…`. */
export function layOutTable(
  columns: readonly OutputColumn[],
  firstRows: readonly Row[],
  options: TableOptions = {},
): TableLayout {
  const { width, colour } = options
  const natural = columns.map(column =>
    Math.max(displayWidth(fitText(column.name)), ...widthsOf(column, firstRows, options)),
  )
  const widths = width === undefined ? natural : fitWidths(columns, natural, width)
  const join = (cells: string[]) => {
    const line = cells.join(GAP).trimEnd()
    return width === undefined ? line : fitEscaped(line, width)
  }
  const alignOf = (column: OutputColumn) => (column.type === 'number' ? 'right' : 'left')
  return {
    header() {
      const line = join(
        columns.map((column, index) => {
          const most = widths[index] as number
          return padText(fitText(column.name, width === undefined ? undefined : most), most, alignOf(column))
        }),
      )
      return colour ? BOLD[0] + line + BOLD[1] : line
    },
    line(row) {
      return join(
        columns.map((column, index) => {
          const most = widths[index] as number
          const isCut = width !== undefined && column.type === 'text'
          return padText(
            cellText(column, row[column.name], options, isCut ? most : undefined),
            most,
            alignOf(column),
          )
        }),
      )
    },
  }
}

function* widthsOf(column: OutputColumn, rows: readonly Row[], options: TableOptions): Generator<number> {
  for (const row of rows) {
    // One more than fits shows that a cell is too wide; how much too wide does not matter.
    const most = options.width === undefined ? undefined : options.width + 1
    yield displayWidth(cellText(column, row[column.name], options, most))
  }
}

function cellText(column: OutputColumn, value: unknown, options: TableOptions, most?: number): string {
  if (value === null || value === undefined) return ''
  if (column.type === 'time' && typeof value === 'string')
    return formatTime(value, { utc: options.utc ?? false })
  return fitText(typeof value === 'object' ? JSON.stringify(value) : String(value), most)
}

/** Takes from the widest text columns, one step at a time, until the row fits or no text is wider than the narrowest. */
function fitWidths(columns: readonly OutputColumn[], natural: readonly number[], width: number): number[] {
  const widths = natural.map((wide, index) =>
    columns[index]?.type === 'text' ? Math.min(wide, width) : wide,
  )
  let excess = widths.reduce((sum, wide) => sum + wide, 0) + GAP.length * (columns.length - 1) - width
  while (excess > 0) {
    const texts = widths.map((wide, index) => (columns[index]?.type === 'text' ? wide : 0))
    const widest = Math.max(...texts)
    if (widest <= NARROWEST) break
    widths[texts.lastIndexOf(widest)] = widest - 1
    excess -= 1
  }
  return widths
}
