import type { Measured } from './measured.ts'
import { type Pairs, sameWords } from './pair-messages.ts'

/** One difference between two results of a sample. */
export interface Difference {
  /** Of the message: in the old result, or in the new one where the old lacks it. */
  id: string
  what: string
}

export interface Differences {
  losses: Difference[]
  gains: Difference[]
  /** What is other and neither better nor worse. */
  changes: Difference[]
}

/**
 * Sorts what differs. A loss is what a reader of the new result would miss, or would be told wrong where the old one
 * was sure; docs/scan.md lists all of it. Where it cannot be told whether the old or the new one is right, it is a loss,
 * since a person has to look at it.
 */
export function findDifferences({ both, onlyOld, onlyNew }: Pairs): Differences {
  const found: Differences = { losses: [], gains: [], changes: [] }
  const oldPlaces = new Set([...both.map(({ older }) => older), ...onlyOld].flatMap(sameWords))
  const newPlaces = new Set([...both.map(({ newer }) => newer), ...onlyNew].flatMap(sameWords))
  for (const { older, newer } of both) {
    compareLabels(older, newer, found)
    compareWords(older, newer, found, newPlaces)
    compareTraces(older, newer, found)
  }
  for (const older of onlyOld) {
    const isMerged = sameWords(older).every(place => newPlaces.has(place))
    if (isMerged)
      found.changes.push({ id: older.id, what: 'it is part of another message with the same words now' })
    else found.losses.push({ id: older.id, what: `the message (${older.label}) is missing` })
  }
  for (const newer of onlyNew) {
    const isSplit = sameWords(newer).every(place => oldPlaces.has(place))
    if (isSplit)
      found.changes.push({ id: newer.id, what: 'it was part of another message with the same words' })
    else found.gains.push({ id: newer.id, what: `a message (${newer.label}) that the old result lacks` })
  }
  return found
}

function compareLabels(older: Measured, newer: Measured, { losses, gains, changes }: Differences): void {
  const { id } = older
  if (older.label !== newer.label) {
    const what = `${older.label} (${older.confidence}) became ${newer.label} (${newer.confidence})`
    if (older.label === 'unresolved') gains.push({ id, what })
    else losses.push({ id, what })
  } else if (older.confidence !== newer.confidence) {
    changes.push({ id, what: `${older.label}: confidence ${older.confidence} became ${newer.confidence}` })
  }
  if (older.kind !== newer.kind) changes.push({ id, what: `kind ${older.kind} became ${newer.kind}` })
  if (older.id !== newer.id) changes.push({ id, what: `its id became ${newer.id}` })
  compareCorrelations(older, newer, { losses, gains, changes })
  compareDeliveries(older, newer, { losses, gains, changes })
}

/** Ruling 7: what ties a received message to a sent one. */
function compareCorrelations(older: Measured, newer: Measured, { losses, gains }: Differences): void {
  const weight = (correlation: string | null) => ['msgId', 'candidates'].indexOf(correlation ?? '') + 1 || 3
  const what = `the evidence of its sender ${older.correlation ?? 'none'} became ${newer.correlation ?? 'none'}`
  if (weight(newer.correlation) > weight(older.correlation)) losses.push({ id: older.id, what })
  if (weight(newer.correlation) < weight(older.correlation)) gains.push({ id: older.id, what })
}

/** Ruling 13: what it says became of which messages. */
function compareDeliveries(older: Measured, newer: Measured, { losses, gains }: Differences): void {
  const [before, after] = [older.delivery, newer.delivery]
  // A label that changed is a loss or a gain already.
  if (before === after || older.label !== newer.label) return
  const what = `what it says of messages ${before ?? 'none'} became ${after ?? 'none'}`
  if (before === null) gains.push({ id: older.id, what })
  else losses.push({ id: older.id, what })
}

function compareWords(
  older: Measured,
  newer: Measured,
  { losses, gains, changes }: Differences,
  newPlaces: ReadonlySet<string>,
): void {
  const { id } = older
  if (older.sha256 !== newer.sha256) return void losses.push({ id, what: 'its words changed' })
  const had = new Set(older.places)
  const has = new Set(newer.places)
  for (const place of had) {
    if (has.has(place)) continue
    if (newPlaces.has(`${place}:${older.sha256}`))
      changes.push({ id, what: `its place ${shown(place)} belongs to another message now` })
    else losses.push({ id, what: `its place ${shown(place)} is missing` })
  }
  for (const place of has) if (!had.has(place)) gains.push({ id, what: `its place ${shown(place)} is new` })
}

function compareTraces(older: Measured, newer: Measured, { losses, gains, changes }: Differences): void {
  const { id } = older
  const [before, after] = [older.trace, newer.trace]
  // A label that changed says already why there is no trace any more, or why there is one now.
  if (!before || !after) {
    if (before && older.label === newer.label) losses.push({ id, what: 'what followed it is missing' })
    return
  }
  if (before.end !== after.end) {
    const difference = { id, what: `the turn's end ${before.end} became ${after.end}` }
    if (after.end === 'unknown') losses.push(difference)
    else if (before.end === 'unknown') gains.push(difference)
    else changes.push(difference)
  }
  for (const fact of before.facts) if (!after.facts.has(fact)) losses.push({ id, what: `${fact} is missing` })
  for (const fact of after.facts) if (!before.facts.has(fact)) gains.push({ id, what: `${fact} is new` })
}

/** A place without the whole hash of its source. */
function shown(place: string): string {
  const line = place.slice(place.lastIndexOf(':') + 1)
  return `line ${line} of ${place.slice(0, 12)}…`
}
