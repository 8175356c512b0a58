import { dirname } from 'node:path'
import { makeFolder } from '../../files/make-folder.ts'
import { tryLock } from '../../lock/lock.ts'
import { Problem } from '../../problem/problem.ts'

/**
 * Takes the right to go on with a run, or fails at once.
 *
 * @returns what gives it back; with `true` the lock's file goes too, since a complete run is never gone on with
 * @throws Problem `check` where another process is at the run
 */
export function lockRun(logPath: string): (isComplete: boolean) => void {
  makeFolder(dirname(logPath))
  const lock = tryLock(`${logPath}.lock`)
  if (lock === null) {
    throw new Problem('check', 'this run is going on in another process', {
      path: logPath,
      hint: 'wait for it, or end that process; then coord chain resume goes on',
    })
  }
  return isComplete => lock.release({ remove: isComplete })
}
