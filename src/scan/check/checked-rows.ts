import { hash } from 'node:crypto'
import type { Manifest } from '../manifest.ts'
import { type Direction, type Label, type Message, noneOfEach, scannedLabel } from '../message.ts'
import { type Decisions, readDecisions } from '../result/decisions.ts'
import { readDirections, readExclusions, readMessages, readUnresolved } from '../result/read-result.ts'
import { RESULT_FILES } from '../result/result-folder.ts'
import type { UnresolvedRow } from '../result/rows.ts'
import { differentLabels, wrongSums } from './manifest-sums.ts'
import { type NamedIds, namedIds } from './message-ids.ts'
import { isSame, reasonOf, saidOfDirection, saidOfOpen, verdictOf } from './same-said.ts'

/** Where a message's words are said to stand, and where its row lies in `messages.ndjson`. */
export interface SaidPlace {
  id: string
  line: number
  offset: number
  sha256: string
  /** The message's own place; at the others the same message may have another form. */
  isFirst: boolean
  at: { offset: number; length: number }
}

/** What the rows of a result say, as far as the sources are needed to check it. */
export interface CheckedRows {
  /** By the source's file. */
  places: Map<string, SaidPlace[]>
  ids: NamedIds
  problems: string[]
}

/**
 * Checks the rows of a result against each other, its manifest and its decisions: words against their hashes, counts,
 * nothing unresolved without a decision, every direction with a verdict (rule.completeOrLabelled,
 * rule.everyDirectionTraced).
 */
export function checkRows(out: string, manifest: Manifest): CheckedRows {
  const problems: string[] = []
  const ids = namedIds()
  const places = new Map<string, SaidPlace[]>(manifest.sources.map(({ file }) => [file, []]))
  const bySource = new Map(manifest.sources.map(({ file }) => [file, noneOfEach()]))
  const messages = noneOfEach()
  const seen = new Set<string>()
  const persons = new Map<string, string>()
  const open = new Map<string, { label: Label; said: string }>()
  const decisions = readDecisions(out)
  let placeCount = 0
  for (const { row, offset, length } of readMessages(out)) {
    problems.push(...checkMessage(row, seen, decisions))
    seen.add(row.id)
    ids.add(row)
    messages[row.label] += 1
    if (row.label === 'person') persons.set(row.id, saidOfDirection(row))
    const label = scannedLabel(row)
    if (label === 'unresolved') open.set(row.id, { label: row.label, said: saidOfOpen(row) })
    for (const place of [row.source, ...row.alsoAt]) {
      placeCount += 1
      const said = places.get(place.file)
      if (!said) problems.push(`${row.id}: ${place.file} is no source of this scan`)
      said?.push({
        id: row.id,
        line: place.line,
        offset: place.offset,
        sha256: row.sha256,
        isFirst: place === row.source,
        at: { offset, length },
      })
      const labels = bySource.get(place.file)
      if (labels) labels[label] += 1
    }
  }
  const directions = checkDirections(readDirections(out), persons, decisions, problems)
  checkUnresolved(readUnresolved(out), open, problems)
  const exclusions = [...readExclusions(out)].length
  problems.push(
    ...wrongSums(manifest, { messages, places: placeCount, directions, exclusions }),
    ...manifest.sources.flatMap(({ file, counts }) =>
      differentLabels(`${file}: places`, counts.places, bySource.get(file) as Record<Label, number>),
    ),
  )
  return { places, ids, problems }
}

function checkMessage(row: Message, seen: ReadonlySet<string>, decisions: Decisions): string[] {
  const problems: string[] = []
  if (seen.has(row.id)) problems.push(`${row.id} stands twice in messages.ndjson`)
  if (hash('sha256', row.words) !== row.sha256)
    problems.push(`${row.id}: its words do not have the hash beside them`)
  const decided = decisions.resolved.get(row.id)
  if (row.label === 'unresolved' && !decided)
    problems.push(
      `${row.id} is unresolved (${row.source.file} line ${row.source.line}): coord scan resolve settles it`,
    )
  if (scannedLabel(row) !== 'unresolved') return problems
  if (decided && decided.label !== row.label)
    problems.push(`${row.id} was decided as ${decided.label} and stands as ${row.label}: resolve it again`)
  else if (!isSame(row.evidence.decision, decided && reasonOf(decided)))
    problems.push(
      `${row.id} stands as ${row.label} by a decision that ${RESULT_FILES.decisions} does not hold so`,
    )
  return problems
}

/** Returns how many there are. */
function checkDirections(
  rows: Iterable<{ row: Direction }>,
  persons: Map<string, string>,
  decisions: Decisions,
  problems: string[],
): number {
  let count = 0
  for (const { row } of rows) {
    count += 1
    const said = persons.get(row.id)
    persons.delete(row.id)
    if (said === undefined) problems.push(`direction ${row.id} is no message of the person, or stands twice`)
    else if (saidOfDirection({ ...row, sha256: hash('sha256', row.words) }) !== said)
      problems.push(`direction ${row.id} has other words, another time or another session than its message`)
    const traced = decisions.traced.get(row.id)
    if (!row.outcome) problems.push(`direction ${row.id} has no verdict: coord scan trace records one`)
    if (traced && traced.outcome !== row.outcome?.name)
      problems.push(`direction ${row.id} was traced as ${traced.outcome} and does not say so: trace it again`)
    else if (row.outcome && !isSame(row.outcome, traced && verdictOf(traced)))
      problems.push(`direction ${row.id} has a verdict that ${RESULT_FILES.decisions} does not hold so`)
  }
  for (const id of persons.keys()) problems.push(`${id} is the person's and no direction`)
  return count
}

function checkUnresolved(
  rows: Iterable<{ row: UnresolvedRow }>,
  open: Map<string, { label: Label; said: string }>,
  problems: string[],
): void {
  for (const { row } of rows) {
    const message = open.get(row.id)
    open.delete(row.id)
    if (message === undefined)
      problems.push(`${row.id} stands in unresolved.ndjson and is resolved in messages.ndjson`)
    else if (message.label !== (row.decision?.label ?? 'unresolved'))
      problems.push(`${row.id} is ${message.label} in messages.ndjson and not in unresolved.ndjson`)
    else if (message.said !== saidOfOpen(row))
      problems.push(`${row.id} in unresolved.ndjson is not what it is in messages.ndjson`)
  }
  for (const id of open.keys()) problems.push(`${id} is unresolved and does not stand in unresolved.ndjson`)
}
