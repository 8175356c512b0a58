import { join } from 'node:path'
import { schemaVersion } from '../../migrations/index.ts'
import { recordKey } from '../record/folders.ts'

/** Where one record, its index and its projections lie; all absolute paths. */
export interface Place {
  recordDir: string
  indexPath: string
  /** The folder of the projections that the mod reads; found from the record's path alone. */
  projectionDir: string
}

/** The places that belong to a record, in the cache folder unless the index is named. */
export function placeOf(recordDir: string, cacheDir: string, indexPath?: string): Place {
  const folder = join(cacheDir, recordKey(recordDir))
  return {
    recordDir,
    indexPath: indexPath ?? join(folder, `index-v${schemaVersion}.db`),
    projectionDir: folder,
  }
}
