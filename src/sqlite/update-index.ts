import type { IndexWriter } from '../database/index-writer.ts'
import { indexWriter } from './index-writer.ts'
import { openSqlite } from './open-sqlite.ts'

/** How long a refresh waits for readers to end before it gives up. */
const BUSY_MS = 60_000

/** Opens an index to bring it up to date; what `update` does not commit is undone. */
export async function updateIndex<T>(path: string, update: (writer: IndexWriter) => Promise<T>): Promise<T> {
  const db = openSqlite(path, { timeout: BUSY_MS })
  try {
    // Pages that spill before the end would lock every reader out for the rest of the refresh.
    db.exec('pragma cache_spill = off')
    return await update(indexWriter(db, { keepsSearch: true }))
  } finally {
    db.close()
  }
}
