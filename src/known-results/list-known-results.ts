import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readJson } from '../files/read-json.ts'
import { isKnownResultName, type KnownResult, parseKnownResult } from './known-result.ts'

/** One path and a few words more. */
const LARGEST = 65_536

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
  const read = readJson(join(folder, name), { largest: LARGEST })
  return 'value' in read ? parseKnownResult(read.value) : { problem: read.why }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (/^(ENOENT|ENOTDIR)$/.test((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}
