import type { FolderRow } from '../database/tables.ts'
import type { IndexWriter } from './index-writer.ts'
import type { RecordItem } from './listing.ts'
import { forgetFolder, loadFolder, retryFile } from './load-folder.ts'
import type { Loading } from './loading.ts'

/** What of a record may differ from its index, sorted by what is to be done about it. */
export interface FoldersToLoad {
  gone: FolderRow[]
  refused: { item: RecordItem & { kind: 'refused' }; before: FolderRow | undefined }[]
  toList: { item: RecordItem & { kind: 'folder' }; before: FolderRow | undefined }[]
  /** Files that could not be read before, in folders that have not changed since. */
  retried: ReturnType<IndexWriter['retried']>
}

/** Brings these folders of the index into step with the record. */
export function loadFolders(loading: Loading, { gone, refused, toList, retried }: FoldersToLoad): void {
  for (const folder of gone) {
    forgetFolder(loading, folder)
    loading.writer.removeFolder(folder.id)
  }
  for (const { item, before } of refused) {
    if (before?.problem !== item.problem) putProblem(loading, item.name, before, item.problem)
  }
  const listed = toList.flatMap(({ item, before }) => listFolderItem(loading, item, before) ?? [])
  for (const file of retried) retryFile(loading, { id: file.folder_id, name: file.folder }, file)
  // Only a load that writes anyway remembers when it listed what: one with nothing new writes no row.
  if (loading.writer.isChanged()) for (const folder of listed) loading.writer.updateFolder(folder)
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
