import { existsSync, renameSync, rmSync } from 'node:fs'
import { openSqlite } from './open-sqlite.ts'
import { isDamage } from './sqlite-error.ts'

// A killed refresh leaves a journal, which belongs to the file it was made for. Beside another file under the same name
// it would be played back into that one and ruin it.

/**
 * Has an index take its journal in. One that SQLite leaves lying after that holds nothing that was ever to be played
 * back.
 *
 * @throws SQLite's error where the index cannot be read; index and journal are as they were then
 */
export function settleJournal(path: string): void {
  if (!existsSync(`${path}-journal`)) return
  const db = openSqlite(path)
  try {
    db.prepare('select count(*) from sqlite_master').get()
  } finally {
    db.close()
  }
  rmSync(`${path}-journal`, { force: true })
}

/** Makes sure that another file can be put in an index's place. */
export function makeReplaceable(path: string): void {
  try {
    settleJournal(path)
  } catch (error) {
    if (!isDamage(error)) throw error
    // An index too damaged to take its journal in is replaced now; the journal must not outlive it.
    rmSync(`${path}-journal`, { force: true })
  }
}

/** Renames an index, and its journal with it. */
export function renameIndex(path: string, name: string): void {
  if (existsSync(`${path}-journal`)) renameSync(`${path}-journal`, `${name}-journal`)
  renameSync(path, name)
}
