import { chmodSync } from 'node:fs'
import { migrations, schemaVersion } from '../../migrations/index.ts'
import type { IndexWriter } from '../database/index-writer.ts'
import { APPLICATION_ID } from './index-file.ts'
import { indexWriter } from './index-writer.ts'
import { openSqlite } from './open-sqlite.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { fillSearch } from './text-search.ts'

/**
 * Makes an index at a path where nothing is, and fills it by `load`. Nobody may read it before it is put in its place:
 * what is cut off is thrown away, so there is no journal on disk and no waiting for it. Search tables and indexes come
 * last, so that the load need not keep them.
 */
export async function makeIndex<T>(
  path: string,
  load: (writer: IndexWriter) => Promise<T>,
): Promise<{ loaded: T; rowsWritten: number }> {
  const db = openSqlite(path)
  try {
    db.exec('pragma page_size = 16384')
    db.exec('pragma journal_mode = memory')
    db.exec('pragma synchronous = off')
    db.exec('pragma cache_size = -65536')
    chmodSync(path, 0o600)
    createTables(db)
    const writer = indexWriter(db, { keepsSearch: false })
    const loaded = await load(writer)
    fillSearch(db)
    for (const step of migrations) db.exec(step.indexes)
    writer.commit()
    db.exec('analyze')
    return { loaded, rowsWritten: writer.rowsWritten() }
  } finally {
    db.close()
  }
}

function createTables(db: SqliteDatabase): void {
  db.exec(`pragma application_id = ${APPLICATION_ID}`)
  db.exec(`pragma user_version = ${schemaVersion}`)
  for (const step of migrations) db.exec(step.tables)
}
