import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, isDamage, isSqliteError, openSqlite } from '../database/sqlite.ts'
import { makeFolder } from '../files/make-folder.ts'
import { Problem } from '../problem/problem.ts'

const GIVE_UP_MS = 15 * 60_000

/** The file beside an index whose lock is the right to write the index. It stays, and shows that coord made the index. */
export function lockPath(indexPath: string): string {
  return `${indexPath}.lock`
}

/**
 * Runs `work` as the only indexer of this index: refreshes, rebuilds and what replaces the file all go through
 * here, so that no process writes to a file that another has just replaced. The lock is SQLite's own on a small
 * database beside the index: the system takes it back when a process dies, however it dies.
 *
 * @param onWait called about once a second while another indexer is at work
 */
export async function asOnlyIndexer<T>(
  indexPath: string,
  onWait: () => void,
  work: () => Promise<T>,
): Promise<T> {
  const lock = openLock(indexPath)
  try {
    const since = Date.now()
    while (!tryLock(lock)) {
      if (Date.now() - since > GIVE_UP_MS) {
        throw new Problem(
          'index',
          `another indexer has held ${indexPath} for ${GIVE_UP_MS / 60_000} minutes`,
          {
            path: indexPath,
            hint: 'end the other coord process, or read what is there with --no-refresh',
          },
        )
      }
      if (Date.now() - since > 1_000) onWait()
      await sleep(200)
    }
    return await work()
  } finally {
    lock.close()
  }
}

function openLock(indexPath: string): Database {
  try {
    makeFolder(dirname(indexPath))
    return openSqlite(lockPath(indexPath), { timeout: 800 })
  } catch (error) {
    if (error instanceof Problem) throw error
    throw unwritable(indexPath, error)
  }
}

function tryLock(lock: Database): boolean {
  try {
    lock.exec('begin exclusive')
    return true
  } catch (error) {
    if (isSqliteError(error) && /^SQLITE_BUSY/.test(error.code)) return false
    if (isDamage(error)) {
      throw new Problem('index', `${lock.name} is no lock of coord; it is left alone`, {
        path: lock.name,
        hint: 'move it away, or name another index with --index',
      })
    }
    throw unwritable(lock.name, error)
  }
}

function unwritable(path: string, error: unknown): Problem {
  return new Problem('environment', `the index's folder cannot be written: ${(error as Error).message}`, {
    path: dirname(path),
    hint: 'name another place with --index or COORD_INDEX, or read what is there with --no-refresh',
    cause: error,
  })
}
