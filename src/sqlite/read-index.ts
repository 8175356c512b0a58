import { setTimeout as sleep } from 'node:timers/promises'
import { fromStored } from '../database/stored-text.ts'
import { Problem } from '../problem/problem.ts'
import { indexFileState } from './index-file.ts'
import { openSqlite } from './open-sqlite.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { isSqliteError } from './sqlite-error.ts'

const BUSY_TIMEOUT_MS = 60_000

/**
 * Runs `read` on one unchanging view of the index: a read-only connection, one transaction, no DDL. Rejects with a
 * Problem (`index`) where there is no index of this version and this record, and passes SQLite's errors on, damage among them
 * (`isDamage`).
 */
export async function readIndex<T>(
  path: string,
  recordDir: string,
  read: (db: SqliteDatabase) => Promise<T> | T,
): Promise<T> {
  const db = await openForReading(path)
  try {
    checkRecordDir(db, path, recordDir)
    return await read(db)
  } finally {
    db.close()
  }
}

/**
 * Opens the index for single questions over a long time. Each has its own view, and between them no indexer waits.
 *
 * @throws as `readIndex`
 */
export async function openIndex(path: string, recordDir: string): Promise<SqliteDatabase> {
  const db = await openForReading(path)
  try {
    checkRecordDir(db, path, recordDir)
    db.exec('commit')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

function checkRecordDir(db: SqliteDatabase, path: string, recordDir: string): void {
  const stored = db.prepare(`select value from meta where key = 'record_dir'`).pluck().get() as string
  if (fromStored(stored) === recordDir) return
  throw new Problem('index', `${path} is the index of another record (${fromStored(stored)})`, {
    path,
    hint: 'name an index for each record, or leave --no-refresh out to make this one anew',
  })
}

async function openForReading(path: string): Promise<SqliteDatabase> {
  for (let tries = 1; ; tries++) {
    const { state } = indexFileState(path)
    if (state === 'missing') {
      throw new Problem('index', `there is no index at ${path}`, {
        path,
        hint: 'leave --no-refresh out to make it',
      })
    }
    if (state !== 'current') {
      throw new Problem('index', `${path} is no index of this version (${state})`, {
        path,
        hint: 'leave --no-refresh out, or ask coord doctor',
      })
    }
    const db = openSqlite(path, { readonly: true, timeout: BUSY_TIMEOUT_MS })
    try {
      db.exec('begin')
      db.prepare('select value from meta where key = ?').get('record_dir')
      return db
    } catch (error) {
      db.close()
      // An index that was renamed into place while this file was being opened leaves a reader with the old file
      // and the new one's journal beside it: SQLite then asks for a roll-back that a reader may not do.
      const isPassing = isSqliteError(error) && /^SQLITE_(READONLY|CANTOPEN)/.test(error.code)
      if (!isPassing || tries === 5) throw error
      await sleep(50 * tries)
    }
  }
}
