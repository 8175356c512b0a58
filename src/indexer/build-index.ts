import { makeIndex } from '../sqlite/new-index.ts'
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
  const { loaded, rowsWritten } = await makeIndex(path, async writer => {
    const { loading, at } = startLoading(place, report, writer)
    if (hasRecord) await loadRecord(loading, { isNew: true, isThorough: false })
    await loadResults(loading)
    writer.setMeta('record_dir', place.recordDir)
    writer.setMeta('indexed_at', loading.now)
    writer.setMeta('changed_at', loading.now)
    return { at, work: loading.work }
  })
  return { rebuilt: true, at: loaded.at, work: { ...loaded.work, rowsWritten } }
}
