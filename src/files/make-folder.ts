import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder and those above it, private to the user; does nothing where it exists. Not Node's own recursive
 * mkdir, which never ends where a folder answers ENOENT to every new name in it, as /proc does.
 *
 * @throws the system's error
 */
export function makeFolder(path: string): void {
  if (tryMake(path)) return
  makeFolder(dirname(path))
  if (!tryMake(path))
    throw Object.assign(new Error(`ENOENT: the folder cannot be made: ${path}`), { code: 'ENOENT', path })
}

/** False where the folder above is missing. */
function tryMake(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 })
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' && dirname(path) !== path) return false
    if (code === 'EEXIST' || code === 'EISDIR') return isFolder(path, error)
    throw error
  }
}

function isFolder(path: string, error: unknown): true {
  if (statSync(path).isDirectory()) return true
  throw error
}
