import { chmodSync } from 'node:fs'
import { createIndexes, createTables } from '../database/index-file.ts'
import { type Database, openSqlite } from '../database/sqlite.ts'
import { indexWriter } from './index-writer.ts'
import type { IndexerReport } from './indexer-report.ts'
import { loadRecord } from './load-record.ts'
import { loadResults } from './load-results.ts'
import type { Place } from './place.ts'
import type { Refreshed } from './refreshed.ts'
import { startLoading } from './start-loading.ts'

/**
 * Builds a new index of a record at a path where nothing is. Nobody may read it before it is put in its place.
 *
 * @param hasRecord whether there is one; without it the index holds results alone
 */
export async function buildIndex(
  path: string,
  place: Place,
  report: IndexerReport,
  hasRecord = true,
): Promise<Refreshed> {
  const db = openSqlite(path)
  try {
    // Nobody else sees this file, and a build that is cut off is thrown away: no journal, no waiting for the disk.
    db.pragma('page_size = 16384')
    db.pragma('journal_mode = off')
    db.pragma('synchronous = off')
    db.pragma('cache_size = -65536')
    chmodSync(path, 0o600)
    createTables(db)
    const writer = indexWriter(db, { keepsSearch: false })
    const { loading, at } = startLoading(place, report, writer)
    if (hasRecord) await loadRecord(loading, { isNew: true, isThorough: false })
    await loadResults(loading)
    writer.setMeta('record_dir', place.recordDir)
    writer.setMeta('indexed_at', loading.now)
    writer.setMeta('changed_at', loading.now)
    fillSearch(db)
    createIndexes(db)
    writer.commit()
    db.exec('analyze')
    return { rebuilt: true, at, work: { ...loading.work, rowsWritten: writer.rowsWritten() } }
  } finally {
    db.close()
  }
}

/** Fills the search tables from the texts. A larger table of words in memory makes fewer pieces to merge: about a quarter less time. */
function fillSearch(db: Database): void {
  fill(db, 'message_fts', 'text', 'select entry_id, text from message_text where text is not null')
  fill(db, 'scan_fts', 'words', 'select id, words from scan_message')
}

function fill(db: Database, table: 'message_fts' | 'scan_fts', column: string, rows: string): void {
  db.exec(`insert into ${table} (${table}, rank) values ('hashsize', ${64 * 1024 * 1024})`)
  db.exec(`insert into ${table} (rowid, ${column}) ${rows}`)
  db.exec(`insert into ${table} (${table}, rank) values ('hashsize', ${1024 * 1024})`)
}
