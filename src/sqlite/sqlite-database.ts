import type { Database, Statement } from '../database/database.ts'

/** An open SQLite file, as both drivers give it. */
export interface SqliteDatabase extends Database {
  /** The path of the file. */
  readonly name: string
  readonly inTransaction: boolean
  prepare(sql: string): SqliteStatement
  /** Runs statements that give no rows. */
  exec(sql: string): unknown
}

/** Values are bound, a list by its order, an object by its names (`@name`). While rows are taken one by one, nothing is written. */
export interface SqliteStatement extends Statement {
  /** Whether it gives rows. */
  readonly reader: boolean
  run(...values: unknown[]): { changes: number; lastInsertRowid: number | bigint }
  pluck(): SqliteStatement
}
