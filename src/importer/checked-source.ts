import { realpathSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { Problem } from '../problem/problem.ts'
import { folderFiles } from './folder-files.ts'
import type { SourceFile, SourceProblem } from './source-file.ts'
import { systemCode, systemProblem } from './system-problem.ts'
import { tarFiles } from './tar-files.ts'

/** A source that was looked at and holds a record. */
export interface Source {
  /** Every file that is an entry's, is named like one, or holds the other bytes of a conflict. */
  files(): Generator<SourceFile | SourceProblem>
}

/**
 * Looks at a source before anything is copied from any.
 *
 * @throws Problem `not-found` where there is nothing at the path; `record` where it holds no record, is not whole, or
 *   lies in the record or around it; `environment` where it may not be read
 */
export function checkedSource(source: string, recordDir: string): Source {
  const path = resolve(source)
  const stats = look(source, path)
  checkApart(path, recordDir)
  const files = stats.isDirectory() ? () => folderFiles(path) : tarFiles(path)
  for (const _ of files()) return { files }
  throw new Problem('record', `${source} holds no record`, {
    path,
    hint: 'a record is a folder of session folders, each with files named <UTC time without colons>-<sequence>.json',
  })
}

function look(source: string, path: string): Stats {
  try {
    const stats = statSync(path)
    if (stats.isDirectory() || stats.isFile()) return stats
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new Problem('not-found', `there is nothing at ${source}`, {
        path,
        hint: 'name a record folder, or a tar of one',
      })
    }
    throw systemProblem(`${source} cannot be looked at`, error, path, 'check its rights')
  }
  throw new Problem('record', `${source} is neither a folder nor a file`, {
    path,
    hint: 'name a record folder, or a tar of one',
  })
}

function checkApart(path: string, recordDir: string): void {
  const source = realPath(path)
  const record = realPath(resolve(recordDir))
  if (isWithin(source, record)) {
    throw new Problem('record', `${path} is the record itself or lies in it`, {
      path,
      hint: 'name the folder to copy from',
    })
  }
  if (isWithin(record, source)) {
    throw new Problem('record', `the record lies in ${path}, which is to be copied into it`, {
      path,
      hint: 'name the folder to copy from, or another record with --record-dir',
    })
  }
}

function isWithin(path: string, folder: string): boolean {
  const between = relative(folder, path)
  return between !== '..' && !between.startsWith(`..${sep}`) && !isAbsolute(between)
}

/** The path without links, also where its end is not there yet. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' || dirname(path) === path) return path
    return join(realPath(dirname(path)), basename(path))
  }
}
