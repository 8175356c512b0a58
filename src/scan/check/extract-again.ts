import { hash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { extractSource } from '../extract/extract-source.ts'
import type { ManifestSource, SourceCounts } from '../manifest.ts'
import { loadExtracts } from '../merge/load-extracts.ts'
import type { Place } from '../message.ts'
import type { TranscriptFormat } from '../transcript-format.ts'

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
export function extractAgain(
  { file, kind }: ManifestSource,
  formats: readonly TranscriptFormat[],
): ExtractedAgain {
  const cacheDir = mkdtempSync(join(tmpdir(), 'coord-check-'))
  try {
    const extract = extractSource({ file, kind }, { cacheDir, revision: 'check', formats })
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
