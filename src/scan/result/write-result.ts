import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { type WholeFile, writeWholeFile, writeWholeFiles } from '../../files/whole-file.ts'
import { escapeJson } from '../../hostile-text/escape-json.ts'
import { Problem } from '../../problem/problem.ts'
import type { Manifest, ManifestCounts, ScanOptions } from '../manifest.ts'
import { noneOfEach } from '../message.ts'
import type { Scanned, ScannedMessage } from '../scanned.ts'
import { readDecisions } from './decisions.ts'
import { asOnlyChanger } from './only-changer.ts'
import { readManifest } from './read-result.ts'
import { writeReport } from './report.ts'
import { prepareResultFolder, removeUnfinished, resultFile, unfinishedFolder } from './result-folder.ts'
import { rowLine } from './row-line.ts'
import { type Settled, settleResult } from './settle-result.ts'

/** What a result says of how it was made. */
export interface ResultOrigin {
  options: ScanOptions
  tool: Manifest['tool']
  scannedAt: Date
}

export interface WrittenResult {
  manifest: Manifest
  /** Of the decisions that an earlier result at the same place held. */
  decisions: { kept: number; orphaned: string[]; unneeded: string[] }
}

/**
 * Writes what a scan found into the folder that its caller named, as plain files labelled `incomplete`
 * (rule.callerPlacesResult, rule.completeOrLabelled). Decisions of an earlier result there are kept, and applied where
 * their messages still exist. A message is in memory at a time.
 *
 * @throws Problem `failed` where the folder holds something else; nothing of it is touched
 */
export async function writeResult(
  out: string,
  scanned: Scanned,
  origin: ResultOrigin,
): Promise<WrittenResult> {
  prepareResultFolder(out)
  return asOnlyChanger(out, () => write(out, scanned, origin))
}

function write(out: string, scanned: Scanned, origin: ResultOrigin): WrittenResult {
  removeUnfinished(out)
  const decisions = readDecisions(out)
  const unfinished = unfinishedFolder(out)
  mkdirSync(unfinished, { mode: 0o700 })
  try {
    writeScanned(unfinished, scanned)
    // From here on files of two scans may stand side by side: the label says so before the first one changes, and the
    // folder is known as a result whatever happens to this process.
    writeManifest(out, unsettled(out) ?? manifestOf(origin))
    const settled = settleResult(unfinished, out, decisions)
    renameSync(resultFile(unfinished, 'exclusions'), resultFile(out, 'exclusions'))
    const manifest: Manifest = {
      ...manifestOf(origin),
      sources: scanned.sources,
      counts: countsOf(scanned, settled),
      orphanedDecisions: settled.orphaned,
    }
    writeManifest(out, manifest)
    writeReport(out)
    rmSync(resultFile(out, 'prompt'), { force: true })
    const { orphaned, unneeded } = settled
    return { manifest, decisions: { kept: decisions.all.length, orphaned, unneeded } }
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}

/** The manifest of a result that holds nothing yet. */
function manifestOf({ tool, scannedAt, options }: ResultOrigin): Manifest {
  return {
    format: 1,
    status: 'incomplete',
    tool,
    scannedAt: scannedAt.toISOString(),
    options,
    sources: [],
    counts: {
      ...{ sources: 0, bytes: 0, lines: 0, malformed: 0, messages: noneOfEach() },
      ...{ places: 0, directions: 0, exclusions: 0 },
    },
    check: null,
    comparisons: [],
    orphanedDecisions: [],
  }
}

/** The manifest that is there, without what a check has said of it; null where there is none that can be read. */
function unsettled(out: string): Manifest | null {
  try {
    return { ...readManifest(out), status: 'incomplete' }
  } catch (error) {
    if (error instanceof Problem) return null
    throw error
  }
}

/** Writes the manifest of a result whole. */
export function writeManifest(out: string, manifest: Manifest): void {
  writeWholeFile(resultFile(out, 'manifest'), `${escapeJson(JSON.stringify(manifest, null, 2))}\n`)
}

function writeScanned(folder: string, scanned: Scanned): void {
  const paths = [
    ...[resultFile(folder, 'messages'), resultFile(folder, 'unresolved')],
    ...[resultFile(folder, 'directions'), resultFile(folder, 'exclusions')],
  ] as const
  writeWholeFiles(paths, ([messages, unresolved, directions, exclusions]) => {
    for (const one of scanned.messages()) writeMessage(one, messages, unresolved, directions)
    for (const exclusion of scanned.exclusions) exclusions.write(rowLine(exclusion))
  })
}

function writeMessage(
  { message, trace }: ScannedMessage,
  messages: WholeFile,
  unresolved: WholeFile,
  directions: WholeFile,
): void {
  messages.write(rowLine(message))
  if (message.label === 'unresolved') unresolved.write(rowLine({ ...message, trace, decision: null }))
  if (message.label !== 'person' || trace === null) return
  const { id, session, product, at, cwd, words } = message
  directions.write(rowLine({ id, session, product, at, cwd, words, next: null, ...trace, outcome: null }))
}

function countsOf({ sources, exclusions }: Scanned, settled: Settled): ManifestCounts {
  const sum = (of: (source: Scanned['sources'][number]) => number) =>
    sources.reduce((total, source) => total + of(source), 0)
  return {
    sources: sources.length,
    bytes: sum(({ size }) => size),
    lines: sum(({ counts }) => counts.lines),
    malformed: sum(({ counts }) => counts.malformed),
    messages: settled.messages,
    places: settled.places,
    directions: settled.directions,
    exclusions: exclusions.length,
  }
}
