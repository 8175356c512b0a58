import { type Database, IndexDamage } from '../database/database.ts'
import { COUNT_MISSING } from '../database/missing-entries.ts'
import { fromStored } from '../database/stored-text.ts'
import { IS_NO_DUPLICATE } from '../database/unknown-evidence.ts'
import { escapeText } from '../hostile-text/escape-text.ts'

/** How fresh and how whole an answer is; stands in every answer. */
export interface Freshness {
  /** Files named like entries that the index has seen. */
  files: number
  entries: number
  /** Files, folders and results that could not be read. More than none makes an answer partial. */
  unreadable: number
  /** Entries that are known to be missing: their files are gone, or were never written. They make no answer partial. */
  missing: number
  /** The time up to which the answer agrees with the record. */
  indexedAt: string
  ageMs: number
}

/** @param checkedAt when the index was last compared with the record, where this process did it; else the index's own word counts */
export function readFreshness(db: Database, checkedAt: Date | null, now: Date): Freshness {
  const counts = db
    .prepare(
      `select (select count(*) from entry) as entries, (select count(*) from unread) as unread,
       (select count(*) from unread u where ${IS_NO_DUPLICATE}) + (select count(*) from folder where problem is not null)
         + (select count(*) from result where state = 'damaged') as unreadable,
       ${COUNT_MISSING} as missing,
       (select value from meta where key = 'indexed_at') as indexedAt`,
    )
    .get() as Record<'entries' | 'unread' | 'unreadable' | 'missing', number> & { indexedAt: string }
  const indexedAt = checkedAt ?? new Date(counts.indexedAt)
  if (Number.isNaN(indexedAt.getTime())) throw new IndexDamage('the time of the last refresh is no time')
  return {
    files: counts.entries + counts.unread,
    entries: counts.entries,
    unreadable: counts.unreadable,
    missing: counts.missing,
    indexedAt: indexedAt.toISOString(),
    ageMs: Math.max(0, now.getTime() - indexedAt.getTime()),
  }
}

/** What an answer lacks, by name: folders that could not be listed, files that could not be read, and copies that were not counted. */
export interface Gaps {
  folders: { seen: number; unlisted: Gap[] }
  /** What stands beside the session folders and is none. */
  refused: Gap[]
  files: Gap[]
  /** Folders that hold copies of entries of other sessions; the entries count once. */
  copies: { folder: string; files: number }[]
  /** Results that lie outside the record. */
  results: Gap[]
}

export interface Gap {
  path: string
  reason: string
}

/** The gaps of the index's answer, at most `most` files by name. */
export function readGaps(db: Database, most: number): Gaps {
  const problems = db
    .prepare(
      'select name, problem, identity is not null as isFolder from folder where problem is not null order by name',
    )
    .all() as { name: string; problem: string; isFolder: number }[]
  const problemsOf = (isFolder: boolean) =>
    problems
      .filter(one => Boolean(one.isFolder) === isFolder)
      .map(one => ({ path: fromStored(one.name), reason: one.problem }))
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
  const results = db
    .prepare(`select coalesce(path, name) as path, problem from result where state = 'damaged' order by 1`)
    .all() as { path: string; problem: string }[]
  const seen = db.prepare('select count(*) from folder where identity is not null').pluck().get() as number
  return {
    folders: { seen, unlisted: problemsOf(true) },
    refused: problemsOf(false),
    files: files.map(one => ({
      path: `${fromStored(one.folder)}/${fromStored(one.name)}`,
      reason: fromStored(one.reason),
    })),
    copies: copies.map(one => ({ folder: fromStored(one.folder), files: one.files })),
    results: results.map(one => ({ path: fromStored(one.path), reason: fromStored(one.problem) })),
  }
}

/** The gaps as sentences for a person, one line each whatever a name holds. */
export function describeGaps(gaps: Gaps, freshness: Freshness): string[] {
  const { folders, refused, files, copies, results } = gaps
  const lines: string[] = []
  const { seen, unlisted } = folders
  if (unlisted.length > 0) {
    lines.push(`${seen - unlisted.length} of ${seen} session folders were read; not read: ${named(unlisted)}`)
  }
  if (refused.length > 0) lines.push(`beside the session folders, and not read: ${named(refused)}`)
  const count = freshness.unreadable - unlisted.length - refused.length - results.length
  if (count > 0) {
    const rest = count > files.length ? `, and ${count - files.length} more (coord query unreadable)` : ''
    lines.push(
      `${count} of ${freshness.files} files could not be read and are unknown evidence: ${named(files)}${rest}`,
    )
  }
  if (results.length > 0)
    lines.push(
      `${results.length} results of scans could not be read and are unknown evidence: ${named(results)}`,
    )
  for (const copy of copies) {
    lines.push(`the folder ${escapeText(copy.folder)} holds ${copy.files} copies of entries that count once`)
  }
  return lines
}

function named(gaps: Gap[]): string {
  return gaps.map(({ path, reason }) => `${escapeText(path)} (${escapeText(reason)})`).join(', ')
}
