import type { FolderRow } from '../database/tables.ts'
import { listRecord, type RecordItem } from './listing.ts'
import { forgetFolder, loadFolder, retryFile } from './load-folder.ts'
import type { Loading } from './loading.ts'

/** A folder whose last change is at least this old when it is listed can be told from any later change by its time alone. */
const SETTLED_MS = 2_000

export interface LoadOptions {
  /** Nothing is in the index yet. */
  isNew: boolean
  /** Look at every file of every folder, also where nothing says that anything changed. */
  isThorough: boolean
}

/**
 * Brings the index into step with the whole record. A folder is skipped only where its device, inode and time of
 * change are those of the last listing and were two seconds old by then; names and times of entries never decide
 * anything, since a copied record brings old ones. What could not be read before is tried again every time.
 */
export function loadRecord(loading: Loading, { isNew, isThorough }: LoadOptions): void {
  const known = new Map(isNew ? [] : loading.writer.folders().map(folder => [folder.name, folder]))
  const listed = new Map<string, FolderRow>()
  const retried = isNew ? [] : loading.writer.retried()

  for (const item of listRecord(loading.recordDir)) {
    const before = known.get(item.name)
    known.delete(item.name)
    if (item.kind === 'refused') {
      if (before?.problem !== item.problem) putProblem(loading, item.name, before, item.problem)
    } else if (isThorough || !before || !mayBeSkipped(item, before)) {
      const folder = listFolderItem(loading, item, before)
      if (folder) listed.set(item.name, folder)
    }
  }
  for (const gone of known.values()) {
    forgetFolder(loading, gone)
    loading.writer.removeFolder(gone.id)
  }
  for (const file of retried) {
    if (known.has(file.folder) || listed.has(file.folder)) continue
    const before = {
      ...file,
      in: 'unread' as const,
      stat: '',
      reason: '',
      is_retried: 1,
      twin_session: null,
      twin_name: null,
    }
    retryFile(loading, { id: file.folder_id, name: file.folder }, before)
  }
  // Only a load that writes anyway remembers when it listed what: one with nothing new writes no row.
  if (loading.writer.isChanged()) for (const folder of listed.values()) loading.writer.updateFolder(folder)
}

function mayBeSkipped(item: RecordItem & { kind: 'folder' }, before: FolderRow): boolean {
  const isSettled = before.listed_at !== null && before.listed_at - item.changedMs > SETTLED_MS
  return before.problem === null && before.identity === item.identity && isSettled
}

/** Lists one folder; returns its row as it should stand now, or null where it could not be listed. */
function listFolderItem(
  loading: Loading,
  item: RecordItem & { kind: 'folder' },
  before: FolderRow | undefined,
): FolderRow | null {
  const listed = {
    name: item.name,
    identity: item.identity,
    listed_at: Date.now(),
    problem: null,
    first_seen: null,
    tries: 0,
  }
  const id = before?.id ?? loading.writer.addFolder(listed)
  try {
    loadFolder(loading, { id, name: item.name }, before === undefined)
    return { ...listed, id }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    const row = before ?? { ...listed, id }
    if (code === 'ENOENT') {
      forgetFolder(loading, row)
      loading.writer.removeFolder(id)
    } else {
      putProblem(loading, item.name, row, `the folder cannot be listed (${code})`)
    }
    return null
  }
}

/** Records that a folder, or what stands in a folder's place, cannot be read; what was indexed from it is unknown now. */
function putProblem(loading: Loading, name: string, before: FolderRow | undefined, problem: string): void {
  const row = {
    name,
    identity: null,
    listed_at: null,
    problem,
    first_seen: before?.first_seen ?? loading.now,
    tries: (before?.tries ?? 0) + 1,
  }
  if (!before) loading.writer.addFolder(row)
  else {
    if (before.problem === null) forgetFolder(loading, before)
    loading.writer.updateFolder({ ...row, id: before.id })
  }
  if (before?.problem !== problem)
    loading.onChange({ change: 'unreadable', file: name, sessionId: name, reason: problem })
}
