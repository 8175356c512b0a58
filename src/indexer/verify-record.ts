import { join } from 'node:path'
import type { Database } from '../database/sqlite.ts'
import { fromStored } from '../database/stored-text.ts'
import { entryRow } from './entry-row.ts'
import { listFolder, listRecord } from './listing.ts'
import { readEntryFile } from './read-entry-file.ts'

/** One difference between the record and its index. */
export interface Difference {
  /** Path below the record's folder; of the index itself where the index is unsound. */
  file: string
  /**
   * `changed`: other bytes than when it was indexed; `gone`; `unindexed`: readable, but not in the index;
   * `index`: the bytes are the same, but the index holds something else.
   */
  what: 'changed' | 'gone' | 'unindexed' | 'index'
}

export interface Verified {
  filesChecked: number
  differences: Difference[]
}

/** Re-reads every file of the record and compares it with the index, which it does not change. */
export function verifyRecord(db: Database, recordDir: string, onFile: (files: number) => void): Verified {
  const result: Verified = { filesChecked: 0, differences: [] }
  const sound = db.pragma('quick_check(1)', { simple: true })
  if (sound !== 'ok') result.differences.push({ file: `${sound}`, what: 'index' })
  const rows = db.prepare(
    `select e.*, t.text, t.envelope_before, t.envelope_after from entry e left join message_text t on t.entry_id = e.id
     where e.session_id = ?`,
  )
  const known = new Set(db.prepare('select distinct session_id from entry').pluck().all() as string[])
  const unread = db
    .prepare('select u.name from unread u join folder f on f.id = u.folder_id where f.name = ?')
    .pluck()
  for (const item of listRecord(recordDir)) {
    if (item.kind !== 'folder') continue
    known.delete(item.name)
    const indexed = new Map((rows.all(item.name) as IndexedRow[]).map(row => [fromStored(row.name), row]))
    const isUnread = new Set((unread.all(item.name) as string[]).map(fromStored))
    for (const { name, kind } of listOrNothing(recordDir, item.name)) {
      if (kind !== 'entry') continue
      const row = indexed.get(name)
      indexed.delete(name)
      result.filesChecked += 1
      onFile(result.filesChecked)
      const what = row
        ? compareFile(join(recordDir, item.name, name), row)
        : isUnread.has(name)
          ? null
          : 'unindexed'
      if (what) result.differences.push({ file: `${item.name}/${name}`, what })
    }
    for (const name of indexed.keys()) result.differences.push({ file: `${item.name}/${name}`, what: 'gone' })
  }
  for (const folder of known) result.differences.push({ file: folder, what: 'gone' })
  return result
}

type IndexedRow = Record<string, unknown> & { name: string; sha256: string }

function compareFile(path: string, row: IndexedRow): Difference['what'] | null {
  const file = readEntryFile(path)
  if (file === null) return 'gone'
  if ('reason' in file || file.sha256 !== row.sha256) return 'changed'
  const expected = entryRow(file.entry)
  const isSame = Object.entries({ ...expected.row, ...expected.text }).every(
    ([column, value]) => row[column] === value,
  )
  return isSame ? null : 'index'
}

/** A folder that cannot be listed is unknown evidence already, and no difference. */
function listOrNothing(recordDir: string, folder: string) {
  try {
    return listFolder(recordDir, folder)
  } catch {
    return []
  }
}
