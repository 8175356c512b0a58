import type { Database } from '../database/sqlite.ts'
import { fromStored } from '../database/stored-text.ts'
import { IS_NO_DUPLICATE } from './unknown-evidence.ts'

/** How fresh and how whole an answer is; stands in every answer. */
export interface Freshness {
  /** Files named like entries that the index has seen. */
  files: number
  entries: number
  /** Files and folders that could not be read. More than none makes an answer partial. */
  unreadable: number
  /** The time up to which the answer agrees with the record. */
  indexedAt: string
  ageMs: number
}

/** @param checkedAt when the index was last compared with the record, where this process did it; else the index's own word counts */
export function readFreshness(db: Database, checkedAt: Date | null, now: Date): Freshness {
  const counts = db
    .prepare(
      `select (select count(*) from entry) as entries, (select count(*) from unread) as unread,
       (select count(*) from unread u where ${IS_NO_DUPLICATE}) + (select count(*) from folder where problem is not null) as unreadable,
       (select value from meta where key = 'indexed_at') as indexedAt`,
    )
    .get() as { entries: number; unread: number; unreadable: number; indexedAt: string }
  const indexedAt = checkedAt ?? new Date(counts.indexedAt)
  return {
    files: counts.entries + counts.unread,
    entries: counts.entries,
    unreadable: counts.unreadable,
    indexedAt: indexedAt.toISOString(),
    ageMs: Math.max(0, now.getTime() - indexedAt.getTime()),
  }
}

/** What an answer lacks, by name: folders that could not be listed, files that could not be read, and copies that were not counted. */
export interface Gaps {
  folders: { seen: number; unlisted: { path: string; reason: string }[] }
  files: { path: string; reason: string }[]
  /** Folders that hold copies of entries of other sessions; the entries count once. */
  copies: { folder: string; files: number }[]
}

/** The gaps of the index's answer, at most `most` files by name. */
export function readGaps(db: Database, most: number): Gaps {
  const folders = db
    .prepare('select name as path, problem as reason from folder where problem is not null order by name')
    .all() as { path: string; reason: string }[]
  const files = db
    .prepare(
      `select f.name as folder, u.name, u.reason from unread u join folder f on f.id = u.folder_id
       where ${IS_NO_DUPLICATE} order by f.name, u.name limit ?`,
    )
    .all(most) as { folder: string; name: string; reason: string }[]
  const copies = db
    .prepare(
      `select f.name as folder, count(*) as files from unread u join folder f on f.id = u.folder_id
       where u.twin_session is not null and not (${IS_NO_DUPLICATE}) group by f.name order by f.name`,
    )
    .all() as { folder: string; files: number }[]
  const seen = db.prepare('select count(*) from folder').pluck().get() as number
  return {
    folders: { seen, unlisted: folders.map(one => ({ path: fromStored(one.path), reason: one.reason })) },
    files: files.map(one => ({
      path: `${fromStored(one.folder)}/${fromStored(one.name)}`,
      reason: fromStored(one.reason),
    })),
    copies: copies.map(one => ({ folder: fromStored(one.folder), files: one.files })),
  }
}

/** The gaps as sentences for a person. */
export function describeGaps(gaps: Gaps, freshness: Freshness): string[] {
  const { seen, unlisted } = gaps.folders
  const lines: string[] = []
  if (unlisted.length > 0) {
    const names = unlisted.map(one => `${one.path} (${one.reason})`).join(', ')
    lines.push(`${seen - unlisted.length} of ${seen} session folders were read; not read: ${names}`)
  }
  const files = freshness.unreadable - unlisted.length
  if (files > 0) {
    const more = files - gaps.files.length
    const names = gaps.files.map(one => `${one.path} (${one.reason})`).join(', ')
    const rest = more > 0 ? `, and ${more} more (coord query unreadable)` : ''
    lines.push(
      `${files} of ${freshness.files} files could not be read and are unknown evidence: ${names}${rest}`,
    )
  }
  for (const { folder, files: count } of gaps.copies) {
    lines.push(
      `the folder ${folder} holds copies of ${count} entries of other sessions or names; they count once`,
    )
  }
  return lines
}
