import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../files/make-folder.ts'
import { readJson } from '../../files/read-json.ts'
import { isTemporaryName, removeLeftOvers } from '../../files/whole-file.ts'
import { Problem } from '../../problem/problem.ts'
import { LOCK_NAME } from './only-changer.ts'

/** The files of a result folder. All of them are plain text; docs/scan.md gives their rows. */
export const RESULT_FILES = {
  manifest: 'manifest.json',
  messages: 'messages.ndjson',
  directions: 'directions.ndjson',
  unresolved: 'unresolved.ndjson',
  exclusions: 'exclusions.ndjson',
  decisions: 'decisions.ndjson',
  report: 'report.md',
  prompt: 'prompt.md',
} as const

/** A manifest or a list of decisions over this is none that a scan or a person made: it is not taken into memory. */
export const LARGEST_FILE = 256 << 20

export type ResultFile = keyof typeof RESULT_FILES

/** The path of one of a result's files. */
export function resultFile(out: string, file: ResultFile): string {
  return join(out, RESULT_FILES[file])
}

/** A scan that is being written keeps its rows in a folder of this name until they are whole. */
const UNFINISHED = /^\.scan-[0-9a-f]{16}$/

/** A new name for such a folder. */
export function unfinishedFolder(out: string): string {
  return join(out, `.scan-${randomBytes(8).toString('hex')}`)
}

/**
 * Makes the folder that the caller named for a result ready (rule.callerPlacesResult): a new or empty folder, an
 * earlier result, or what a killed scan left of one.
 *
 * @throws Problem `failed` where something else lies there; nothing of it is touched
 */
export function prepareResultFolder(out: string): void {
  makeResultFolder(out)
  const entries = readdirSync(out, { withFileTypes: true })
  const isResult = checkManifest(out, new Set(entries.map(({ name }) => name)))
  const foreign = entries.find(({ name }) => !isPassing(name) && !(isResult && isOurs(name)))
  if (foreign !== undefined) {
    throw new Problem('failed', `${out} is no result of a scan: it holds ${foreign.name}`, {
      path: join(out, foreign.name),
      hint: OTHER_FOLDER,
    })
  }
  const other = entries.find(entry => isOurs(entry.name) && !entry.isFile())
  if (other !== undefined) {
    throw new Problem('failed', `${join(out, other.name)} is no file: it is left alone`, {
      path: join(out, other.name),
      hint: 'move it away, or name a new folder',
    })
  }
}

function makeResultFolder(out: string): void {
  try {
    makeFolder(out)
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === undefined || !NO_FOLDER.has(code)) throw cause
    const what = existsSync(out) ? 'is a file, and a result is a folder' : `cannot be made: ${message}`
    throw new Problem('failed', `${out} ${what}`, { path: out, hint: OTHER_FOLDER, cause })
  }
}

/** Something else stands there or above it: a file, a device, a link to nowhere. */
const NO_FOLDER: ReadonlySet<string> = new Set([
  'EEXIST',
  'ENOTDIR',
  'ENOENT',
  'ELOOP',
  'ENAMETOOLONG',
  'EINVAL',
])

/** Removes what killed scans have left. The caller is the only one that changes the result. */
export function removeUnfinished(out: string): void {
  removeLeftOvers(out)
  for (const name of readdirSync(out))
    if (UNFINISHED.test(name)) rmSync(join(out, name), { recursive: true, force: true })
}

const OTHER_FOLDER = 'name a new folder, an empty one or an earlier result'

/** The format of results that this version writes. */
export const FORMAT = 1

/** The format that a manifest of coord states; null where it is none, or states none. */
export function formatOf(manifest: unknown): number | null {
  const { format, tool } = (manifest ?? {}) as { format?: unknown; tool?: { name?: unknown } }
  return tool?.name === 'coord' && typeof format === 'number' ? format : null
}

/** The files that no result is without; a folder of them is one, whatever has become of its manifest. */
const ROWS: readonly ResultFile[] = ['messages', 'directions', 'unresolved', 'exclusions']

/** Whether there is a result; a manifest of another program, or of a later version, is left alone. */
function checkManifest(out: string, names: ReadonlySet<string>): boolean {
  const path = resultFile(out, 'manifest')
  const manifest = jsonAt(path)
  const format = formatOf(manifest)
  if (format === FORMAT) return true
  const hasRows = ROWS.every(file => names.has(RESULT_FILES[file]))
  if (manifest === undefined || (manifest === null && hasRows)) return hasRows
  const what =
    format === null ? 'no result of a scan of coord' : `a result of another version (format ${format})`
  throw new Problem('failed', `${path} is ${what}; it is left alone`, { path, hint: OTHER_FOLDER })
}

/** Undefined where there is no such file, null where it is no JSON. */
function jsonAt(path: string): unknown {
  const read = readJson(path, { largest: LARGEST_FILE })
  if ('value' in read) return read.value
  return read.unread === 'missing' ? undefined : null
}

function isPassing(name: string): boolean {
  return name === LOCK_NAME || isTemporaryName(name) || UNFINISHED.test(name)
}

function isOurs(name: string): boolean {
  return (Object.values(RESULT_FILES) as string[]).includes(name)
}

/** The files that an index takes rows from. */
const INDEXED: readonly ResultFile[] = ['manifest', 'messages', 'directions']

/**
 * What tells whether a result's files changed: inode, size and time of change of those that an index reads. Opens no
 * file. Null where there is no result at the path.
 */
export function resultIdentity(out: string): string | null {
  // What lies below a file is not there either, and asking for it is an error.
  if (!statSync(out, { throwIfNoEntry: false })?.isDirectory()) return null
  const stats = INDEXED.map(file => statSync(resultFile(out, file), { throwIfNoEntry: false, bigint: true }))
  if (stats[0] === undefined) return null
  return stats.map(one => (one ? `${one.ino}:${one.size}:${one.ctimeNs}` : '-')).join(',')
}
