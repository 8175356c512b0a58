import { hash } from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { extractSource } from './extract/extract-source.ts'
import type { Manifest, ManifestSource, SourceCounts } from './manifest.ts'
import { loadExtracts } from './merge/load-extracts.ts'
import type { Place } from './message.ts'
import { findSources } from './transcripts/find-sources.ts'

/** What a second extraction of a source finds, with nothing taken from an earlier one. */
export interface ExtractedAgain {
  size: number
  sha256: string
  counts: Omit<SourceCounts, 'places'>
  /** Every place where words stand, and the hash of the words. */
  places: { place: Place; sha256: string }[]
}

/**
 * Extracts a source anew, for the final check (rule.completeOrLabelled).
 *
 * @throws the system's error where it cannot be read
 */
export function extractAgain({ file, kind }: ManifestSource): ExtractedAgain {
  const cacheDir = mkdtempSync(join(tmpdir(), 'coord-check-'))
  try {
    const extract = extractSource({ file, kind }, { cacheDir, revision: 'check' })
    const { items } = loadExtracts([extract], words => hash('sha256', words))
    const { size, sha256, lines, malformed, unfinishedBytes, toolResults } = extract.whole
    return {
      ...{ size, sha256, counts: { lines, malformed, unfinishedBytes, toolResults } },
      places: items.flatMap(item =>
        [item.place, ...item.also].map(place => ({ place, sha256: item.sha256 })),
      ),
    }
  } finally {
    rmSync(cacheDir, { recursive: true, force: true })
  }
}

/** Files below the scanned roots that the result does not name, neither as a source nor as an exclusion. */
export function unaccountedFiles(
  { options, sources }: Manifest,
  excluded: ReadonlySet<string>,
): {
  file: string
  /** When it came there or was last changed, in milliseconds since 1970. */
  changedAt: number
}[] {
  const named = new Set(sources.map(({ file }) => file))
  const found = findSources([...options.claude, ...options.codex])
  return [...found.files, ...found.exclusions.filter(({ line }) => line === null)]
    .filter(({ file }) => !named.has(file) && !excluded.has(file))
    .map(({ file }) => ({ file, changedAt: statSync(file, { throwIfNoEntry: false })?.ctimeMs ?? 0 }))
}
