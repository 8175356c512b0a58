import { type Dirent, lstatSync, opendirSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { Problem } from '../problem/problem.ts'
import {
  classifyName,
  conflictedName,
  entryNameOf,
  parseEntryFileName,
  placeholderOf,
} from '../record/file-name.ts'
import { type FolderContent, readFolder } from './read-folder.ts'

/** One thing in the record's folder that is not to be ignored. */
export type RecordItem =
  | { name: string; kind: 'folder'; identity: string; changedMs: number }
  /** Something that no session's folder is; `problem` says what. */
  | { name: string; kind: 'refused'; problem: string }

/** One name in a session's folder that is not to be ignored. */
export type FolderItem = { name: string; nameAt: string | null } & (
  | { kind: 'entry' }
  /** A JSON file whose name is not an entry's. */
  | { kind: 'misnamed'; problem: string }
  /** The other bytes of a name, as `coord import` keeps them. */
  | { kind: 'conflict'; of: string }
  /** Named like an entry, but no file. */
  | { kind: 'refused'; problem: string }
)

/**
 * Makes sure that there is a record to read.
 *
 * @throws Problem (`record`) where there is no folder at the path, (`environment`) where it may not be listed
 */
export function checkRecord(recordDir: string): void {
  try {
    opendirSync(recordDir).closeSync()
  } catch (error) {
    throw recordProblem(recordDir, error as NodeJS.ErrnoException)
  }
}

/**
 * Lists the record's folder. Links are not followed: a record never reaches outside itself.
 *
 * @throws Problem (`record`) where the folder cannot be listed
 */
export function listRecord(recordDir: string): RecordItem[] {
  let found: FolderContent
  try {
    found = readFolder(recordDir)
  } catch (error) {
    throw recordProblem(recordDir, error as NodeJS.ErrnoException)
  }
  const items = found.items
    .filter(one => !one.name.startsWith('.'))
    .flatMap(one => recordItem(recordDir, one))
  if (
    !items.some(({ kind }) => kind === 'folder') &&
    items.some(({ name }) => parseEntryFileName(name) !== null)
  ) {
    throw new Problem('record', `${recordDir} is one session's folder, not a record`, {
      path: recordDir,
      hint: `the record is the folder above it: ${dirname(recordDir)}`,
    })
  }
  return distinct([...items, ...found.notUtf8.map(name => refused(name, NOT_UTF8))])
}

/**
 * Lists a session's folder: entry files, conflict files, and what is named like an entry but is none.
 *
 * @throws the system's error where the folder cannot be listed
 */
export function listFolder(recordDir: string, folder: string): FolderItem[] {
  const { items, notUtf8 } = readFolder(join(recordDir, folder))
  const unnamed = notUtf8
    .filter(name => classifyName(name) !== null)
    .map((name): FolderItem => ({ name, nameAt: null, kind: 'refused', problem: NOT_UTF8 }))
  return distinct([...items.flatMap(one => folderItem(one) ?? []), ...unnamed])
}

const PLACEHOLDER =
  'a placeholder: a sync tool keeps the file elsewhere and took its content off this machine'
const NOT_UTF8 = 'its name is not UTF-8, so it cannot be opened by name'

/** The items with each name once: how a name that is not UTF-8 is spelled may be another's real name. */
function distinct<Item extends { name: string }>(items: Item[]): Item[] {
  const names = new Set<string>()
  return items.filter(({ name }) => names.size < names.add(name).size)
}

/** What makes two looks at a file the same file: inode, size, time of change. Null where it is gone or cannot be looked at. */
export function fileStat(path: string): string | null {
  try {
    return describeStat(lstatSync(path))
  } catch {
    return null
  }
}

/** The same from a look that was already taken. */
export function describeStat(stats: Stats): string {
  return `${stats.ino}:${stats.size}:${stats.ctimeMs}`
}

function recordItem(recordDir: string, one: Dirent): RecordItem[] {
  const { name } = one
  if (one.isDirectory() || isUnknownType(one)) {
    const stats = lstatSync(join(recordDir, name), { throwIfNoEntry: false })
    if (stats?.isDirectory()) {
      return [
        {
          name,
          kind: 'folder',
          identity: `${stats.dev}:${stats.ino}:${stats.ctimeMs}`,
          changedMs: stats.ctimeMs,
        },
      ]
    }
    if (!stats) return []
  }
  if (one.isSymbolicLink()) return [refused(name, 'a symbolic link, not followed')]
  return /\.json$/i.test(name) ? [refused(name, 'lies outside a session folder')] : []
}

function refused(name: string, problem: string): RecordItem {
  return { name, kind: 'refused', problem }
}

function folderItem(one: Dirent): FolderItem | null {
  const { name } = one
  const named = classifyName(name)
  const nameAt = parseEntryFileName(entryNameOf(name))?.at ?? null
  if (placeholderOf(name) !== null) return { name, nameAt, kind: 'refused', problem: PLACEHOLDER }
  if (named === null) return null
  const of = conflictedName(name)
  if (!one.isFile() && !isUnknownType(one)) {
    return { name, nameAt, kind: 'refused', problem: `not a file but ${typeOf(one)}, never opened` }
  }
  if (named === 'entry') return { name, nameAt, kind: 'entry' }
  if (named === 'misnamed') {
    return {
      name,
      nameAt,
      kind: named,
      problem: 'its name is not an entry’s: <UTC time without colons>-<sequence>.json',
    }
  }
  return { name, nameAt, kind: named, of: of ?? name }
}

/** Some file systems do not tell types in a listing; what it is then shows when it is looked at or opened. */
function isUnknownType(one: Dirent): boolean {
  return !one.isFile() && typeOf(one) === null
}

function typeOf(one: Dirent): string | null {
  if (one.isDirectory()) return 'a folder'
  if (one.isSymbolicLink()) return 'a symbolic link'
  if (one.isFIFO()) return 'a pipe'
  if (one.isSocket()) return 'a socket'
  if (one.isCharacterDevice() || one.isBlockDevice()) return 'a device'
  return null
}

function recordProblem(recordDir: string, error: NodeJS.ErrnoException): Problem {
  if (error.code === 'ENOENT') {
    return new Problem('record', `there is no record at ${recordDir}`, {
      path: recordDir,
      hint: 'name its folder with --record-dir or COORD_RECORD_DIR; coord sample DIR writes one to try',
    })
  }
  if (error.code === 'ENOTDIR') {
    return new Problem('record', `the record is not a folder: ${recordDir}`, {
      path: recordDir,
      hint: 'name its folder with --record-dir',
    })
  }
  return new Problem('environment', `the record's folder cannot be read: ${error.message}`, {
    path: recordDir,
    hint: 'check its owner and rights',
    cause: error,
  })
}
