import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { schemaVersion } from '../../migrations/index.ts'
import { Problem } from '../problem.ts'
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

/**
 * Makes sure that neither the index nor the projections would lie in the record, which holds entries and nothing else
 * (ruling 2); links are followed.
 *
 * @throws Problem `index`
 */
export function checkOutsideRecord({ recordDir, indexPath, projectionDir }: Place): void {
  const record = realPath(recordDir)
  for (const path of [indexPath, projectionDir]) {
    const between = relative(record, realPath(path))
    if (between === '..' || between.startsWith(`..${sep}`) || isAbsolute(between)) continue
    throw new Problem('index', `${path} lies in the record, which holds nothing but entries`, {
      path,
      hint: 'name another place with --index or COORD_INDEX, or another cache folder with XDG_CACHE_HOME',
    })
  }
}

/** The path with its links followed, as far down as it exists. */
function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path)
  return dirname(path) === path ? path : join(realPath(dirname(path)), basename(path))
}
