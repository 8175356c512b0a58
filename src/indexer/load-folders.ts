import type { FolderRow } from '../database/tables.ts'
import { type FolderItem, listFolder, type RecordItem } from './listing.ts'
import { folderIsGone, forgetFolder, loadFolder } from './load-folder.ts'
import type { Loading } from './loading.ts'

/** What of a record may differ from its index, sorted by what is to be done about it. */
export interface FoldersToLoad {
  gone: FolderRow[]
  refused: { item: RecordItem & { kind: 'refused' }; before: FolderRow | undefined }[]
  toList: { item: RecordItem & { kind: 'folder' }; before: FolderRow | undefined }[]
}

/** A folder whose last change is at least this old when it is listed can be told from any later change by its time alone. */
const SETTLED_MS = 2_000

/** So many folders listed for nothing cost more than the rows that spare it. */
const MANY = 2_000

/** Brings these folders of the index into step with the record. */
export function loadFolders(loading: Loading, { gone, refused, toList }: FoldersToLoad): void {
  for (const folder of gone) {
    folderIsGone(loading, folder)
    loading.writer.removeFolder(folder.id)
  }
  for (const { item, before } of refused) {
    if (before?.problem !== item.problem) putProblem(loading, item, before, item.problem)
  }
  const listed = toList.flatMap(({ item, before }) => listFolderItem(loading, item, before) ?? [])
  // Only a load that writes anyway remembers when it listed what: one with nothing new writes no row. The exception is
  // a record that was just copied in, of which very many folders would be listed again until something is written.
  if (loading.writer.isChanged() || listed.filter(folder => folder.is_settled === 1).length >= MANY)
    for (const folder of listed) loading.writer.updateFolder(folder)
}

/** Lists one folder; returns its row as it should stand now, or null where it could not be listed. */
function listFolderItem(
  loading: Loading,
  item: FolderOfRecord,
  before: FolderRow | undefined,
): FolderRow | null {
  const { name, identity, changedMs } = item
  const is_settled = Date.now() - changedMs > SETTLED_MS ? 1 : 0
  const listed = { name, identity, is_settled, problem: null, first_seen: null, tries: 0 }
  let items: FolderItem[]
  try {
    items = listFolder(loading.recordDir, name)
  } catch (error) {
    forgetUnlisted(loading, item, before, (error as NodeJS.ErrnoException).code)
    return null
  }
  const id = before?.id ?? loading.writer.addFolder(listed)
  if (before?.problem) loading.writer.updateFolder({ ...listed, id })
  loadFolder(loading, { id, name }, items, before === undefined)
  return { ...listed, id }
}

function forgetUnlisted(
  loading: Loading,
  item: FolderOfRecord,
  before: FolderRow | undefined,
  code: string | undefined,
): void {
  if (code !== 'ENOENT') return putProblem(loading, item, before, `the folder cannot be listed (${code})`)
  // It was there a moment ago, and is gone.
  if (!before) return
  folderIsGone(loading, before)
  loading.writer.removeFolder(before.id)
}

/** Records that a folder, or what stands in a folder's place, cannot be read; what was indexed from it is unknown now. */
function putProblem(
  loading: Loading,
  item: RecordItem,
  before: FolderRow | undefined,
  problem: string,
): void {
  const row = {
    name: item.name,
    identity: item.kind === 'folder' ? item.identity : null,
    is_settled: 0,
    problem,
    first_seen: before?.first_seen ?? loading.now,
    tries: (before?.tries ?? 0) + 1,
  }
  if (!before) loading.writer.addFolder(row)
  else {
    if (before.problem === null) forgetFolder(loading, before)
    loading.writer.updateFolder({ ...row, id: before.id })
  }
  if (before?.problem !== problem) {
    loading.onChange({ change: 'unreadable', file: item.name, sessionId: item.name, reason: problem })
  }
}

type FolderOfRecord = RecordItem & { kind: 'folder' }
