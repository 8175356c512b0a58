import { rmSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '../problem/problem.ts'
import { takeExclusively } from '../sqlite/exclusive.ts'
import { openSqlite } from '../sqlite/open-sqlite.ts'
import type { SqliteDatabase } from '../sqlite/sqlite-database.ts'
import { isDamage } from '../sqlite/sqlite-error.ts'

/** The right to do something that only one process may do at a time, until it is given back. */
export interface Lock {
  /** Gives it back. With `remove` its file goes too, which is safe: who waits for it looks whether it is still the same file. */
  release(options?: { remove: boolean }): void
}

export interface LockWait {
  giveUpMs: number
  /** Called about once a second while another process has the lock. */
  onWait?: () => void
}

const LOOK_MS = 50

/**
 * Takes a lock, or fails at once: of two processes one wins. It is SQLite's own on an empty file: the system takes it
 * back when a process dies, however it dies, so that nothing a killed process left is ever in the way.
 *
 * @param path of the lock's file, in a folder that exists
 * @returns null where another process has it
 * @throws Problem `failed` where the file is no lock, and SQLite's error where it cannot be opened or written
 */
export function tryLock(path: string): Lock | null {
  for (;;) {
    const file = fileAt(path)
    const db = openSqlite(path, { timeout: 0 })
    try {
      if (file !== null && fileAt(path) === file) {
        if (!begin(db, path)) {
          db.close()
          return null
        }
        if (fileAt(path) === file) return held(db, path)
      }
    } catch (error) {
      db.close()
      // Some file systems do not let go on with a file that was removed.
      if (fileAt(path) === file) throw error
      continue
    }
    // The file was made just now, or the one that was opened has been removed since: once more with what is there.
    db.close()
  }
}

/** Takes a lock as soon as no other process has it; null where one has it for so long. Throws as `tryLock`. */
export async function waitForLock(path: string, { giveUpMs, onWait }: LockWait): Promise<Lock | null> {
  const since = Date.now()
  for (let told = since; ; ) {
    const lock = tryLock(path)
    if (lock !== null) return lock
    if (Date.now() - told > 1_000) {
      told = Date.now()
      onWait?.()
    }
    if (Date.now() - since > giveUpMs) return null
    await sleep(LOOK_MS)
  }
}

function begin(db: SqliteDatabase, path: string): boolean {
  try {
    return takeExclusively(db)
  } catch (error) {
    if (!isDamage(error)) throw error
    throw new Problem('failed', `${path} is no lock of coord; it is left alone`, {
      path,
      hint: `move ${path} away`,
    })
  }
}

function held(db: SqliteDatabase, path: string): Lock {
  return {
    release({ remove } = { remove: false }) {
      // Removed while the lock is held: whoever takes it then finds another file, or none, at the path.
      try {
        if (remove) rmSync(path, { force: true })
      } catch {
        // Where an open file cannot be removed it stays, and is taken again next time.
      } finally {
        db.close()
      }
    },
  }
}

/** What tells the file at a path from any other that is or was there. */
function fileAt(path: string): string | null {
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true })
  return stats ? `${stats.dev}:${stats.ino}:${stats.birthtimeNs}` : null
}
