import { closeSync } from 'node:fs'
import { Problem } from '../../problem/problem.ts'
import { FORMATS } from '../formats.ts'
import type { Manifest } from '../manifest.ts'
import { asOnlyChanger } from '../result/only-changer.ts'
import { readExclusions, readManifest } from '../result/read-result.ts'
import { openResultFile, readRowAt } from '../result/read-rows.ts'
import { writeReport } from '../result/report.ts'
import { resultFile, resultIdentity } from '../result/result-folder.ts'
import { messageRow } from '../result/rows.ts'
import { writeManifest } from '../result/write-result.ts'
import type { TranscriptFormat } from '../transcript-format.ts'
import { isFailure } from '../transcripts/find-sources.ts'
import { checkSource } from './check-source.ts'
import { checkRows } from './checked-rows.ts'
import { unaccountedFiles } from './unaccounted-files.ts'

export interface CheckOptions {
  formats?: readonly TranscriptFormat[]
  /** Before every source. */
  progress?(sources: number): void
}

export interface CheckAnswer {
  passed: boolean
  problems: string[]
  /** What a person should know and what is no fault of the result, such as a transcript that has grown since. */
  notes: string[]
}

/** So many stand in the manifest; a result with more is not mended one by one. */
const MOST_KEPT = 1_000

/**
 * The final check of a result (rule.completeOrLabelled): reads every source again and finds every text in it, sees that
 * counts add up, that nothing is unresolved and every direction has a verdict. Only where all of it holds the result is
 * labelled `complete`; else it stays `incomplete`, and says why.
 *
 * @throws Problem `not-found` where there is no result
 */
export async function checkResult(out: string, now: Date, options: CheckOptions = {}): Promise<CheckAnswer> {
  const identity = resultIdentity(out)
  const manifest = readManifest(out)
  const { problems, notes, isDamaged } = examine(out, manifest, options)
  return asOnlyChanger(out, () => {
    if (resultIdentity(out) !== identity)
      problems.push('the result was changed while it was checked: check it again')
    const passed = problems.length === 0
    const check = {
      at: now.toISOString(),
      passed,
      problems: problems.slice(0, MOST_KEPT),
      notes: notes.slice(0, MOST_KEPT),
    }
    writeManifest(out, { ...readManifest(out), status: passed ? 'complete' : 'incomplete', check })
    if (!isDamaged) writeReport(out)
    return { passed, problems, notes }
  })
}

interface Examined {
  problems: string[]
  notes: string[]
  /** Rows that cannot be read: nothing more could be looked at. */
  isDamaged: boolean
}

function examine(out: string, manifest: Manifest, options: CheckOptions): Examined {
  try {
    return { ...examineRows(out, manifest, options), isDamaged: false }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { problems: [error.message], notes: [], isDamaged: true }
  }
}

function examineRows(
  out: string,
  manifest: Manifest,
  { formats = FORMATS, progress }: CheckOptions,
): Omit<CheckAnswer, 'passed'> {
  const { places, ids, problems } = checkRows(out, manifest)
  const notes = manifest.orphanedDecisions.map(
    id => `a decision is kept about ${id}, which this scan does not hold`,
  )
  if (manifest.sources.length === 0) notes.push('the scan read no source')
  const exclusions = [...readExclusions(out)].map(({ row }) => row).filter(({ line }) => line === null)
  for (const exclusion of exclusions)
    if (isFailure(exclusion)) notes.push(`${exclusion.file} is excluded: ${exclusion.reason}`)
  const reasons = new Map<string, string[]>()
  for (const { file, reason } of exclusions) reasons.set(file, [...(reasons.get(file) ?? []), reason])
  const path = resultFile(out, 'messages')
  const messages = openResultFile(path)
  try {
    const wordsAt = (at: { offset: number; length: number }) =>
      readRowAt(messages, path, at, messageRow).words
    for (const [index, source] of manifest.sources.entries()) {
      progress?.(index)
      const why = reasons.get(source.file) ?? []
      const said = {
        places: places.get(source.file) ?? [],
        isDamaged: why.some(reason => reason.startsWith('damaged')),
        isCut: why.some(reason => reason.endsWith('outside the period')),
      }
      const found = checkSource(source, said, { wordsAt, ids, formats })
      problems.push(...found.problems)
      notes.push(...found.notes)
    }
  } finally {
    closeSync(messages)
  }
  const unaccounted = lookForOthers(manifest, new Set(reasons.keys()), formats)
  return {
    problems: [...problems, ...ids.problems(), ...unaccounted.problems],
    notes: [...notes, ...unaccounted.notes],
  }
}

/** Files where the scan looked, and that it does not account for. */
function lookForOthers(
  manifest: Manifest,
  excluded: ReadonlySet<string>,
  formats: readonly TranscriptFormat[],
): Omit<CheckAnswer, 'passed'> {
  const problems: string[] = []
  const notes: string[] = []
  try {
    for (const { file, changedAt } of unaccountedFiles(manifest, excluded, formats)) {
      if (changedAt > Date.parse(manifest.scannedAt)) notes.push(`${file} is newer than the scan`)
      else problems.push(`${file} lies where the scan looked and is not accounted for`)
    }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    problems.push(error.message)
  }
  return { problems, notes }
}
