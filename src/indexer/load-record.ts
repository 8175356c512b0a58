import type { FolderRow } from '../database/tables.ts'
import { listRecord, type RecordItem } from './listing.ts'
import type { Loading } from './loading.ts'

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
export async function loadRecord(loading: Loading, { isNew, isThorough }: LoadOptions): Promise<void> {
  const known = new Map(isNew ? [] : loading.writer.folders().map(folder => [folder.name, folder]))
  const retried = isNew ? new Set<number>() : loading.writer.retriedFolders()
  const toList: { item: FolderItemOfRecord; before: FolderRow | undefined }[] = []
  const refused: { item: RefusedItem; before: FolderRow | undefined }[] = []
  for (const item of listRecord(loading.recordDir)) {
    const before = known.get(item.name)
    known.delete(item.name)
    if (item.kind === 'refused') refused.push({ item, before })
    else if (isThorough || !before || retried.has(before.id) || !mayBeSkipped(item, before)) {
      toList.push({ item, before })
    }
  }
  if (known.size + toList.length + refused.length === 0) return

  // What reads entries also loads the schemas: only a load that has something to look at pays for it.
  const { loadFolders } = await import('./load-folders.ts')
  loadFolders(loading, { gone: [...known.values()], refused, toList })
}

type FolderItemOfRecord = RecordItem & { kind: 'folder' }
type RefusedItem = RecordItem & { kind: 'refused' }

function mayBeSkipped(item: FolderItemOfRecord, before: FolderRow): boolean {
  return before.problem === null && before.identity === item.identity && before.is_settled === 1
}
