import { randomBytes } from 'node:crypto'
import {
  closeSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { systemCode } from './system-problem.ts'

const TEMPORARY = /^\.import-[0-9a-f]{1,32}$/
/** An import writes a temporary file in one go and removes it; none that still runs leaves one this old. */
const LEFT_OVER_MS = 60_000

/**
 * Writes a new file and never touches one that is there; false where the name is taken. A kill at any moment leaves
 * no part of the file under its name, only a temporary file that the next import removes.
 *
 * On file systems without hard links (FAT, some network shares) there is no such step: there a kill while the last
 * bytes are written leaves a part of the file under its name. Readers report that as an entry that cannot be read,
 * and importing the same source again keeps the whole bytes beside it, as those of a conflict.
 *
 * @throws the system's error
 */
export function writeNewFile(folder: string, name: string, bytes: Buffer): boolean {
  // A dot file is no entry, so a part of a file is never read as one; the link gives it its name in one step and,
  // unlike a rename, fails where the name is taken.
  const temporary = join(folder, `.import-${randomBytes(16).toString('hex')}`)
  createFile(temporary, bytes)
  try {
    linkSync(temporary, join(folder, name))
    return true
  } catch (error) {
    const code = systemCode(error) ?? ''
    if (code === 'EEXIST') return false
    if (!NO_LINKS.has(code)) throw error
    return createUnlessThere(join(folder, name), bytes)
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** File systems without hard links say one of these. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

function createUnlessThere(path: string, bytes: Buffer): boolean {
  try {
    createFile(path, bytes)
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    throw error
  }
}

/** Creates the file in this call or throws; what could not be written whole is removed, since it is ours. */
function createFile(path: string, bytes: Buffer): void {
  // Exclusive, so that no link that somebody has put there is followed.
  const file = openSync(path, 'wx', 0o600)
  try {
    writeFileSync(file, bytes)
  } catch (error) {
    unlinkSync(path)
    throw error
  } finally {
    closeSync(file)
  }
}

/** Removes the temporary files that killed imports have left in a session's folder. */
export function removeLeftOvers(folder: string): void {
  try {
    for (const name of readdirSync(folder)) {
      if (!TEMPORARY.test(name)) continue
      const path = join(folder, name)
      const stats = lstatSync(path)
      if (stats.isFile() && Date.now() - stats.mtimeMs > LEFT_OVER_MS) unlinkSync(path)
    }
  } catch (error) {
    // Another import was first, or it is not ours to remove; readers ignore it either way.
    if (systemCode(error) === undefined) throw error
  }
}
