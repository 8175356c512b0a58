import { escapeLines, escapeText } from '../../hostile-text/escape-text.ts'
import type { OutputColumn, Row } from './output-column.ts'

/** Beginnings that make a spreadsheet take a text for a formula, full-width forms included. */
const FORMULA = /^[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\t\r\n]/
const NEEDS_QUOTES = /[",;\n]|^\s|\s$/

/** The line of column names. */
export function csvHeader(columns: readonly OutputColumn[]): string {
  return `${columns.map(column => csvCell(column.name, column)).join(',')}\r\n`
}

/** One row as RFC 4180 has it. A line feed stands raw, in quotes; every other hidden character as a visible escape. */
export function csvRow(columns: readonly OutputColumn[], row: Row): string {
  return `${columns.map(column => csvCell(row[column.name], column)).join(',')}\r\n`
}

/** A cell of CSV. Null is an empty cell, an empty text a quoted one. */
export function csvCell(value: unknown, column: OutputColumn): string {
  if (value === null || value === undefined) return ''
  const cell = escapeLines(withoutFormula(value, column))
  return cell === '' || NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

/** The line of column names. */
export function tsvHeader(columns: readonly OutputColumn[]): string {
  return `${columns.map(column => tsvCell(column.name, column)).join('\t')}\n`
}

/** One row with tabs between its cells; tabs and line feeds inside stand as `\t` and `\n`. */
export function tsvRow(columns: readonly OutputColumn[], row: Row): string {
  return `${columns.map(column => tsvCell(row[column.name], column)).join('\t')}\n`
}

/** A cell of TSV; null is an empty one. */
export function tsvCell(value: unknown, column: OutputColumn): string {
  if (value === null || value === undefined) return ''
  return escapeText(withoutFormula(value, column))
}

function withoutFormula(value: unknown, column: OutputColumn): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  const isSafe = (column.type === 'number' && typeof value === 'number') || !FORMULA.test(text)
  return isSafe ? text : `'${text}`
}
