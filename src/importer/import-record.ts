import { hash } from 'node:crypto'
import { makeFolder } from '../files/make-folder.ts'
import { Problem } from '../problem/problem.ts'
import { conflictedName, conflictFileName, LONGEST_FILE_NAME } from '../record/file-name.ts'
import { checkedSource } from './checked-source.ts'
import { type Content, type RecordFiles, recordFiles } from './record-files.ts'
import { NotCopied, type SourceFile, type SourceProblem, statedSession } from './source-file.ts'
import { systemCode } from './system-problem.ts'

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
 * never changed. Names that differ in letter case only are one name, since they are on other file systems. All
 * sources are looked at before the first is copied; a file that cannot be copied is told of, and the rest goes on.
 *
 * @throws Problem where a source is none, with nothing written; `environment` where the record cannot be written
 */
export async function importRecords(
  recordDir: string,
  sources: string[],
  options: { dryRun?: boolean; progress?: (files: number) => void } = {},
): Promise<Imported> {
  const result: Imported = { added: 0, same: 0, conflicts: [] }
  const dryRun = options.dryRun ?? false
  const checked = sources.map(source => checkedSource(source, recordDir))
  if (!dryRun) makeRecordFolder(recordDir)
  const files = recordFiles(recordDir, { dryRun })
  let done = 0
  for (const source of checked) {
    for (const file of source.files()) {
      take(files, file, result)
      options.progress?.(++done)
    }
  }
  return result
}

/** Another program may put a file under a name between the look at it and the writing; then it is looked at again. */
const LOOKS = 5

function take(files: RecordFiles, file: SourceFile | SourceProblem, result: Imported): void {
  if ('problem' in file) return skip(result, file.path, file.problem)
  const read = unnameable(file) ?? file.read()
  if ('problem' in read) return skip(result, file.path, read.problem)
  const content = { bytes: read.bytes, sha256: hash('sha256', read.bytes) }
  try {
    for (let look = 0; look < LOOKS; look += 1) if (place(files, file, content, result)) return
    skip(result, file.path, 'another program writes files of this name')
  } catch (error) {
    const code = systemCode(error)
    if (error instanceof NotCopied) skip(result, file.path, error.message)
    else if (code === undefined) throw error
    else skip(result, file.path, `cannot be copied (${code})`)
  }
}

/** Puts a file where it belongs and counts it; false where the record has changed under it. */
function place(files: RecordFiles, file: SourceFile, content: Content, result: Imported): boolean {
  const folder = targetFolder(files, file, content)
  if (folder === null) {
    skip(result, file.path, 'the record holds something there that is not a folder')
    return true
  }
  const holds = (name: string) => files.holds(folder, name, content)
  const conflicted = conflictedName(file.name)
  const names = files.namesOf(folder, file.name)
  // The other machine may have kept our bytes as the other ones of this name: then they are no news.
  const known = conflicted === null ? [] : bytesOf(files, folder, conflicted)
  if ([...names, ...known].some(holds)) {
    result.same += 1
    return true
  }
  const [kept] = names
  if (kept === undefined) {
    if (!files.write(folder, file.name, content)) return false
    result.added += 1
    return true
  }
  const other = keepBeside(files, folder, conflicted ?? file.name, content)
  if (other === null) return false
  result.conflicts.push({
    path: `${file.folder}/${file.name}`,
    kept: `${folder}/${kept}`,
    other: `${folder}/${other}`,
  })
  return true
}

/** The files with the bytes of a name: its own, and those of its conflicts. */
function bytesOf(files: RecordFiles, folder: string, name: string): string[] {
  return [...files.namesOf(folder, name), ...files.conflictsOf(folder, name)]
}

/**
 * The conflict file that holds these bytes beside a name, written where there is none; null where another program
 * was faster. Where other bytes have taken its name, the name tells more of the hash.
 */
function keepBeside(files: RecordFiles, folder: string, name: string, content: Content): string | null {
  const known = files.conflictsOf(folder, name).find(one => files.holds(folder, one, content))
  if (known !== undefined) return known
  for (let digits = 12; digits <= content.sha256.length; digits += 4) {
    const other = conflictFileName(name, content.sha256, digits)
    const taken = files.namesOf(folder, other)
    const same = taken.find(one => files.holds(folder, one, content))
    if (same !== undefined) return same
    if (taken.length === 0) return files.write(folder, other, content) ? other : null
  }
  throw new NotCopied('other bytes stand under every name that its bytes could have as a conflict')
}

function skip(result: Imported, path: string, reason: string): void {
  result.skipped ??= []
  result.skipped.push({ path, reason })
}

function unnameable({ folder, name }: SourceFile): { problem: string } | null {
  if (`${folder}${name}`.includes('\0')) return { problem: 'a name that no file can have' }
  const longest = Math.max(Buffer.byteLength(folder), Buffer.byteLength(name))
  return longest > LONGEST_FILE_NAME ? { problem: `a name too long for a file: ${longest} bytes` } : null
}

/**
 * The session's folder: as the entry spells it, where a copy has changed only its letter case; else as the other
 * entries of its folder do. A folder that differs in case is taken for its own only where nothing says otherwise.
 */
function targetFolder(files: RecordFiles, file: SourceFile, content: Content): string | null {
  const stated = statedSession(content.bytes)
  if (stated?.toLowerCase() === file.folder.toLowerCase()) return files.folderFor(stated, true)
  const spelling = file.spelling()
  return files.folderFor(spelling ?? file.folder, spelling !== null || stated !== null)
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
