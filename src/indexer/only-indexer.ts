import { dirname } from 'node:path'
import { makeFolder } from '../files/make-folder.ts'
import { type Lock, waitForLock } from '../lock/lock.ts'
import { Problem } from '../problem/problem.ts'

const GIVE_UP_MS = 15 * 60_000

/** The file beside an index whose lock is the right to write the index. It stays, and shows that coord made the index. */
export function lockPath(indexPath: string): string {
  return `${indexPath}.lock`
}

/**
 * Runs `work` as the only indexer of this index: refreshes, rebuilds and what replaces the file all go through
 * here, so that no process writes to a file that another has just replaced.
 *
 * @param onWait called about once a second while another indexer is at work
 * @throws Problem `index` where another indexer does not let go of it or the lock's file is none, `environment` (rights)
 */
export async function asOnlyIndexer<T>(
  indexPath: string,
  onWait: () => void,
  work: () => Promise<T>,
): Promise<T> {
  const lock = await takeLock(indexPath, onWait)
  if (lock === null) {
    throw new Problem('index', `another indexer has held ${indexPath} for ${GIVE_UP_MS / 60_000} minutes`, {
      path: indexPath,
      hint: 'end the other coord process, or read what is there with --no-refresh',
    })
  }
  try {
    return await work()
  } finally {
    lock.release()
  }
}

async function takeLock(indexPath: string, onWait: () => void): Promise<Lock | null> {
  const path = lockPath(indexPath)
  try {
    makeFolder(dirname(indexPath))
    return await waitForLock(path, { giveUpMs: GIVE_UP_MS, onWait })
  } catch (error) {
    if (error instanceof Problem && error.kind === 'failed')
      throw new Problem('index', error.message, {
        path,
        hint: 'move it away, or name another index with --index',
      })
    if (error instanceof Problem) throw error
    throw new Problem('environment', `the index's folder cannot be written: ${(error as Error).message}`, {
      path: dirname(path),
      hint: 'name another place with --index or COORD_INDEX, or read what is there with --no-refresh',
      cause: error,
    })
  }
}
