import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isKnownResultName, type KnownResult, parseKnownResult } from './known-result.ts'

/** A file that makes a result known, not opened yet. */
export interface KnownResultFile {
  name: string
  /** Inode, size and time of change: another file has another. */
  stat: string
}

/** The files of the known results in the order of their names; none where the folder is missing. Opens no file. */
export function listKnownResults(folder: string): KnownResultFile[] {
  return namesIn(folder)
    .filter(isKnownResultName)
    .sort()
    .flatMap(name => {
      const stats = statSync(join(folder, name), { throwIfNoEntry: false, bigint: true })
      return stats?.isFile() ? [{ name, stat: `${stats.ino}:${stats.size}:${stats.ctimeNs}` }] : []
    })
}

/** Reads the file of a known result; says what is wrong where it holds none. */
export function readKnownResult(folder: string, name: string): KnownResult | { problem: string } {
  try {
    return parseKnownResult(readFileSync(join(folder, name), 'utf8'))
  } catch (error) {
    return { problem: `cannot be read: ${(error as Error).message}` }
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (/^(ENOENT|ENOTDIR)$/.test((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}
