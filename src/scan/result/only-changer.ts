import { join } from 'node:path'
import { type Lock, waitForLock } from '../../lock/lock.ts'
import { Problem } from '../../problem/problem.ts'

/** The file whose lock is the right to change a result; it is there no longer than that takes. */
export const LOCK_NAME = '.changing'

const GIVE_UP_MS = 10 * 60_000

/**
 * Runs `work` as the only one that changes a result: several sessions may trace the directions of one at once. A file
 * that a killed process left is taken over.
 *
 * @param out the result's folder, which exists
 * @throws Problem `failed` where another process does not let go of it, `environment` where the file cannot be made or
 *   written
 */
export async function asOnlyChanger<T>(out: string, work: () => T | Promise<T>): Promise<T> {
  const path = join(out, LOCK_NAME)
  const lock = await takeLock(path)
  if (lock === null) {
    throw new Problem(
      'failed',
      `another process has been changing ${out} for ${GIVE_UP_MS / 60_000} minutes`,
      { path, hint: 'end it' },
    )
  }
  try {
    return await work()
  } finally {
    lock.release({ remove: true })
  }
}

async function takeLock(path: string): Promise<Lock | null> {
  try {
    return await waitForLock(path, { giveUpMs: GIVE_UP_MS })
  } catch (error) {
    if (error instanceof Problem) throw error
    throw new Problem('environment', `${path} cannot be made or written: ${(error as Error).message}`, {
      path,
      hint: "check the folder's rights and the room on its disk",
      cause: error,
    })
  }
}
