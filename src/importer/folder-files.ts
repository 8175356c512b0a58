import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { classifyName, placeholderOf } from '../record/file-name.ts'
import { readRegularFile } from './regular-file.ts'
import { isEntryLike, type SourceFile, type SourceProblem, statedSpelling } from './source-file.ts'
import { systemCode, systemProblem } from './system-problem.ts'

/**
 * The files of a record's folder, or of one session's. It is one session's only where no folder in it holds anything
 * like an entry: a stray file beside session folders must not hide them.
 *
 * @throws Problem where the folder itself cannot be listed
 */
export function* folderFiles(path: string): Generator<SourceFile | SourceProblem> {
  const items = listRoot(path)
  const loose = items.filter(one => !one.isDirectory() && isEntryLike(one.name))
  if (loose.some(one => one.isFile()) && !items.some(one => mayHoldEntries(path, one))) {
    yield* sessionFolder(path, basename(realpathSync(path)), items)
    return
  }
  for (const one of loose) yield { path: join(path, one.name), problem: 'lies in no session’s folder' }
  for (const one of items) {
    const folder = join(path, one.name)
    if (one.name.startsWith('.') || loose.includes(one)) continue
    if (one.isSymbolicLink()) yield { path: folder, problem: 'a symbolic link, not followed' }
    else if (one.isDirectory()) yield* listedSession(folder, one.name)
  }
}

function listRoot(path: string): Dirent[] {
  try {
    return list(path)
  } catch (error) {
    throw systemProblem('the folder cannot be listed', error, path, 'check its rights')
  }
}

function list(path: string): Dirent[] {
  return readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** What cannot be looked into may hold entries: taking a record for a session would lose all others. */
function mayHoldEntries(path: string, one: Dirent): boolean {
  if (one.name.startsWith('.') || classifyName(one.name) !== null) return false
  const folder = join(path, one.name)
  if (one.isSymbolicLink()) return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false
  if (!one.isDirectory()) return false
  try {
    return readdirSync(folder).some(isEntryLike)
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    return true
  }
}

function* listedSession(path: string, folder: string): Generator<SourceFile | SourceProblem> {
  let items: Dirent[]
  try {
    items = list(path)
  } catch (error) {
    const code = systemCode(error)
    if (code === undefined) throw error
    yield { path, problem: `the folder cannot be listed (${code})` }
    return
  }
  yield* sessionFolder(path, folder, items)
}

function* sessionFolder(
  path: string,
  folder: string,
  items: Dirent[],
): Generator<SourceFile | SourceProblem> {
  let known: string | null | undefined
  const spelling = () => {
    if (known === undefined) known = spellingIn(path, folder, items)
    return known
  }
  for (const { name } of items) {
    const file = join(path, name)
    if (placeholderOf(name) !== null)
      yield { path: file, problem: 'a placeholder, whose content a sync tool took off this machine' }
    if (classifyName(name) === null) continue
    yield { path: file, folder, name, spelling, read: () => readRegularFile(file) }
  }
  for (const one of items) {
    if (one.isDirectory() && !one.name.startsWith('.') && classifyName(one.name) === null)
      yield* below(join(path, one.name))
  }
}

function spellingIn(path: string, folder: string, items: Dirent[]): string | null {
  for (const one of items) {
    if (!one.isFile() || classifyName(one.name) !== 'entry') continue
    const read = readRegularFile(join(path, one.name))
    const stated = 'bytes' in read ? statedSpelling(read.bytes, folder) : null
    if (stated !== null) return stated
  }
  return null
}

/** A record has one level of folders; entries further down are none of it, and are not passed over in silence. */
function* below(path: string): Generator<SourceProblem> {
  let names: string[] = []
  try {
    names = readdirSync(path)
  } catch (error) {
    if (systemCode(error) === undefined) throw error
  }
  for (const name of names.filter(isEntryLike))
    yield { path: join(path, name), problem: 'lies below a session’s folder, not in it' }
}
