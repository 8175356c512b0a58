import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Problem } from '../problem/problem.ts'
import { indexFileState } from '../sqlite/index-file.ts'
import { makeReplaceable, renameIndex } from '../sqlite/journal.ts'

// What is done to whole index files. All of it under the indexer's lock (only-indexer.ts).

/**
 * Refuses a file that is not this program's to replace: another program's database, something that never was an
 * index, or an index of a newer version.
 *
 * @param isOurs whether the path is known as an index's by other evidence than its content
 */
export function checkReplaceable(path: string, isOurs: boolean): void {
  const { state, version } = indexFileState(path)
  if (state === 'newer') {
    throw new Problem('index', `${path} is an index of a newer version (${version}); it is left alone`, {
      path,
      hint: 'update coord, or name another file with --index',
    })
  }
  if (state === 'foreign' || (state === 'rubbish' && !isOurs)) {
    throw new Problem('index', `${path} is not an index of coord; it is left alone`, {
      path,
      hint: 'name another file with --index or COORD_INDEX',
    })
  }
}

/** Renames a damaged index and its journal, so that nothing of it is lost; returns the new name. */
export function setAside(path: string): string {
  const aside = `${path}.damaged-${new Date().toISOString().replaceAll(':', '')}`
  renameIndex(path, aside)
  return aside
}

/** The name under which a new index is built before it takes its place. */
export function buildPath(path: string): string {
  return `${path}.building-${process.pid}`
}

/** Removes what killed builds have left. The lock is held, so nobody is building. */
export function removeLeftBuilds(path: string): void {
  const prefix = `${basename(path)}.building-`
  for (const name of readdirSync(dirname(path))) {
    if (name.startsWith(prefix)) rmSync(join(dirname(path), name), { force: true })
  }
}

/** Puts a finished build in the index's place: whole and on disk, in one step. */
export function putInPlace(built: string, path: string): void {
  syncFile(built)
  makeReplaceable(path)
  renameSync(built, path)
  syncFile(dirname(path))
}

function syncFile(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
