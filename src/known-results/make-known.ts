import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../files/make-folder.ts'
import { writeWholeFile } from '../files/whole-file.ts'
import { type KnownResult, knownResultName, type ResultKind } from './known-result.ts'

/**
 * Makes a result known to every index of this record, once: a result that is known already stays as it is. The index
 * takes it in at its next refresh.
 *
 * @param folder of the record's known results (`Place.knownDir`)
 * @param path absolute path of the result
 * @throws the system's error
 */
export function makeResultKnown(folder: string, kind: ResultKind, path: string, now: Date): void {
  const file = join(folder, knownResultName(kind, path))
  if (existsSync(file)) return
  makeFolder(folder)
  const known: KnownResult = { kind, path, since: now.toISOString() }
  writeWholeFile(file, `${JSON.stringify(known, null, 2)}\n`)
}
