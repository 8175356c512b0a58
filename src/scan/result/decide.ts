import type { Manifest } from '../manifest.ts'
import type { Label, OutcomeName } from '../message.ts'
import { appendDecisions, readDecisions } from './decisions.ts'
import { findByPrefix } from './find-ids.ts'
import { asOnlyChanger } from './only-changer.ts'
import { readDirections, readManifest, readUnresolved } from './read-result.ts'
import { writeReport } from './report.ts'
import type { Decision } from './rows.ts'
import { settleOutcomes, settleResult } from './settle-result.ts'
import { writeManifest } from './write-result.ts'

/** What was decided, by full id. */
export interface Decided {
  ids: string[]
  manifest: Manifest
}

/**
 * Records whose words unresolved messages are, as somebody decided who read them. Only what the scan left unresolved
 * can be decided; a later decision about the same message replaces an earlier one, and both are kept.
 *
 * @param prefixes ids of unresolved messages, or beginnings that name one each
 * @throws Problem `not-found`
 */
export async function resolveMessages(
  out: string,
  prefixes: readonly string[],
  decision: { label: Exclude<Label, 'unresolved'>; reason: string; by: string | null; now: Date },
): Promise<Decided> {
  readManifest(out)
  const ids = findByPrefix(
    prefixes,
    readUnresolved(out),
    'unresolved message',
    `unresolved.ndjson of the result lists them; what the scan attributed itself is not decided anew`,
  )
  const { label, reason, by, now } = decision
  const decidedAt = now.toISOString()
  const made = ids.map(id => ({ decision: 'resolve' as const, id, label, reason, by, decidedAt }))
  return asOnlyChanger(out, () => decide(out, made))
}

/**
 * Records what became of directions (rule.everyDirectionTraced): done, superseded, declined, or open where somebody who
 * looked says so.
 *
 * @param prefixes ids of directions, or beginnings that name one each
 * @throws Problem `not-found`
 */
export async function traceDirections(
  out: string,
  prefixes: readonly string[],
  verdict: { outcome: OutcomeName; evidence: string; by: string | null; now: Date },
): Promise<Decided> {
  readManifest(out)
  const ids = findByPrefix(
    prefixes,
    readDirections(out),
    'direction',
    'directions.ndjson of the result lists them',
  )
  const { outcome, evidence, by, now } = verdict
  const decidedAt = now.toISOString()
  const made = ids.map(id => ({ decision: 'trace' as const, id, outcome, evidence, by, decidedAt }))
  return asOnlyChanger(out, () => decide(out, made))
}

function decide(out: string, decisions: Decision[]): Decided {
  const before = readManifest(out)
  if (before.status !== 'incomplete') writeManifest(out, { ...before, status: 'incomplete' })
  appendDecisions(out, decisions)
  const all = readDecisions(out)
  const isTraceOnly = decisions.every(({ decision }) => decision === 'trace')
  if (isTraceOnly) settleOutcomes(out, all)
  const counts = isTraceOnly ? before.counts : { ...before.counts, ...countsOf(settleResult(out, out, all)) }
  const manifest: Manifest = { ...before, status: 'incomplete', counts }
  writeManifest(out, manifest)
  writeReport(out)
  return { ids: decisions.map(({ id }) => id), manifest }
}

function countsOf({ messages, places, directions }: ReturnType<typeof settleResult>) {
  return { messages, places, directions }
}
