import { statSync } from 'node:fs'
import { type Manifest, rootsOf } from '../manifest.ts'
import type { TranscriptFormat } from '../transcript-format.ts'
import { findSources } from '../transcripts/find-sources.ts'

/**
 * Files below the scanned roots that the result does not name, neither as a source nor as an exclusion.
 *
 * @throws Problem `not-found` where a root is gone
 */
export function unaccountedFiles(
  { options, sources }: Manifest,
  excluded: ReadonlySet<string>,
  formats: readonly TranscriptFormat[],
): {
  file: string
  /** When it came there or was last changed, in milliseconds since 1970. */
  changedAt: number
}[] {
  const named = new Set(sources.map(({ file }) => file))
  const found = findSources(rootsOf(options), formats)
  return [...found.files, ...found.exclusions.filter(({ line }) => line === null)]
    .filter(({ file }) => !named.has(file) && !excluded.has(file))
    .map(({ file }) => ({ file, changedAt: statSync(file, { throwIfNoEntry: false })?.ctimeMs ?? 0 }))
}
