import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { RESULT_CODES } from './result-codes.ts'
import { makeSearchTable } from './soundness.ts'
import type { SqliteDatabase, SqliteStatement } from './sqlite-database.ts'

// Node's own SQLite, as better-sqlite3 answers: the same values, errors and refusals (test/sqlite/drivers.test.ts).

/** What is used of the module `node:sqlite`. */
export interface NodeSqlite {
  DatabaseSync: new (path: string, options: object) => NodeDatabase
}

interface NodeDatabase {
  readonly isTransaction: boolean
  prepare(sql: string): NodeStatement
  exec(sql: string): void
  close(): void
}

interface NodeStatement {
  columns(): { name: string }[]
  setReadBigInts(isOn: boolean): void
  setAllowUnknownNamedParameters(isOn: boolean): void
  run(...values: unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint }
  get(...values: unknown[]): NodeRow | undefined
  all(...values: unknown[]): NodeRow[]
  iterate(...values: unknown[]): Iterator<NodeRow>
}

type NodeRow = Record<string, unknown>

export interface OpenOptions {
  readonly?: boolean
  /** How long a statement waits for another process; five seconds unless given. */
  timeout?: number
}

/** Loads `node:sqlite` and tries whether it can do what the index needs; throws where it is missing or cannot. */
export function loadNodeSqlite(): NodeSqlite {
  const module = withoutExperimentalWarning(() => createRequire(import.meta.url)('node:sqlite') as NodeSqlite)
  const db = openNodeSqlite(module, ':memory:')
  try {
    makeSearchTable(db)
    db.prepare('select count(*) from probe').pluck().get()
    if (typeof db.inTransaction !== 'boolean') throw new Error('node:sqlite of this Node is too old')
  } finally {
    db.close()
  }
  return module
}

/** Node warns once, when the module is loaded; coord tries the module out instead. */
function withoutExperimentalWarning<T>(load: () => T): T {
  const { emitWarning } = process
  process.emitWarning = ((warning: string | Error, ...more: unknown[]) => {
    const [type] = more as [string | { type?: string } | undefined]
    const name = typeof type === 'object' ? type.type : type
    if (name !== 'ExperimentalWarning') Reflect.apply(emitWarning, process, [warning, ...more])
  }) as typeof emitWarning
  try {
    return load()
  } finally {
    process.emitWarning = emitWarning
  }
}

/** Opens a file as `openSqlite` does. */
export function openNodeSqlite(module: NodeSqlite, path: string, options: OpenOptions = {}): SqliteDatabase {
  if (path !== ':memory:' && !existsSync(dirname(path)))
    throw new TypeError('Cannot open database because the directory does not exist')
  const { readonly = false, timeout = 5_000 } = options
  return new NodeSqliteDatabase(
    path,
    translated(() => new module.DatabaseSync(path, { readOnly: readonly, timeout, defensive: true })),
  )
}

class NodeSqliteDatabase implements SqliteDatabase {
  readonly name: string
  readonly #db: NodeDatabase
  readonly #running = new Set<object>()

  constructor(name: string, db: NodeDatabase) {
    this.name = name
    this.#db = db
  }

  get inTransaction(): boolean {
    return this.#db.isTransaction
  }

  prepare(sql: string): SqliteStatement {
    return new NodeSqliteStatement(
      translated(() => this.#db.prepare(sql)),
      sql,
      this.#running,
    )
  }

  exec(sql: string): void {
    refuseWhileReading(this.#running)
    translated(() => this.#db.exec(sql))
  }

  close(): void {
    refuseWhileReading(this.#running)
    translated(() => this.#db.close())
  }
}

class NodeSqliteStatement implements SqliteStatement {
  readonly reader: boolean
  readonly #statement: NodeStatement
  readonly #names: string[]
  readonly #running: Set<object>
  #isPlucked = false

  constructor(statement: NodeStatement, sql: string, running: Set<object>) {
    this.#statement = statement
    this.#running = running
    this.#names = [...sql.matchAll(/@(\w+)/g)].map(match => match[1] as string)
    this.reader = statement.columns().length > 0
    // Numbers that no double can hold are rounded, not refused.
    statement.setReadBigInts(true)
    statement.setAllowUnknownNamedParameters(true)
  }

  pluck(): this {
    this.#isPlucked = true
    return this
  }

  run(...values: unknown[]): { changes: number; lastInsertRowid: number } {
    refuseWhileReading(this.#running)
    const { changes, lastInsertRowid } = translated(() => this.#statement.run(...this.#bound(values)))
    return { changes: Number(changes), lastInsertRowid: Number(lastInsertRowid) }
  }

  get(...values: unknown[]): unknown {
    this.#refuseWhileRunning()
    const row = translated(() => this.#statement.get(...this.#bound(values)))
    return row === undefined ? undefined : this.#row(row)
  }

  all(...values: unknown[]): unknown[] {
    this.#refuseWhileRunning()
    return translated(() => this.#statement.all(...this.#bound(values))).map(row => this.#row(row))
  }

  *iterate(...values: unknown[]): IterableIterator<unknown> {
    this.#refuseWhileRunning()
    this.#running.add(this)
    const rows = translated(() => this.#statement.iterate(...this.#bound(values)))
    try {
      for (let next = translated(() => rows.next()); !next.done; next = translated(() => rows.next()))
        yield this.#row(next.value)
    } finally {
      rows.return?.()
      this.#running.delete(this)
    }
  }

  #refuseWhileRunning(): void {
    if (this.#running.has(this)) throw new TypeError('This statement is busy executing a query')
  }

  /** A list by its order or an object by its names, also where kysely gives the list as one value. */
  #bound(values: unknown[]): unknown[] {
    return values.flat().map(value => {
      if (!isNamed(value)) return bindable(value)
      const named = new Map<string, unknown>(Object.entries(value))
      return Object.fromEntries(
        this.#names.map(name => {
          if (!named.has(name)) throw new RangeError(`Missing named parameter "${name}"`)
          return [name, bindable(named.get(name))]
        }),
      )
    })
  }

  #row(row: NodeRow): unknown {
    if (this.#isPlucked) return read(Object.values(row)[0])
    return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, read(value)]))
  }
}

function refuseWhileReading(running: ReadonlySet<object>): void {
  if (running.size > 0) throw new TypeError('This database connection is busy executing a query')
}

function isNamed(value: unknown): value is object {
  return value !== null && typeof value === 'object' && !ArrayBuffer.isView(value)
}

/** Nodes differ in what else they take. */
function bindable(value: unknown): unknown {
  if (value === undefined || value === null) return null
  if (ArrayBuffer.isView(value) || /^(number|string|bigint)$/.test(typeof value)) return value
  throw new TypeError('SQLite3 can only bind numbers, strings, bigints, buffers, and null')
}

function read(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value
}

/** SQLite's errors with the name of their extended result code, as better-sqlite3 gives them. */
function translated<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    const { errcode, message } = error as { errcode?: number; message: string }
    if (errcode === undefined) throw error
    const code = RESULT_CODES[errcode] ?? RESULT_CODES[errcode & 0xff] ?? `SQLITE_UNKNOWN_${errcode}`
    throw Object.assign(new Error(message, { cause: error }), { name: 'SqliteError', code })
  }
}
