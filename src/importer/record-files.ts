import { hash } from 'node:crypto'
import {
  closeSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../make-folder.ts'

/** The files of the record that an import writes to, found by name whatever its letter case. */
export interface RecordFiles {
  /** The folder of this name as the record spells it, or as given where it has none; null where something else stands there. */
  folderFor(name: string): string | null
  /** A file's name as the record spells it; null where it has none of that name. */
  nameFor(folder: string, name: string): string | null
  sha256Of(folder: string, name: string): string | null
  /** Writes a new file; a kill at any moment leaves no part of it under its name. */
  write(folder: string, name: string, bytes: Buffer, sha256: string): void
}

/** @param dryRun nothing is written, and what would have been is remembered, so that the answer is the same */
export function recordFiles(recordDir: string, { dryRun }: { dryRun: boolean }): RecordFiles {
  const folders = byLowerCase(namesIn(recordDir))
  const names = new Map<string, Map<string, string>>()
  const unwritten = new Map<string, string>()

  function namesOf(folder: string): Map<string, string> {
    const known = names.get(folder) ?? byLowerCase(namesIn(join(recordDir, folder)))
    names.set(folder, known)
    return known
  }

  return {
    folderFor(name) {
      const folder = folders.get(name.toLowerCase()) ?? name
      const stats = lstatSync(join(recordDir, folder), { throwIfNoEntry: false })
      return stats && !stats.isDirectory() ? null : folder
    },
    nameFor: (folder, name) => namesOf(folder).get(name.toLowerCase()) ?? null,
    sha256Of(folder, name) {
      const path = join(recordDir, folder, name)
      const planned = unwritten.get(path)
      if (planned !== undefined) return planned
      return lstatSync(path).isFile() ? hash('sha256', readFileSync(path)) : null
    },
    write(folder, name, bytes, sha256) {
      folders.set(folder.toLowerCase(), folder)
      namesOf(folder).set(name.toLowerCase(), name)
      if (dryRun) unwritten.set(join(recordDir, folder, name), sha256)
      else writeNew(join(recordDir, folder), name, bytes)
    },
  }
}

function writeNew(folder: string, name: string, bytes: Buffer): void {
  makeFolder(folder)
  // A dot file is no entry, so a part of a file is never read as one; the link gives it its name in one step and,
  // unlike a rename, fails where the name is taken.
  const temporary = join(folder, `.import-${process.pid}`)
  writeFileSync(temporary, bytes, { mode: 0o600 })
  try {
    linkSync(temporary, join(folder, name))
  } catch (error) {
    if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    const file = openSync(join(folder, name), 'wx', 0o600)
    try {
      writeFileSync(file, bytes)
    } finally {
      closeSync(file)
    }
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** File systems without hard links say one of these. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function byLowerCase(names: string[]): Map<string, string> {
  return new Map(names.map(name => [name.toLowerCase(), name]))
}
