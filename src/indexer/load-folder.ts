import { join } from 'node:path'
import type { KnownFile } from '../database/new-rows.ts'
import { caseTwins } from './case-twins.ts'
import { type FolderItem, fileStat } from './listing.ts'
import { type FileToLoad, fileIsGone, forgetFile, loadFile, whyNeverOpened } from './load-file.ts'
import type { FolderToLoad, Loading } from './loading.ts'
import { readEntryFile } from './read-entry-file.ts'
import { type SessionChange, sessionChange } from './session-change.ts'

/**
 * Brings what the index holds of one folder into step with what the folder holds now: the set of names is compared
 * with the set indexed, and a known file is opened again only when it is another file or may be readable now.
 */
export function loadFolder(
  loading: Loading,
  folder: FolderToLoad,
  items: FolderItem[],
  isNew: boolean,
): void {
  loading.work.foldersListed += 1
  const twins = caseTwins(items, name => {
    const file = readEntryFile(join(loading.recordDir, folder.name, name))
    return file !== null && 'entry' in file && file.entry.sessionId === folder.name
  })
  const known = new Map(isNew ? [] : loading.writer.knownFiles(folder.id).map(file => [file.name, file]))
  const session = sessionChange(loading.writer, folder.name)
  const names = items.map(({ name }) => name)
  takeBack(loading, folder, names, session)
  for (const item of items) {
    const before = known.get(item.name)
    known.delete(item.name)
    const copyOf = item.kind === 'conflict' ? item.of : (twins.get(item.name) ?? null)
    const file: FileToLoad = { folder, item, before, copyOf, session }
    if (!isUnchanged(loading, file)) loadFile(loading, file)
  }
  for (const gone of known.values()) fileIsGone(loading, folder, gone, session)
  session.write(names, loading.now)
}

/** Entries that were gone and of whose names a file lies there again. */
function takeBack(
  loading: Loading,
  folder: FolderToLoad,
  names: readonly string[],
  session: SessionChange,
): void {
  const gone = loading.writer.goneIn(folder.name)
  if (gone.length === 0) return
  const there = new Set(names)
  for (const name of gone.filter(one => there.has(one))) {
    loading.writer.removeGone(folder.name, name)
    session.touched()
  }
}

/** Takes a whole folder that is no longer there out of the index; which entries it held is kept in mind. */
export function folderIsGone(loading: Loading, folder: FolderToLoad): void {
  takeOut(loading, folder, fileIsGone)
}

/** Takes a whole folder out of the index that can no longer be listed: what it holds is there, for all that is known. */
export function forgetFolder(loading: Loading, folder: FolderToLoad): void {
  takeOut(loading, folder, forgetFile)
}

function takeOut(loading: Loading, folder: FolderToLoad, forget: typeof forgetFile): void {
  const session = sessionChange(loading.writer, folder.name)
  for (const file of loading.writer.knownFiles(folder.id)) forget(loading, folder, file, session)
  session.write([], loading.now)
}

/** Whether the index holds of a file what opening it would give. */
function isUnchanged(loading: Loading, file: FileToLoad): boolean {
  const { before, item } = file
  if (!before) return false
  const refusal = whyNeverOpened(file)
  if (refusal !== null) return before.in === 'unread' && before.stat === '' && before.reason === refusal
  if (before.in === 'unread' && before.is_retried) return false
  if (copyOfBefore(before) !== (file.copyOf ?? strayName(before))) return false
  return before.stat !== '' && fileStat(join(loading.recordDir, file.folder.name, item.name)) === before.stat
}

function copyOfBefore(before: KnownFile): string | null {
  return before.in === 'entry' ? null : before.twin_name
}

/** A file that states another session would be a copy of the file of its own name there. */
function strayName(before: KnownFile): string | null {
  return before.in === 'entry' || before.twin_session === null ? null : before.name
}
