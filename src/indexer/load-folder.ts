import { join } from 'node:path'
import { caseTwins } from './case-twins.ts'
import type { IndexWriter, KnownFile } from './index-writer.ts'
import { type FolderItem, fileStat, listFolder } from './listing.ts'
import { forgetFile, loadFile } from './load-file.ts'
import type { FolderToLoad, Loading } from './loading.ts'
import { sessionChange } from './session-change.ts'

/**
 * Brings what the index holds of one folder into step with the folder: the set of names on disk is compared with
 * the set indexed, and a known file is opened again only when it is another file or may be readable now.
 *
 * @throws the system's error where the folder cannot be listed; nothing was changed then
 */
export function loadFolder(loading: Loading, folder: FolderToLoad, isNew: boolean): void {
  const items = listFolder(loading.recordDir, folder.name)
  loading.work.foldersListed += 1
  const twins = caseTwins(items)
  const known = new Map(isNew ? [] : loading.writer.knownFiles(folder.id).map(file => [file.name, file]))
  const session = sessionChange(loading.writer, folder.name)
  for (const item of items) {
    const before = known.get(item.name)
    const twin = twins.get(item.name) ?? null
    known.delete(item.name)
    if (before && isUnchanged(loading, folder, item, before, twin)) continue
    loadFile(loading, { folder, item, before, twin, session })
  }
  for (const gone of known.values()) forgetFile(loading, folder, gone, session)
  session.write()
}

/** Looks again at one file that could not be read before, in a folder that has not changed since. */
export function retryFile(loading: Loading, folder: FolderToLoad, file: RetriedFile): void {
  const session = sessionChange(loading.writer, folder.name)
  const item: FolderItem = { kind: 'entry', name: file.name, nameAt: file.name_at }
  const before: KnownFile = { ...NEVER_READ, id: file.id, name: file.name }
  loadFile(loading, { folder, item, before, twin: null, session })
  session.write()
}

type RetriedFile = ReturnType<IndexWriter['retried']>[number]

const NEVER_READ = {
  in: 'unread',
  stat: '',
  reason: '',
  is_retried: 1,
  twin_session: null,
  twin_name: null,
} as const

/** Takes a whole folder out of the index: it is gone, or can no longer be listed. */
export function forgetFolder(loading: Loading, folder: FolderToLoad): void {
  const session = sessionChange(loading.writer, folder.name)
  for (const gone of loading.writer.knownFiles(folder.id)) forgetFile(loading, folder, gone, session)
  session.write()
}

function isUnchanged(
  loading: Loading,
  folder: FolderToLoad,
  item: FolderItem,
  before: KnownFile,
  twin: string | null,
): boolean {
  if (item.kind === 'conflict' || item.kind === 'refused' || (item.kind === 'misnamed' && twin === null)) {
    return before.in === 'unread' && before.stat === '' && before.reason === item.problem
  }
  if (
    before.in === 'entry'
      ? twin !== null
      : before.is_retried || before.twin_name !== (twin ?? strayName(before))
  )
    return false
  return before.stat !== '' && fileStat(join(loading.recordDir, folder.name, item.name)) === before.stat
}

/** A copy in another session's folder keeps the name of what it is a copy of. */
function strayName(before: KnownFile & { in: 'unread' }): string | null {
  return before.twin_session === null ? null : before.name
}
