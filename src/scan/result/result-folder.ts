import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../make-folder.ts'
import { Problem } from '../../problem.ts'
import { isTemporaryName, removeLeftOvers } from '../../whole-file.ts'
import { LOCK_NAME } from './result-lock.ts'

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

export type ResultFile = keyof typeof RESULT_FILES

/** The path of one of a result's files. */
export function resultFile(out: string, file: ResultFile): string {
  return join(out, RESULT_FILES[file])
}

/** A scan that is being written keeps its rows in a folder of this name until they are whole. */
const UNFINISHED = /^\.scan-[0-9a-f]{16}$/

/**
 * Makes the folder that the caller named for a result ready (rule.callerPlacesResult): a new or empty folder, an
 * earlier result, or what a killed scan left of one.
 *
 * @throws Problem `failed` where something else lies there; nothing of it is touched
 */
export function prepareResultFolder(out: string): void {
  if (statSync(out, { throwIfNoEntry: false })?.isFile()) {
    throw new Problem('failed', `${out} is a file, and a result is a folder`, {
      path: out,
      hint: 'name a new folder, an empty one or an earlier result',
    })
  }
  makeFolder(out)
  const foreign = readdirSync(out).find(name => !isOurs(name))
  if (foreign !== undefined) {
    throw new Problem('failed', `${out} is no result of a scan: it holds ${foreign}`, {
      path: join(out, foreign),
      hint: 'name a new folder, an empty one or an earlier result',
    })
  }
  removeLeftOvers(out)
}

function isOurs(name: string): boolean {
  return (
    name === LOCK_NAME ||
    (Object.values(RESULT_FILES) as string[]).includes(name) ||
    isTemporaryName(name) ||
    UNFINISHED.test(name)
  )
}

/** The files that an index takes rows from. */
const INDEXED: readonly ResultFile[] = ['manifest', 'messages', 'directions']

/**
 * What tells whether a result's files changed: inode, size and time of change of those that an index reads. Opens no
 * file. Null where there is no result at the path.
 */
export function resultIdentity(out: string): string | null {
  const stats = INDEXED.map(file => statSync(resultFile(out, file), { throwIfNoEntry: false, bigint: true }))
  if (stats[0] === undefined) return null
  return stats.map(one => (one ? `${one.ino}:${one.size}:${one.ctimeNs}` : '-')).join(',')
}
