import { chmodSync, existsSync } from 'node:fs'
import { basename } from 'node:path'
import { createIndexes, createTables, indexFileState } from '../database/index-file.ts'
import { type Database, isDamage, openSqlite } from '../database/sqlite.ts'
import { formatTimestamp } from '../record/timestamp.ts'
import { buildPath, checkReplaceable, putInPlace, removeLeftBuilds, setAside } from './index-files.ts'
import { indexWriter } from './index-writer.ts'
import { checkRecord } from './listing.ts'
import { loadRecord } from './load-record.ts'
import type { Change, Loading, LoadWork } from './loading.ts'
import { checkOutsideRecord, type Place } from './place.ts'
import { publishProjections } from './publish.ts'
import { asOnlyIndexer, lockPath } from './writer-lock.ts'

/** Whom an indexer tells how it goes; all of it may be ignored. */
export interface IndexerReport {
  /** About once for every file opened. */
  progress(filesOpened: number): void
  /** About once a second while another indexer is at work. */
  waiting(): void
  /** Something a person should know, in one sentence; the answer is right all the same. */
  note(text: string): void
  change(change: Change): void
}

export interface RefreshOptions {
  /** Make the index anew even where the present one is sound. */
  rebuild?: boolean
  /** Look at every file again, not only where a folder has changed. */
  thorough?: boolean
  report?: Partial<IndexerReport>
}

/** What a refresh found and did. */
export interface Refreshed {
  rebuilt: boolean
  /** The time up to which the index now agrees with the record. */
  at: Date
  work: LoadWork & { rowsWritten: number }
}

/**
 * Brings the index of a record up to date: incrementally where there is a sound index of this version and this
 * record, else by building a new one and putting it in place in one step. Whatever happens to the process, the file
 * at the index's path is the old index or the new one. Publishes the projections that changed.
 *
 * @throws Problem `record` (no such record), `index` (the file there is not ours to replace), `environment` (rights,
 * native module)
 */
export async function refreshIndex(place: Place, options: RefreshOptions = {}): Promise<Refreshed> {
  const report: IndexerReport = { ...SILENT, ...options.report }
  // A record that cannot be listed is found out first, before anything is made in the cache for it.
  checkRecord(place.recordDir)
  checkOutsideRecord(place)
  const isOurs = existsSync(lockPath(place.indexPath)) || /^index-v\d+\.db$/.test(basename(place.indexPath))
  checkReplaceable(place.indexPath, isOurs)
  return asOnlyIndexer(place.indexPath, report.waiting, async () => {
    checkReplaceable(place.indexPath, true)
    removeLeftBuilds(place.indexPath)
    const updated = options.rebuild ? null : await update(place, report, options.thorough ?? false)
    const refreshed = updated ?? (await build(place, report))
    publishProjections(place, report.note)
    return refreshed
  })
}

/** Sets a damaged index aside, unless another process has mended it meanwhile; the next refresh builds a new one. */
export async function setDamagedAside(place: Place, note: (text: string) => void): Promise<void> {
  await asOnlyIndexer(
    place.indexPath,
    () => {},
    async () => {
      if (existsSync(place.indexPath) && !(await isSound(place.indexPath))) noteSetAside(place, note)
    },
  )
}

/** Refreshes the present index; null where there is none to refresh. */
async function update(place: Place, report: IndexerReport, isThorough: boolean): Promise<Refreshed | null> {
  const { state } = indexFileState(place.indexPath)
  if (state === 'rubbish') noteSetAside(place, report.note)
  if (state !== 'current') return null
  try {
    return await withDatabase(place.indexPath, async db => {
      // Pages that spill before the end would lock every reader out for the rest of the refresh.
      db.pragma('cache_spill = off')
      const writer = indexWriter(db, { keepsSearch: true })
      const indexed = writer.meta('record_dir')
      if (indexed !== place.recordDir) {
        report.note(`the index held another record (${indexed}); it is built anew`)
        return null
      }
      const { loading, at } = startLoading(place, report, writer)
      await loadRecord(loading, { isNew: false, isThorough })
      if (writer.isChanged()) writer.setMeta('indexed_at', loading.now)
      writer.commit()
      return { rebuilt: false, at, work: { ...loading.work, rowsWritten: writer.rowsWritten() } }
    })
  } catch (error) {
    if (!isUnusable(error)) throw error
    noteSetAside(place, report.note)
    return null
  }
}

/** Builds a new index beside the present one and puts it in its place. */
async function build(place: Place, report: IndexerReport): Promise<Refreshed> {
  const path = buildPath(place.indexPath)
  const refreshed = await withDatabase(path, async db => {
    // Nobody else sees this file, and a build that is cut off is thrown away: no journal, no waiting for the disk.
    db.pragma('page_size = 16384')
    db.pragma('journal_mode = off')
    db.pragma('synchronous = off')
    db.pragma('cache_size = -65536')
    chmodSync(path, 0o600)
    db.exec('begin')
    createTables(db)
    const writer = indexWriter(db, { keepsSearch: false })
    const { loading, at } = startLoading(place, report, writer)
    db.exec('commit')
    await loadRecord(loading, { isNew: true, isThorough: false })
    writer.setMeta('record_dir', place.recordDir)
    writer.setMeta('indexed_at', loading.now)
    fillSearch(db)
    createIndexes(db)
    writer.commit()
    db.exec('analyze')
    return { rebuilt: true, at, work: { ...loading.work, rowsWritten: writer.rowsWritten() } }
  })
  putInPlace(path, place.indexPath)
  return refreshed
}

/** Fills the search table from the texts. A larger table of words in memory makes fewer pieces to merge: about a quarter less time. */
function fillSearch(db: Database): void {
  db.exec(`insert into message_fts (message_fts, rank) values ('hashsize', ${64 * 1024 * 1024})`)
  db.exec(
    'insert into message_fts (rowid, text) select entry_id, text from message_text where text is not null',
  )
  db.exec(`insert into message_fts (message_fts, rank) values ('hashsize', ${1024 * 1024})`)
}

function startLoading(
  place: Place,
  report: IndexerReport,
  writer: Loading['writer'],
): { loading: Loading; at: Date } {
  const at = new Date()
  const work = { foldersListed: 0, filesOpened: 0, filesAdded: 0, filesRemoved: 0 }
  const loading: Loading = {
    recordDir: place.recordDir,
    writer,
    work,
    now: formatTimestamp(at),
    onFile: () => report.progress(work.filesOpened),
    onChange: report.change,
    onRewritten: file =>
      report.note(
        `${file} was rewritten since it was indexed, which an entry never is; the answer goes by what it holds now`,
      ),
  }
  return { loading, at }
}

async function withDatabase<T>(path: string, work: (db: Database) => Promise<T> | T): Promise<T> {
  const db = openSqlite(path, { timeout: 10 * 60_000 })
  try {
    return await work(db)
  } finally {
    db.close()
  }
}

async function isSound(path: string): Promise<boolean> {
  if (indexFileState(path).state !== 'current') return false
  try {
    return await withDatabase(path, db => db.pragma('quick_check', { simple: true }) === 'ok')
  } catch (error) {
    if (isDamage(error)) return false
    throw error
  }
}

/** Damage that SQLite sees, and damage that only shows in use: tables or facts that are not as this version writes them. */
function isUnusable(error: unknown): boolean {
  return (
    isDamage(error) ||
    error instanceof SyntaxError ||
    (error instanceof Error && /^no such (table|column)/.test(error.message))
  )
}

function noteSetAside(place: Place, note: (text: string) => void): void {
  note(`the index was damaged; it is set aside as ${setAside(place.indexPath)} and built anew`)
}

const SILENT: IndexerReport = { progress() {}, waiting() {}, note() {}, change() {} }
