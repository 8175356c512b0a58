import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { isSqliteError, openSqlite } from '../../database/sqlite.ts'
import { makeFolder } from '../../files/make-folder.ts'
import { Problem } from '../../problem/problem.ts'

/**
 * Takes the right to go on with a run, or fails at once: of two processes one wins. The lock is SQLite's own on a
 * small file beside the log, which the system takes back when a process dies, however it dies.
 *
 * @returns what gives it back; with `true` the file goes too. That is safe only once the run is complete: whoever has
 *   the file open then still finds nothing to go on with.
 * @throws Problem `check` where another process is at the run
 */
export function lockRun(logPath: string): (isComplete: boolean) => void {
  makeFolder(dirname(logPath))
  const lock = openSqlite(`${logPath}.lock`, { timeout: 0 })
  try {
    lock.exec('begin exclusive')
    return isComplete => {
      lock.close()
      if (isComplete) rmSync(`${logPath}.lock`, { force: true })
    }
  } catch (error) {
    lock.close()
    if (isSqliteError(error) && error.code.startsWith('SQLITE_BUSY')) {
      throw new Problem('check', 'this run is going on in another process', {
        path: logPath,
        hint: 'wait for it, or end that process; then coord chain resume goes on',
      })
    }
    throw error
  }
}
