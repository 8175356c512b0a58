import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
} from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { Problem } from '../problem.ts'
import { classifyName } from '../record/file-name.ts'
import { tarFiles } from './tar-files.ts'

/** One file of a source, with the session folder it lies in. `path` is for a person. */
export interface SourceFile {
  path: string
  folder: string
  name: string
  bytes: Buffer
}

/** What a source holds that cannot be copied. */
export interface SourceProblem {
  path: string
  problem: string
}

/** No entry comes near it; a larger file is not copied through memory. */
export const LARGEST_SOURCE = 64 * 1024 * 1024

/**
 * Hands over every file of a source that is an entry's, is named like one, or holds the other bytes of a conflict.
 *
 * @throws Problem `not-found` where there is nothing at the path, `record` where it holds no record or is the record itself
 */
export async function sourceFiles(
  source: string,
  recordDir: string,
  take: (file: SourceFile | SourceProblem) => void,
): Promise<void> {
  const path = resolve(source)
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats)
    throw new Problem('not-found', `there is nothing at ${source}`, {
      path,
      hint: 'name a record folder, or a tar of one',
    })
  checkOutside(path, recordDir)
  let found = 0
  const count = (file: SourceFile | SourceProblem) => {
    found += 1
    take(file)
  }
  if (lstatSync(realpathSync(path)).isDirectory()) filesOfFolder(path, count)
  else await tarFiles(path, count)
  if (found === 0) {
    throw new Problem('record', `${source} holds no record`, {
      path,
      hint: 'a record is a folder of session folders, each with files named <UTC time without colons>-<sequence>.json',
    })
  }
}

function filesOfFolder(path: string, take: (file: SourceFile | SourceProblem) => void): void {
  const items = readdirSync(path, { withFileTypes: true })
  // One session's folder by itself.
  if (items.some(one => one.isFile() && classifyName(one.name) === 'entry'))
    return sessionFolder(path, basename(path), items, take)
  for (const one of items) {
    if (one.name.startsWith('.')) continue
    const folder = join(path, one.name)
    if (one.isSymbolicLink()) take({ path: folder, problem: 'a symbolic link, not followed' })
    else if (one.isDirectory()) sessionFolder(folder, one.name, listed(folder, take), take)
  }
}

function listed(folder: string, take: (problem: SourceProblem) => void): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    take({ path: folder, problem: `the folder cannot be listed (${(error as NodeJS.ErrnoException).code})` })
    return []
  }
}

function sessionFolder(
  path: string,
  folder: string,
  items: Dirent[],
  take: (file: SourceFile | SourceProblem) => void,
): void {
  for (const one of items) {
    if (classifyName(one.name) === null) continue
    const file = join(path, one.name)
    const read = readSource(file)
    take(
      'problem' in read
        ? { path: file, problem: read.problem }
        : { path: file, folder, name: one.name, bytes: read.bytes },
    )
  }
}

function readSource(path: string): { bytes: Buffer } | { problem: string } {
  let file: number
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return { problem: code === 'ELOOP' ? 'a symbolic link, not followed' : `cannot be opened (${code})` }
  }
  try {
    const stats = fstatSync(file)
    if (!stats.isFile()) return { problem: 'not a file, never read' }
    if (stats.size > LARGEST_SOURCE) return { problem: `too large: ${stats.size} bytes` }
    return { bytes: readFileSync(file) }
  } finally {
    closeSync(file)
  }
}

function checkOutside(path: string, recordDir: string): void {
  const real = (one: string) => (lstatSync(one, { throwIfNoEntry: false }) ? realpathSync(one) : one)
  const between = relative(real(recordDir), real(path))
  if (between === '' || (!between.startsWith('..') && resolve(between) !== between)) {
    throw new Problem('record', `${path} is the record itself or lies in it`, {
      path,
      hint: 'name the folder to copy from',
    })
  }
}
