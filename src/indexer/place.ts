import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { schemaVersion } from '../../migrations/index.ts'
import { Problem } from '../problem/problem.ts'
import { recordKey } from '../record/folders.ts'

/** Where one record, its index and its projections lie; all absolute paths. */
export interface Place {
  recordDir: string
  indexPath: string
  /** The folder of the projections that the mod reads; found from the record's path alone. */
  projectionDir: string
  /** The folder that says where results lie (src/known-results); null where there is no folder for data. */
  knownDir: string | null
}

export interface PlaceOptions {
  /** Another index than the one in the cache folder. */
  indexPath?: string | undefined
  /** The folder of what is kept beside records (`dataFolder`). */
  dataDir?: string | undefined
}

/** The places that belong to a record, in the cache folder unless the index is named. */
export function placeOf(recordDir: string, cacheDir: string, options: PlaceOptions = {}): Place {
  const key = recordKey(recordDir)
  return {
    recordDir,
    indexPath: options.indexPath ?? join(cacheDir, key, `index-v${schemaVersion}.db`),
    projectionDir: join(cacheDir, key),
    knownDir: options.dataDir === undefined ? null : join(options.dataDir, 'known', key),
  }
}

/**
 * Makes sure that neither the index nor the projections would lie in the record, which holds entries and nothing else
 * (ruling 2); links are followed.
 *
 * @throws Problem `index`
 */
export function checkOutsideRecord({ recordDir, indexPath, projectionDir }: Place): void {
  for (const path of [indexPath, projectionDir]) {
    if (!isInside(recordDir, path)) continue
    throw new Problem('index', `${path} lies in the record, which holds nothing but entries`, {
      path,
      hint: 'name another place with --index or COORD_INDEX, or another cache folder with XDG_CACHE_HOME',
    })
  }
}

/** Whether a path is a folder or lies in it, links followed. */
export function isInside(folder: string, path: string): boolean {
  const between = relative(realPath(folder), realPath(path))
  return between !== '..' && !between.startsWith(`..${sep}`) && !isAbsolute(between)
}

/** The path with its links followed, as far down as it exists. */
function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path)
  return dirname(path) === path ? path : join(realPath(dirname(path)), basename(path))
}
