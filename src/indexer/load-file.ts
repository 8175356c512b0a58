import { join } from 'node:path'
import type { KnownFile, NewUnread } from '../database/new-rows.ts'
import type { Entry } from '../record/entry.ts'
import { entryRow } from './entry-row.ts'
import { evidenceOf } from './evidence-row.ts'
import type { FolderItem } from './listing.ts'
import type { FolderToLoad, Loading } from './loading.ts'
import { readEntryFile } from './read-entry-file.ts'
import type { SessionChange } from './session-change.ts'

export interface FileToLoad {
  folder: FolderToLoad
  item: FolderItem
  /** What the index holds of it so far. */
  before: KnownFile | undefined
  /** The entry's name in the same folder that this file has other bytes of, or copies: by its conflict name, or but for letter case. */
  copyOf: string | null
  session: SessionChange
}

/** Why a file is not to be opened, where its name or type alone says so. */
export function whyNeverOpened({ item, copyOf }: FileToLoad): string | null {
  return item.kind === 'refused' || (item.kind === 'misnamed' && copyOf === null) ? item.problem : null
}

/** Brings what the index holds of one file into step with the file: an entry, unknown evidence, or a copy of an entry. */
export function loadFile(loading: Loading, file: FileToLoad): void {
  const refusal = whyNeverOpened(file)
  if (refusal !== null) return putUnread(loading, file, { reason: refusal })
  const { folder, item, before, copyOf, session } = file
  loading.work.filesOpened += 1
  loading.onFile()
  const read = readRows(join(loading.recordDir, folder.name, item.name))
  if (read === null) {
    if (before) fileIsGone(loading, folder, before, session)
    return
  }
  const { stat, sha256 } = read
  if (copyOf !== null && sha256 !== null) {
    const but = item.kind === 'conflict' ? '' : ' but for letter case'
    const reason = `conflict: the same name as ${copyOf}${but}, with other bytes`
    const twin = { twin_session: folder.name, twin_name: copyOf }
    // What does not parse may still be being written, and may become the same bytes.
    const is_retried = 'reason' in read ? 1 : 0
    return putUnread(loading, file, { stat, sha256, reason, is_conflict: 1, is_retried, ...twin })
  }
  if ('reason' in read) return putUnread(loading, file, { ...read, is_retried: 1 })
  if (read.entry.sessionId !== folder.name) {
    const reason = `mismatch: it states session ${read.entry.sessionId} but lies in the folder ${folder.name}`
    const twin = { twin_session: read.entry.sessionId, twin_name: item.name }
    return putUnread(loading, file, { stat, sha256, reason, ...twin })
  }
  putEntry(loading, file, read)
}

function putEntry(loading: Loading, file: FileToLoad, { stat, sha256, entry, rows }: ReadEntry): void {
  const { folder, item, before, session } = file
  const path = `${folder.name}/${item.name}`
  // The same bytes under another inode or time of change: copied back, restored, its rights changed.
  if (before?.in === 'entry' && before.sha256 === sha256)
    return loading.writer.updateEntryStat(before.id, stat)
  if (before?.in === 'entry') loading.onRewritten(path)
  replace(loading, file)
  loading.writer.addEntry({ folder_id: folder.id, name: item.name, stat, sha256 }, rows.row, rows.text)
  session.added(evidenceOf(item.name, entry, rows.row))
  loading.onChange({ change: 'added', file: path, sessionId: folder.name, kind: entry.kind })
}

/** Takes one file that is no longer there out of the index; that it held an entry is kept in mind. */
export function fileIsGone(
  loading: Loading,
  folder: FolderToLoad,
  file: KnownFile,
  session: SessionChange,
): void {
  if (file.in === 'entry') {
    loading.writer.addGone(file.id, loading.now)
    loading.gone.push(`${folder.name}/${file.name}`)
  }
  forgetFile(loading, folder, file, session)
}

/** Takes one file out of the index. */
export function forgetFile(
  loading: Loading,
  folder: FolderToLoad,
  file: KnownFile,
  session: SessionChange,
): void {
  remove(loading, file, session)
  loading.work.filesRemoved += 1
  loading.onChange({ change: 'removed', file: `${folder.name}/${file.name}`, sessionId: folder.name })
}

function putUnread(loading: Loading, file: FileToLoad, found: Partial<NewUnread> & { reason: string }): void {
  const { folder, item, before, session } = file
  if (before?.in === 'unread' && before.is_retried && found.is_retried && isSameCopy(before, found)) {
    const { stat = '', sha256 = null, reason } = found
    return loading.writer.retryUnread(before.id, { stat, sha256, reason }, before.stat === stat)
  }
  replace(loading, file)
  const row = { ...NEVER_OPENED, ...found, folder_id: folder.id, name: item.name, name_at: item.nameAt }
  loading.writer.addUnread(row, loading.now)
  session.touched()
  const path = `${folder.name}/${item.name}`
  loading.onChange({ change: 'unreadable', file: path, sessionId: folder.name, reason: found.reason })
}

/** Whether a file would still be a copy of the same entry, or still of none. */
function isSameCopy(
  before: KnownFile & { in: 'unread' },
  { twin_session = null, twin_name = null }: Partial<NewUnread>,
): boolean {
  return before.twin_session === twin_session && before.twin_name === twin_name
}

/** Makes room for what a file is now; a file that was known before is not counted as new. */
function replace(loading: Loading, { before, session }: FileToLoad): void {
  if (before) remove(loading, before, session)
  else loading.work.filesAdded += 1
}

function remove(loading: Loading, file: KnownFile, session: SessionChange): void {
  if (file.in === 'unread') {
    session.touched()
    return loading.writer.removeUnread(file.id)
  }
  loading.writer.removeEntry(file.id)
  session.removed()
}

const NEVER_OPENED = {
  stat: '',
  sha256: null,
  is_conflict: 0,
  is_retried: 0,
  twin_session: null,
  twin_name: null,
}

type ReadEntry = { stat: string; sha256: string; entry: Entry; rows: ReturnType<typeof entryRow> }
type FileRows = { stat: string; sha256: string | null; reason: string } | ReadEntry

function readRows(path: string): FileRows | null {
  const file = readEntryFile(path)
  if (file === null || 'reason' in file) return file
  try {
    return { ...file, rows: entryRow(file.entry) }
  } catch (error) {
    // Only nesting deeper than the call stack gets here: JSON can be read deeper than it can be written.
    if (!(error instanceof RangeError)) throw error
    return { stat: file.stat, sha256: file.sha256, reason: 'nested too deeply' }
  }
}
