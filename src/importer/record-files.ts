import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../files/make-folder.ts'
import { conflictedName } from '../record/file-name.ts'
import { removeLeftOvers, writeNewFile } from './new-file.ts'
import { readRegularFile } from './regular-file.ts'
import { NotCopied } from './source-file.ts'
import { isOfThePlace, systemCode, systemProblem } from './system-problem.ts'

/** The files of the record that an import writes to, found by name whatever its letter case. */
export interface RecordFiles {
  /**
   * The folder of a session as the record spells it, or as given where it has none; null where something else stands
   * there. With `isSure` the spelling is this session's own, and another one is another session's.
   */
  folderFor(name: string, isSure: boolean): string | null
  /** The record's files of this name in any letter case, this very spelling first. */
  namesOf(folder: string, name: string): string[]
  /** The conflict files that stand beside a name. */
  conflictsOf(folder: string, name: string): string[]
  /** Whether a file of the record has these bytes; something else than a file has none. */
  holds(folder: string, name: string, file: Content): boolean
  /** Writes a new file; false where another program has put something under its name meanwhile. */
  write(folder: string, name: string, file: Content): boolean
}

export interface Content {
  bytes: Buffer
  sha256: string
}

interface Names {
  byName: Map<string, string[]>
  /** Conflict files by the name they stand beside. */
  conflicts: Map<string, string[]>
}

/**
 * @param dryRun nothing is written, and what would have been is remembered, so that the answer is the same
 * @throws Problem where the record's folder cannot be listed
 */
export function recordFiles(recordDir: string, { dryRun }: { dryRun: boolean }): RecordFiles {
  const folders = new Map<string, string[]>()
  const listed = new Map<string, Names>()
  const unwritten = new Map<string, string>()
  for (const folder of recordFolders(recordDir)) {
    add(folders, folder, folder)
    if (!dryRun && isFolder(join(recordDir, folder))) removeLeftOvers(join(recordDir, folder))
  }

  function list(folder: string): Names {
    const known = listed.get(folder)
    if (known) return known
    const names: Names = { byName: new Map(), conflicts: new Map() }
    for (const name of namesIn(join(recordDir, folder))) remember(names, name)
    listed.set(folder, names)
    return names
  }

  return {
    folderFor(name, isSure) {
      const spellings = folders.get(name.toLowerCase()) ?? []
      const other = isSure ? undefined : spellings[0]
      const folder = spellings.includes(name) ? name : (other ?? name)
      const stats = lstatSync(join(recordDir, folder), { throwIfNoEntry: false })
      return stats && !stats.isDirectory() ? null : folder
    },
    namesOf(folder, name) {
      const names = list(folder).byName.get(name.toLowerCase()) ?? []
      return [...names.filter(one => one === name), ...names.filter(one => one !== name)]
    },
    conflictsOf: (folder, name) => list(folder).conflicts.get(name.toLowerCase()) ?? [],
    holds(folder, name, { bytes, sha256 }) {
      const path = join(recordDir, folder, name)
      const planned = unwritten.get(path)
      if (planned !== undefined) return planned === sha256
      const stats = lstatSync(path)
      if (!stats.isFile() || stats.size !== bytes.length) return false
      const read = readRegularFile(path)
      if ('bytes' in read) return read.bytes.equals(bytes)
      throw new NotCopied(`the record’s own file of that name ${read.problem}`)
    },
    write(folder, name, { bytes, sha256 }) {
      if (dryRun) unwritten.set(join(recordDir, folder, name), sha256)
      else if (!writeTo(join(recordDir, folder), name, bytes)) {
        listed.delete(folder)
        return false
      }
      if (!folders.get(folder.toLowerCase())?.includes(folder)) add(folders, folder, folder)
      remember(list(folder), name)
      return true
    },
  }
}

function writeTo(folder: string, name: string, bytes: Buffer): boolean {
  try {
    makeFolder(folder)
    return writeNewFile(folder, name, bytes)
  } catch (error) {
    if (!isOfThePlace(error)) throw error
    throw systemProblem(
      'the record cannot be written',
      error,
      folder,
      'every file copied so far is whole; make room or check the rights, then import again',
    )
  }
}

function recordFolders(recordDir: string): string[] {
  try {
    return namesIn(recordDir)
  } catch (error) {
    throw systemProblem(
      'the record’s folder cannot be listed',
      error,
      recordDir,
      'check its rights, or name another with --record-dir',
    )
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return []
    throw error
  }
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function remember(names: Names, name: string): void {
  if (names.byName.get(name.toLowerCase())?.includes(name)) return
  add(names.byName, name, name)
  const of = conflictedName(name)
  if (of !== null) add(names.conflicts, of, name)
}

function add(map: Map<string, string[]>, key: string, name: string): void {
  const names = map.get(key.toLowerCase())
  if (names) names.push(name)
  else map.set(key.toLowerCase(), [name])
}
