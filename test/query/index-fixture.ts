import { migrations } from '../../migrations/index.ts'
import { toStored } from '../../src/database/stored-text.ts'
import type { EntryRow, FolderRow, SessionRow, UnreadRow } from '../../src/database/tables.ts'
import { recordRelations } from '../../src/query/relations.ts'
import { countRows, type QueryRequest, type Row, runQuery } from '../../src/query/run-query.ts'
import { askable, sqliteDialect } from '../../src/sqlite/dialect.ts'
import { openSqlite } from '../../src/sqlite/open-sqlite.ts'

export const NOW = new Date('2026-11-01T12:00:00.000Z')

/** An index in memory, filled row by row. */
export class IndexFixture {
  readonly sqlite = openSqlite(':memory:')
  readonly db = askable(this.sqlite)
  #count = 0

  constructor() {
    for (const { tables, indexes } of migrations) this.sqlite.exec(tables + indexes)
  }

  folder(name: string, more: Partial<FolderRow> = {}): number {
    const found = this.sqlite.prepare('select id from folder where name = ?').pluck().get(toStored(name))
    if (found !== undefined) return found as number
    return this.#insert('folder', {
      name,
      identity: null,
      is_settled: 0,
      problem: null,
      first_seen: null,
      tries: 0,
      ...more,
    })
  }

  entry(row: Partial<EntryRow> & { session_id: string }): { id: number; name: string } {
    this.#count += 1
    const name = row.name ?? `2026-11-01T100000.000Z-load-${String(this.#count).padStart(6, '0')}.json`
    const filled = {
      folder_id: this.folder(row.session_id),
      stat: 's',
      sha256: 'a'.repeat(64),
      kind: 'start',
      at: '2026-11-01T10:00:00.000Z',
      cwd: '/home/dev/project',
      ...row,
      name,
    }
    return { id: this.#insert('entry', filled), name }
  }

  /** `text` null: a message of which only length and hash are kept. */
  message(text: string | null, row: Partial<EntryRow> = {}): { id: number; name: string } {
    const entry = this.entry({
      session_id: 'S1',
      kind: 'message',
      side: 'received',
      peer_as: 'peer',
      outcome: 'queued',
      text_length: text === null ? 7 : Buffer.byteLength(text),
      has_text: text === null ? 0 : 1,
      ...row,
    })
    this.#insert('message_text', { entry_id: entry.id, text, envelope_before: '<m>', envelope_after: '</m>' })
    if (text !== null) this.#insert('message_fts', { rowid: entry.id, text })
    return entry
  }

  session(row: Partial<SessionRow> & { session_id: string }): void {
    this.#insert('session', {
      first_heard: '2026-11-01T10:00:00.000Z',
      last_heard: '2026-11-01T11:00:00.000Z',
      entries: 1,
      cwd: '/home/dev/project',
      facts: '{}',
      ...row,
    })
  }

  unread(folder: string, row: Partial<UnreadRow> & { name: string }): void {
    this.#insert('unread', {
      folder_id: this.folder(folder),
      stat: 's',
      is_conflict: 0,
      is_retried: 0,
      reason: 'not JSON',
      first_seen: '2026-11-01T10:00:00.000Z',
      tries: 1,
      ...row,
    })
  }

  async rows(relation: string, request: Partial<QueryRequest> = {}): Promise<Row[]> {
    return await collect(
      runQuery(this.db, {
        relation,
        now: NOW,
        dialect: sqliteDialect,
        relations: recordRelations,
        ...request,
      }).rows,
    )
  }

  async values(relation: string, column: string, filter?: string): Promise<unknown[]> {
    return (await this.rows(relation, { filter, select: column })).map(row => row[column])
  }

  async count(relation: string, filter?: string): Promise<number> {
    return await countRows(this.db, { relation, filter, now: NOW, dialect: sqliteDialect })
  }

  #insert(table: string, row: object): number {
    const names = Object.keys(row)
    const values = Object.values(row).map(value => (typeof value === 'string' ? toStored(value) : value))
    const statement = `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`
    return Number(this.sqlite.prepare(statement).run(...values).lastInsertRowid)
  }
}

export async function collect<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const row of rows) all.push(row)
  return all
}
