import { join } from 'node:path'
import { waitForLock } from '../../lock/lock.ts'
import { Problem } from '../../problem/problem.ts'

/** The file whose lock is the right to change a result; it is there no longer than that takes. */
export const LOCK_NAME = '.changing'

const GIVE_UP_MS = 10 * 60_000

/**
 * Runs `work` as the only one that changes a result: several sessions may trace the directions of one at once. A file
 * that a killed process left is taken over.
 *
 * @param out the result's folder, which exists
 * @throws Problem `failed` where another process does not let go of it
 */
export async function asOnlyChanger<T>(out: string, work: () => T | Promise<T>): Promise<T> {
  const path = join(out, LOCK_NAME)
  const lock = await waitForLock(path, { giveUpMs: GIVE_UP_MS })
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
