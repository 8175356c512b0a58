import type { UnknownEvidence } from '../chain/chain-tree.ts'
import type { Database } from './database.ts'
import { fromStored } from './stored-text.ts'

/** Not a copy of an entry that the index holds under its own name: the rows of `unread` that are unknown evidence. */
export const IS_NO_DUPLICATE = `not exists (
  select 1 from entry e where e.session_id = u.twin_session and e.name = u.twin_name and e.sha256 = u.sha256
)`

/** Not there under another name either: the rows of `gone` that are unknown evidence. */
export const IS_MISSED = `not exists (
  select 1 from entry e where e.session_id = g.folder and e.at = g.at and e.sha256 = g.sha256
)`

/**
 * What could not be read and what is gone, by the session whose doings it may hide: that of the folder it lies in and,
 * where it states another, that one too.
 */
export function readUnknownEvidence(db: Database): UnknownEvidence[] {
  const unread = db
    .prepare(
      `select f.name as folder, u.name, u.twin_session as stated, u.name_at as at
       from unread u join folder f on f.id = u.folder_id where ${IS_NO_DUPLICATE} order by f.name, u.name`,
    )
    .all() as { folder: string; name: string; stated: string | null; at: string | null }[]
  const gone = db
    .prepare(`select g.folder, g.name, g.at from gone g where ${IS_MISSED} order by g.folder, g.name`)
    .all() as { folder: string; name: string; at: string }[]
  return [
    ...unread.flatMap(({ folder, name, stated, at }) => {
      const file = fromStored(`${folder}/${name}`)
      const sessions = new Set([fromStored(folder), stated ?? fromStored(folder)])
      return [...sessions].map(sessionId => ({ sessionId, at, file }))
    }),
    ...gone.map(({ folder, name, at }) => {
      const file = fromStored(`${folder}/${name}`)
      return { sessionId: fromStored(folder), at, file, isGone: true as const }
    }),
  ]
}
