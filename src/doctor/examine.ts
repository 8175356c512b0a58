import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { listRecord } from '../indexer/listing.ts'
import type { Place } from '../indexer/place.ts'
import { Problem } from '../problem/problem.ts'
import { indexFileState } from '../sqlite/index-file.ts'
import { openSqlite, sqliteDriver } from '../sqlite/open-sqlite.ts'
import { faultOf, makeSearchTable, sqliteVersion } from '../sqlite/soundness.ts'
import { isBusy, isLeftHalfDone, isSqliteError } from '../sqlite/sqlite-error.ts'

/** One thing that was looked at. `hint` says how to mend it. */
export interface Check {
  name: string
  status: 'ok' | 'warning' | 'failed'
  detail: string
  hint: string | null
}

/** What the system says of itself. */
export interface System {
  nodeVersion: string
  /** The file with the number of folders that this user may watch; there is none but on Linux. */
  watchLimitFile: string
}

const SYSTEM: System = {
  nodeVersion: process.versions.node,
  watchLimitFile: '/proc/sys/fs/inotify/max_user_watches',
}

/** Looks at everything that an answer depends on: runtime, database, record, cache, index, watch limits. */
export function examine(place: Place, system: System = SYSTEM): Check[] {
  return [
    check('node', () => examineNode(system.nodeVersion)),
    check('database', examineSqlite),
    check('record folder', () => examineRecord(place)),
    check('index folder', () => examineFolder(dirname(place.indexPath), '--index or COORD_INDEX')),
    check('index', () => examineIndex(place.indexPath)),
    check('plugin projections', () => examineFolder(place.projectionDir, 'XDG_CACHE_HOME')),
    check('watching', () => examineWatching(place.recordDir, system.watchLimitFile)),
  ]
}

type Finding = Omit<Check, 'name' | 'hint'> & { hint?: string }

function check(name: string, look: () => Finding): Check {
  try {
    const { status, detail, hint } = look()
    return { name, status, detail, hint: hint ?? null }
  } catch (error) {
    const hint = error instanceof Problem ? error.hint : undefined
    return { name, status: 'failed', detail: (error as Error).message, hint: hint ?? null }
  }
}

function examineNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return { status: 'ok', detail: `Node ${version}` }
  return { status: 'failed', detail: `Node ${version} is too old`, hint: 'install Node 20.19 or later' }
}

function examineSqlite(): Finding {
  const { name, instead } = sqliteDriver()
  const db = openSqlite(':memory:')
  try {
    makeSearchTable(db)
    const why = instead === null ? '' : `; better-sqlite3 is not used, since it cannot be loaded: ${instead}`
    return { status: 'ok', detail: `${name} with SQLite ${sqliteVersion(db)} and full-text search${why}` }
  } finally {
    db.close()
  }
}

function examineRecord({ recordDir }: Place): Finding {
  if (!existsSync(recordDir)) {
    const hint =
      'it is made by the plugin, by coord import, or by coord sample DIR; or name another with --record-dir'
    return { status: 'warning', detail: `there is no record at ${recordDir} yet`, hint }
  }
  const folders = listRecord(recordDir).filter(({ kind }) => kind === 'folder')
  const unlistable = folders.filter(({ name }) => !canList(join(recordDir, name)))
  if (unlistable.length === 0)
    return { status: 'ok', detail: `${recordDir}: ${folders.length} session folders` }
  const detail = `${recordDir}: ${folders.length - unlistable.length} of ${folders.length} session folders can be read`
  const names = unlistable.map(({ name }) => name).join(', ')
  return { status: 'warning', detail, hint: `check the owner and the rights of ${names}` }
}

function examineFolder(folder: string, setting: string): Finding {
  const existing = nearestExisting(folder)
  try {
    if (!statSync(existing).isDirectory()) throw new Error('it is not a folder')
    accessSync(existing, constants.W_OK)
    return {
      status: 'ok',
      detail: existing === folder ? `${folder} can be written` : `${folder} can be made`,
    }
  } catch (error) {
    const hint = `check its rights and free space, or name another with ${setting}`
    return { status: 'failed', detail: `${existing} cannot be written: ${(error as Error).message}`, hint }
  }
}

function nearestExisting(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestExisting(dirname(folder))
}

function examineIndex(path: string): Finding {
  const { state, version } = indexFileState(path)
  const aside = setAsideBeside(path)
  const left =
    aside.length > 0 ? { hint: `set aside as damaged, and yours to delete: ${aside.join(', ')}` } : {}
  switch (state) {
    case 'missing':
      return { status: 'ok', detail: `${path}: none yet, the next command makes it`, ...left }
    case 'older':
      return {
        status: 'ok',
        detail: `${path} is of version ${version}; the next command builds it anew`,
        ...left,
      }
    case 'newer':
      return {
        status: 'failed',
        detail: `${path} is of a newer version (${version})`,
        hint: 'update coord, or name another file with --index',
      }
    case 'foreign':
      return {
        status: 'failed',
        detail: `${path} is another program's database`,
        hint: 'name another file with --index or COORD_INDEX',
      }
    case 'rubbish':
      return {
        status: 'warning',
        detail: `${path} is damaged`,
        hint: 'coord index sets it aside and builds a new one',
      }
    case 'current':
      return examineContent(path, left)
  }
}

function examineContent(path: string, left: { hint?: string }): Finding {
  const db = openSqlite(path, { readonly: true, timeout: 10_000 })
  try {
    const fault = faultOf(db)
    if (fault !== null) return damaged(path, fault)
    const entries = db.prepare('select count(*) from entry').pluck().get()
    return { status: left.hint ? 'warning' : 'ok', detail: `${path}: sound, ${entries} entries`, ...left }
  } catch (error) {
    if (isLeftHalfDone(error)) {
      const detail = `${path} was left half done by a refresh that was killed`
      return { status: 'warning', detail, hint: 'the next command that answers undoes it' }
    }
    // Damage keeps even the check from running. An index that is busy says nothing of how sound it is.
    if (isSqliteError(error) && !isBusy(error)) return damaged(path, error.message)
    throw error
  } finally {
    db.close()
  }
}

function damaged(path: string, why: string): Finding {
  return { status: 'warning', detail: `${path} is damaged: ${why}`, hint: 'coord index --rebuild' }
}

function examineWatching(recordDir: string, limitFile: string): Finding {
  if (!existsSync(limitFile) || !existsSync(recordDir))
    return { status: 'ok', detail: 'nothing to watch, or no limit to look up here' }
  const limit = Number(readFileSync(limitFile, 'utf8'))
  const folders = listRecord(recordDir).length
  if (folders < limit)
    return { status: 'ok', detail: `${folders} folders to watch, of ${limit} that this user may` }
  const hint = `coord watch looks at the folders twice a second instead; sysctl fs.inotify.max_user_watches=${folders * 2} lifts the limit`
  return {
    status: 'warning',
    detail: `${folders} folders are more than the ${limit} that this user may watch`,
    hint,
  }
}

function setAsideBeside(path: string): string[] {
  if (!existsSync(dirname(path))) return []
  return readdirSync(dirname(path)).filter(name => name.startsWith(`${basename(path)}.damaged-`))
}

function canList(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}
