import { existsSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { listKnownResults } from '../known-results/list-known-results.ts'
import { indexFileState } from '../sqlite/index-file.ts'
import { settleJournal } from '../sqlite/journal.ts'
import { openSqlite } from '../sqlite/open-sqlite.ts'
import { isDamage, isSqliteError } from '../sqlite/sqlite-error.ts'
import { updateIndex } from '../sqlite/update-index.ts'
import { buildIndex } from './build-index.ts'
import { buildPath, checkReplaceable, putInPlace, removeLeftBuilds, setAside } from './index-files.ts'
import { type IndexerReport, SILENT } from './indexer-report.ts'
import { checkRecord } from './listing.ts'
import { loadRecord } from './load-record.ts'
import { loadResults } from './load-results.ts'
import { asOnlyIndexer, lockPath } from './only-indexer.ts'
import { checkOutsideRecord, type Place } from './place.ts'
import { publishProjections } from './publish.ts'
import type { Refreshed } from './refreshed.ts'
import { startLoading } from './start-loading.ts'

export interface RefreshOptions {
  /** Make the index anew even where the present one is sound. */
  rebuild?: boolean
  /** Look at every file again, not only where a folder has changed. */
  thorough?: boolean
  report?: Partial<IndexerReport>
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
  const hasRecord = checkPlace(place, report.note)
  return asOnlyIndexer(place.indexPath, report.waiting, async () => {
    checkReplaceable(place.indexPath, true)
    removeLeftBuilds(place.indexPath)
    if (!options.rebuild) {
      const updated = await update(place, report, { isThorough: options.thorough ?? false, hasRecord })
      if (updated) return updated
    }
    const path = buildPath(place.indexPath)
    const built = await buildIndex(path, place, report, hasRecord)
    putInPlace(path, place.indexPath)
    publishProjections(place, report.note)
    return built
  })
}

/** What identifies the file at an index's path; null where there is none. */
export function indexIdentity(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? null
}

/**
 * Sets an index aside that was found damaged, unless another process has put another file in its place since. The
 * next refresh builds a new one.
 *
 * @param identity of the file that was found damaged (`indexIdentity`)
 */
export async function setDamagedAside(
  place: Place,
  identity: number,
  note: (text: string) => void,
): Promise<void> {
  await asOnlyIndexer(place.indexPath, SILENT.waiting, async () => {
    if (indexIdentity(place.indexPath) === identity) noteSetAside(place, note)
  })
}

/** Finishes what a killed refresh left half done, for a reader that may not write: the index is as it was before that refresh. */
export async function settleIndex(place: Place, waiting: () => void): Promise<void> {
  await asOnlyIndexer(place.indexPath, waiting, async () => settleJournal(place.indexPath))
}

/**
 * Finds out before anything is made in the cache that there is something to read and a place for its index. Somebody who
 * only scans or runs chains has no record: what is known instead is enough, and it is said that there is no record.
 *
 * @returns whether there is a record
 */
function checkPlace(place: Place, note: (text: string) => void): boolean {
  const hasRecord = existsSync(place.recordDir) || !isWithoutRecord(place)
  if (hasRecord) checkRecord(place.recordDir)
  else note(`there is no record at ${place.recordDir}: nothing is known but scans and runs`)
  checkOutsideRecord(place)
  const isOurs = existsSync(lockPath(place.indexPath)) || /^index-v\d+\.db$/.test(basename(place.indexPath))
  checkReplaceable(place.indexPath, isOurs)
  return hasRecord
}

/** Whether results are known, and never anything of a record: one that was there before and is not now is an error. */
function isWithoutRecord({ knownDir, indexPath }: Place): boolean {
  if (knownDir === null || listKnownResults(knownDir).length === 0) return false
  if (indexFileState(indexPath).state !== 'current') return true
  const db = openSqlite(indexPath, { readonly: true })
  try {
    return db.prepare('select 1 from folder limit 1').get() === undefined
  } catch (error) {
    // An index that cannot be asked may hold a record.
    if (isSqliteError(error)) return false
    throw error
  } finally {
    db.close()
  }
}

/** Refreshes the present index; null where there is none to refresh, or where it is damaged and was set aside. */
async function update(place: Place, report: IndexerReport, look: Look): Promise<Refreshed | null> {
  const { state } = indexFileState(place.indexPath)
  if (state === 'rubbish') noteSetAside(place, report.note)
  if (state !== 'current') return null
  try {
    const refreshed = await updateSound(place, report, look)
    if (refreshed) publishProjections(place, report.note)
    return refreshed
  } catch (error) {
    if (!isDamage(error)) throw error
    noteSetAside(place, report.note)
    return null
  }
}

/** What a refresh looks at: every file again, and a record at all. */
interface Look {
  isThorough: boolean
  hasRecord: boolean
}

async function updateSound(
  place: Place,
  report: IndexerReport,
  { isThorough, hasRecord }: Look,
): Promise<Refreshed | null> {
  return updateIndex(place.indexPath, async writer => {
    const indexed = writer.meta('record_dir')
    if (indexed !== place.recordDir) {
      report.note(`the index held another record (${indexed}); it is built anew`)
      return null
    }
    const { loading, at } = startLoading(place, report, writer)
    if (hasRecord) await loadRecord(loading, { isNew: false, isThorough })
    if (loading.gone.length > 0) report.note(describeGone(loading.gone))
    await loadResults(loading)
    if (writer.isContentChanged()) writer.setMeta('changed_at', loading.now)
    if (writer.isChanged()) writer.setMeta('indexed_at', loading.now)
    writer.commit()
    return { rebuilt: false, at, work: { ...loading.work, rowsWritten: writer.rowsWritten() } }
  })
}

function noteSetAside(place: Place, note: (text: string) => void): void {
  note(`the index was damaged; it is set aside as ${setAside(place.indexPath)} and built anew`)
}

const MOST_NAMED = 3

/** Said once, by the refresh that missed them. */
function describeGone(files: readonly string[]): string {
  const rest = files.length > MOST_NAMED ? `, and ${files.length - MOST_NAMED} more` : ''
  const named = `${files.slice(0, MOST_NAMED).join(', ')}${rest}`
  const are =
    files.length === 1
      ? '1 entry that was indexed is gone'
      : `${files.length} entries that were indexed are gone`
  return `${are}, and what it held is unknown now: ${named} (coord query unreadable lists what is gone)`
}
