import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { schemaVersion } from '../../migrations/index.ts'

/** Marks a SQLite file as an index of this program (`coor`). */
export const APPLICATION_ID = 0x636f6f72

const NOT_A_FILE = Buffer.from('not a file')
const MAGIC = 'SQLite format 3\0'
const USER_VERSION_AT = 60
const APPLICATION_ID_AT = 68

/** What lies at an index's path, as its first bytes tell. */
export type IndexFileState =
  | 'missing'
  /** An index of this schema version. */
  | 'current'
  | 'older'
  | 'newer'
  /** A SQLite file of some other program, or no file but a folder or the like. */
  | 'foreign'
  /** No SQLite file at all. */
  | 'rubbish'

/** Looks at an index file without opening it as a database, which could already change it. */
export function indexFileState(path: string): { state: IndexFileState; version: number } {
  const header = readHeader(path)
  if (header === NOT_A_FILE) return { state: 'foreign', version: 0 }
  if (header === null || header.length === 0) return { state: 'missing', version: 0 }
  if (header.length < 100 || header.toString('latin1', 0, MAGIC.length) !== MAGIC)
    return { state: 'rubbish', version: 0 }
  if (header.readUInt32BE(APPLICATION_ID_AT) !== APPLICATION_ID) return { state: 'foreign', version: 0 }
  const version = header.readUInt32BE(USER_VERSION_AT)
  if (version === schemaVersion) return { state: 'current', version }
  return { state: version > schemaVersion ? 'newer' : 'older', version }
}

function readHeader(path: string): Buffer | null {
  let file: number
  try {
    // A folder cannot be read, and a pipe would be waited for.
    if (!statSync(path).isFile()) return NOT_A_FILE
    file = openSync(path, 'r')
  } catch (error) {
    if (/^(ENOENT|ENOTDIR)$/.test((error as NodeJS.ErrnoException).code ?? '')) return null
    throw error
  }
  try {
    const header = Buffer.alloc(Math.min(100, fstatSync(file).size))
    return header.subarray(0, readSync(file, header, 0, header.length, 0))
  } finally {
    closeSync(file)
  }
}
