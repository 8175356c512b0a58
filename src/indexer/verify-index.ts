import { rmSync } from 'node:fs'
import { compareIndexes, type Difference } from '../sqlite/compare-indexes.ts'
import { openSqlite } from '../sqlite/open-sqlite.ts'
import { isSound } from '../sqlite/soundness.ts'
import { isDamage } from '../sqlite/sqlite-error.ts'
import { buildIndex } from './build-index.ts'
import { buildPath } from './index-files.ts'
import type { IndexerReport } from './indexer-report.ts'
import { checkRecord } from './listing.ts'
import { asOnlyIndexer } from './only-indexer.ts'
import type { Place } from './place.ts'

export interface Verified {
  /** Whether the index file is a sound database and its search tables are those of its texts. */
  indexIsSound: boolean
  filesChecked: number
  /** Files that came since the index was last brought up to date; the next refresh reads them. */
  filesNew: number
  differences: Difference[]
}

/**
 * Re-reads every file of the record into a new index and compares the present one with it, row by row. The present
 * index is not refreshed first, since a refresh would take over what has been changed in place, and is not changed.
 */
export async function verifyIndex(place: Place, report: IndexerReport): Promise<Verified> {
  checkRecord(place.recordDir)
  return asOnlyIndexer(place.indexPath, report.waiting, async () => {
    const fresh = buildPath(place.indexPath)
    try {
      // The record is compared; results are read again by whoever made them (coord scan check).
      const { work } = await buildIndex(fresh, { ...place, knownDir: null }, report)
      return { filesChecked: work.filesOpened, ...compare(place.indexPath, fresh) }
    } finally {
      rmSync(fresh, { force: true })
    }
  })
}

function compare(indexPath: string, freshPath: string): Omit<Verified, 'filesChecked'> {
  const db = openSqlite(indexPath, { timeout: 60_000 })
  try {
    if (!isSound(db)) return { indexIsSound: false, filesNew: 0, differences: [] }
    return { indexIsSound: true, ...compareIndexes(db, freshPath) }
  } catch (error) {
    if (!isDamage(error)) throw error
    return { indexIsSound: false, filesNew: 0, differences: [] }
  } finally {
    db.close()
  }
}
