import { type LoadNumber, loadNumberOf } from '../record/file-name.ts'
import type { Evidence } from './evidence.ts'

/**
 * What the numbers of one load show of a session's entries. A number is given when an entry is put in the queue and is
 * used up where it cannot be written, so one that no file bears is an entry that was lost. Time and number go up
 * together, but for sent entries: those are written, and numbered, once the host has answered.
 */
export interface LoadNumbers {
  load: string
  highest: number
  /** Numbers up to `highest` that no entry bears, in their order. */
  missing: MissingNumbers[]
  /** The highest number of an entry that is not sent. */
  ordered: number
  /** Messages with numbers above `ordered`: what was written before them may come after them by its time. */
  sentAhead: SentAhead[]
}

/** Numbers in a row. */
export interface MissingNumbers {
  from: number
  to: number
  /** Name of the entry with the next number. */
  before: string
  /** A time at which they had been given; null where only sent entries bear higher ones. */
  givenBy: string | null
}

/** The highest number of a message to one peer; null where the peer was not resolved or other entries were lost. */
interface SentAhead {
  to: string | null
  number: number
}

/** The numbers of a session with one entry more. */
export interface Numbered {
  /** Null where they are more than is kept: then any number may be missing. */
  loads: LoadNumbers[] | null
  /** The entry has a lower number than one that is older: the clock went back between them. */
  isOutOfOrder: boolean
  /** Something before the entry was not recorded, though no number of this session is missing. */
  isAfterGap: boolean
}

// A session has a few loads and hardly a gap; names that somebody made up must not make its facts large.
const MOST_LOADS = 1_000
const MOST_MISSING = 1_000
const MOST_SENT_AHEAD = 50

/** Adds the number that an entry's name states; entries come in their order (`compareEvidence`). */
export function addNumber(loads: LoadNumbers[] | null, evidence: Evidence): Numbered {
  const stated = loadNumberOf(evidence.name)
  if (loads === null || stated === null) return { loads, isOutOfOrder: false, isAfterGap: false }
  const index = loads.findIndex(one => one.load === stated.load)
  const load = loads[index] ?? { load: stated.load, highest: 0, missing: [], ordered: 0, sentAhead: [] }
  const next = loadWith(load, stated.number, evidence)
  const all = index === -1 ? [...loads, next] : loads.with(index, next)
  const isFull = all.length > MOST_LOADS || (next.missing.length > load.missing.length && isTooMuch(all))
  return {
    loads: isFull ? null : all,
    isOutOfOrder: stated.number < load.ordered,
    isAfterGap:
      isCountedOn(load, stated.number, evidence) || (stated.number === 1 && evidence.kind !== 'start'),
  }
}

/** Whether numbers are missing of which a message since the join may have been one. */
export function isNumberMissingSince(
  join: { name: string; at: string },
  loads: LoadNumbers[] | null,
): boolean {
  if (loads === null) return true
  const own = loadNumberOf(join.name)
  return loads.some(({ load, missing }) =>
    missing.some(({ from, givenBy }) =>
      load === own?.load ? from > own.number : givenBy === null || givenBy >= join.at,
    ),
  )
}

/** Whether a message that may have gone to this parent is older than the join, and has a higher number of its load. */
export function isSentAhead(join: { name: string; parent: string }, loads: LoadNumbers[] | null): boolean {
  const own = loadNumberOf(join.name)
  const load = loads?.find(one => one.load === own?.load)
  return (load?.sentAhead ?? []).some(
    ({ to, number }) => number > (own as LoadNumber).number && (to === null || to === join.parent),
  )
}

/** Whether two names state numbers of one load, the first the lower one. */
export function isNumberedBefore(name: string, other: string): boolean {
  const [one, two] = [loadNumberOf(name), loadNumberOf(other)]
  return one !== null && one.load === two?.load && one.number < two.number
}

function loadWith(load: LoadNumbers, number: number, evidence: Evidence): LoadNumbers {
  const isSent = evidence.kind === 'message' && evidence.side === 'sent'
  const ordered = isSent ? load.ordered : Math.max(load.ordered, number)
  const sentAhead = isSent ? sentAheadWith(load, number, evidence) : load.sentAhead
  return {
    load: load.load,
    highest: Math.max(load.highest, number),
    missing: missingWith(load, number, evidence, isSent ? null : evidence.at),
    ordered,
    sentAhead: sentAhead.filter(one => one.number > ordered),
  }
}

function missingWith(
  load: LoadNumbers,
  number: number,
  evidence: Evidence,
  givenBy: string | null,
): MissingNumbers[] {
  const before = evidence.name
  if (number > load.highest) {
    const dated = load.missing.map(one => ({ ...one, givenBy: one.givenBy ?? givenBy }))
    const isGap = number > load.highest + 1 && !isCountedOn(load, number, evidence)
    return isGap ? [...dated, { from: load.highest + 1, to: number - 1, before, givenBy }] : dated
  }
  return load.missing.flatMap(one => {
    const dated = { ...one, givenBy: one.givenBy ?? (one.to < number ? givenBy : null) }
    if (number < one.from || number > one.to) return [dated]
    const below = { from: one.from, to: number - 1, before, givenBy: one.givenBy ?? givenBy }
    const above = { ...one, from: number + 1 }
    return [below, above].filter(({ from, to }) => from <= to)
  })
}

/** A version that gave start entries no cause counted a load's numbers on from one session to the next: it lost none by that. */
function isCountedOn(load: LoadNumbers, number: number, evidence: Evidence): boolean {
  return number > load.highest + 1 && evidence.kind === 'start' && typeof evidence.cause !== 'string'
}

function sentAheadWith(
  { sentAhead }: LoadNumbers,
  number: number,
  evidence: Evidence & { kind: 'message'; side: 'sent' },
): SentAhead[] {
  // Where entries before it were lost, one of those may have been a message to anybody.
  if (!evidence.isQueued && !evidence.missing) return sentAhead
  const peer = evidence.missing ? null : (evidence.peer.sessionId ?? null)
  const isKept = sentAhead.length < MOST_SENT_AHEAD || sentAhead.some(one => one.to === peer)
  const to = isKept ? peer : null
  const others = sentAhead.filter(one => one.to !== to)
  const highest = Math.max(number, ...sentAhead.filter(one => one.to === to).map(one => one.number))
  return [...others, { to, number: highest }]
}

function isTooMuch(loads: LoadNumbers[]): boolean {
  return loads.reduce((sum, { missing }) => sum + missing.length, 0) > MOST_MISSING
}
