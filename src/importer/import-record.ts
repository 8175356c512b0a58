import { hash } from 'node:crypto'
import { makeFolder } from '../make-folder.ts'
import { Problem } from '../problem.ts'
import { parseEntry } from '../record/entry.ts'
import { conflictedName, conflictFileName } from '../record/file-name.ts'
import { recordFiles } from './record-files.ts'
import { type SourceFile, sourceFiles } from './source-files.ts'

/** What an import did, or with `dryRun` would do. Paths are below the record's folder. */
export interface Imported {
  added: number
  /** Files that the record holds already, byte for byte. */
  same: number
  conflicts: Conflict[]
  /** What was not copied, and why; not there where everything was. */
  skipped?: { path: string; reason: string }[]
}

/** The same name with other bytes: both are in the record now, and neither is lost (ruling 12). */
export interface Conflict {
  path: string
  /** The file that keeps the name: the one that was there first. */
  kept: string
  /** Where the other bytes are. */
  other: string
}

/**
 * Copies records into a record: folders of session ids, one session's folder, or a tar of either. What is there is
 * never changed. Names that differ in letter case only are one name, since they are on other file systems.
 *
 * @throws Problem `not-found` or `record` where a source is none
 */
export async function importRecords(
  recordDir: string,
  sources: string[],
  options: { dryRun?: boolean; progress?: (files: number) => void } = {},
): Promise<Imported> {
  const result: Imported = { added: 0, same: 0, conflicts: [] }
  const dryRun = options.dryRun ?? false
  if (!dryRun) makeRecordFolder(recordDir)
  const files = recordFiles(recordDir, { dryRun })
  let done = 0
  for (const source of sources) {
    await sourceFiles(source, recordDir, file => {
      if ('problem' in file) skip(result, file.path, file.problem)
      else take(files, file, result)
      options.progress?.(++done)
    })
  }
  return result
}

function take(files: ReturnType<typeof recordFiles>, file: SourceFile, result: Imported): void {
  const sha256 = hash('sha256', file.bytes)
  const folder = files.folderFor(targetFolder(file))
  if (folder === null) {
    return skip(result, file.path, 'the record holds something there that is not a folder')
  }
  const kept = files.nameFor(folder, file.name)
  if (kept === null) {
    files.write(folder, file.name, file.bytes, sha256)
    result.added += 1
    return
  }
  if (files.sha256Of(folder, kept) === sha256) {
    result.same += 1
    return
  }
  const other = conflictFileName(conflictedName(file.name) ?? file.name, sha256)
  if (files.nameFor(folder, other) === null) files.write(folder, other, file.bytes, sha256)
  result.conflicts.push({
    path: `${file.folder}/${file.name}`,
    kept: `${folder}/${kept}`,
    other: `${folder}/${other}`,
  })
}

function skip(result: Imported, path: string, reason: string): void {
  result.skipped = [...(result.skipped ?? []), { path, reason }]
}

/** The folder's name as its entries spell it, where a copy has changed only the letter case; else as it is. */
function targetFolder(file: SourceFile): string {
  const parsed = parseEntry(file.bytes.toString('utf8'))
  const stated = 'entry' in parsed ? parsed.entry.sessionId : file.folder
  return stated.toLowerCase() === file.folder.toLowerCase() ? stated : file.folder
}

function makeRecordFolder(recordDir: string): void {
  try {
    makeFolder(recordDir)
  } catch (error) {
    throw new Problem('environment', `the record's folder cannot be made: ${(error as Error).message}`, {
      path: recordDir,
      hint: 'check the rights of the folder above it, or name another with --record-dir',
      cause: error,
    })
  }
}
