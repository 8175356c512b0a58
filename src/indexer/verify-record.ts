import { join } from 'node:path'
import type { Database } from '../database/sqlite.ts'
import { fromStored } from '../database/stored-text.ts'
import type { FolderRow } from '../database/tables.ts'
import { entryRow } from './entry-row.ts'
import { listFolder, listRecord } from './listing.ts'
import { mayBeSkipped } from './load-record.ts'
import { readEntryFile } from './read-entry-file.ts'

/** One difference between the record and its index. */
export interface Difference {
  /** Path below the record's folder. */
  file: string
  /**
   * `changed`: other bytes than when it was indexed; `gone`; `unindexed`: it lies in a folder that has not changed
   * since it was indexed, and the index does not know it; `index`: the index holds something else than the file.
   */
  what: 'changed' | 'gone' | 'unindexed' | 'index'
}

export interface Verified {
  filesChecked: number
  /** Files that came since the index was last brought up to date; the next refresh reads them. */
  filesNew: number
  differences: Difference[]
}

/**
 * Re-reads every file of the record and compares it with the index as it stands: the index is not refreshed first,
 * since a refresh would take over what has been changed in place.
 */
export function verifyRecord(db: Database, recordDir: string, onFile: (files: number) => void): Verified {
  const result: Verified = { filesChecked: 0, filesNew: 0, differences: [] }
  const differ = (file: string, what: Difference['what']) => void result.differences.push({ file, what })
  const folders = new Map(
    (db.prepare('select * from folder').all() as FolderRow[]).map(row => [fromStored(row.name), row]),
  )
  const entries = db.prepare(
    `select e.*, t.text, t.envelope_before, t.envelope_after from entry e left join message_text t on t.entry_id = e.id
     where e.folder_id = ?`,
  )
  const unread = db.prepare('select name from unread where folder_id = ?').pluck()

  for (const item of listRecord(recordDir)) {
    const folder = folders.get(item.name)
    folders.delete(item.name)
    if (item.kind !== 'folder' || folder?.problem) continue
    const indexed = new Map(
      ((folder ? entries.all(folder.id) : []) as IndexedRow[]).map(row => [fromStored(row.name), row]),
    )
    const isUnread = new Set(((folder ? unread.all(folder.id) : []) as string[]).map(fromStored))
    for (const { name, kind } of listOrNothing(recordDir, item.name)) {
      const row = indexed.get(name)
      indexed.delete(name)
      if (kind !== 'entry' || isUnread.has(name)) continue
      result.filesChecked += 1
      onFile(result.filesChecked)
      const what = row
        ? compareFile(join(recordDir, item.name, name), row)
        : folder && mayBeSkipped(item, folder)
          ? 'unindexed'
          : 'new'
      if (what === 'new') result.filesNew += 1
      else if (what) differ(`${item.name}/${name}`, what)
    }
    for (const name of indexed.keys()) differ(`${item.name}/${name}`, 'gone')
  }
  for (const [name, { id }] of folders)
    for (const row of entries.all(id) as IndexedRow[]) differ(`${name}/${fromStored(row.name)}`, 'gone')
  return result
}

type IndexedRow = Record<string, unknown> & { name: string; sha256: string; session_id: string }

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
