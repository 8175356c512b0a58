import { closeSync, openSync, readFileSync, rmSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { writeAll } from '../../files/whole-file.ts'
import { Problem } from '../../problem/problem.ts'

/** The file that says who is changing a result; it is there no longer than that takes. */
export const LOCK_NAME = '.changing'

const GIVE_UP_MS = 10 * 60_000
const LOOK_MS = 50

/**
 * Runs `work` as the only one that changes a result: several sessions may trace the directions of one at once. What a
 * killed process left is taken over.
 *
 * @param out the result's folder, which exists
 * @throws Problem `failed` where another process does not let go of it
 */
export async function asOnlyChanger<T>(out: string, work: () => T | Promise<T>): Promise<T> {
  const path = join(out, LOCK_NAME)
  const since = Date.now()
  while (!tryLock(path)) {
    if (Date.now() - (madeAt(path) ?? since) > GIVE_UP_MS) {
      throw new Problem(
        'failed',
        `another process has been changing ${out} for ${GIVE_UP_MS / 60_000} minutes`,
        {
          path,
          hint: `end it; where there is none, remove ${path}`,
        },
      )
    }
    await sleep(LOOK_MS)
  }
  try {
    return await work()
  } finally {
    rmSync(path, { force: true })
  }
}

function tryLock(path: string): boolean {
  try {
    const file = openSync(path, 'wx', 0o600)
    try {
      writeAll(file, Buffer.from(`${hostname()} ${process.pid}\n`), path)
    } catch (error) {
      rmSync(path, { force: true })
      throw error
    } finally {
      closeSync(file)
    }
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    if (isLeftBehind(path)) rmSync(path, { force: true })
    return false
  }
}

/** A lock that is there for so long already is not waited for. */
function madeAt(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs
}

/** Whether the process that made the lock, on this machine, is no more. */
function isLeftBehind(path: string): boolean {
  try {
    const [host, pid] = readFileSync(path, 'utf8').trim().split(' ')
    // Made and not written yet, or never to be written.
    if (pid === undefined) return Date.now() - statSync(path).mtimeMs > 2_000
    if (host !== hostname()) return false
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
