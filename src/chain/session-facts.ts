import { isJoinNotice } from '../record/join-notice.ts'
import { compareEvidence, type Evidence } from './evidence.ts'
import { addNumber, isNumberedBefore, isSentAhead, type LoadNumbers, type Numbered } from './load-numbers.ts'

/**
 * What the chain tree needs to know of one session, and no more. Facts are folded from the session's entries in
 * the order of (at, file name) by `addEvidence`; the indexer stores them, the projection publishes them and the
 * mod adds to them what is newer, all with this one function.
 */
export interface SessionFacts {
  sessionId: string
  /** The earliest and the latest entry's time. */
  firstHeard: string
  lastHeard: string
  /** Position of the latest entry; evidence that sorts after it can be added to these facts. */
  newestName: string
  entries: number
  /** Working directory that the latest entry names (rule.byDirectory). */
  cwd: string
  /** Time of the earliest start entry: coverage begins there; null where there is none (rule.startEntry). */
  coveredFrom: string | null
  latestStart: { host: string; version: string; inbound: string } | null
  /** The join that counts: the latest (rule.laterJoinReplaces). */
  join: Join | null
  /** Something since the join, other than a missing number, shows that not all was recorded (ruling 8). */
  isGapSinceJoin: boolean
  /** Entries before which others could not be written, as they say; the first of them, where they are very many. */
  notWritten: { name: string; count: number }[]
  /** The numbers of each load; null where they are more than is kept. */
  loads: LoadNumbers[] | null
}

export interface Join {
  at: string
  name: string
  parent: string
  part: string
  brief: string | null
  /** The notice that this join sent has been met; it does not count as a message to the parent. */
  noticeSeen: boolean
  /** A message to the parent was queued since this join, other than the notice. */
  sentToParent: boolean
  /** A message was queued that may have gone to the parent since this join: its peer is not resolved, or its time is older and its number higher. */
  sentToUnknown: boolean
}

/** Whether `evidence` comes after all that `facts` hold, so that it may be added to them. */
export function isNewer(evidence: { at: string; name: string }, facts: SessionFacts): boolean {
  return compareEvidence(evidence, { at: facts.lastHeard, name: facts.newestName }) > 0
}

/** Facts of a session from all of its entries, in their order; null where there are none. */
export function sessionFacts(sessionId: string, evidence: Iterable<Evidence>): SessionFacts | null {
  let facts: SessionFacts | null = null
  for (const one of evidence) facts = addEvidence(sessionId, facts, one)
  return facts
}

/** The facts with one entry more, which must come after all that they hold (`isNewer`). */
export function addEvidence(sessionId: string, facts: SessionFacts | null, evidence: Evidence): SessionFacts {
  const numbered = addNumber(facts === null ? [] : facts.loads, evidence)
  const join = joinAfter(sessionId, facts, evidence)
  return {
    sessionId,
    firstHeard: facts?.firstHeard ?? evidence.at,
    lastHeard: evidence.at,
    newestName: evidence.name,
    entries: (facts?.entries ?? 0) + 1,
    cwd: evidence.cwd,
    coveredFrom: facts?.coveredFrom ?? (evidence.kind === 'start' ? evidence.at : null),
    latestStart: startOf(evidence) ?? facts?.latestStart ?? null,
    join,
    isGapSinceJoin: isGapAfter(facts, evidence, numbered),
    notWritten: notWrittenAfter(facts?.notWritten ?? [], evidence),
    loads: numbered.loads,
  }
}

/** A join looks back no further than itself, unless the clock went back before it: then what is older may have followed it. */
function isGapAfter(facts: SessionFacts | null, evidence: Evidence, numbered: Numbered): boolean {
  if (evidence.kind === 'chain') return numbered.isOutOfOrder
  if (!facts?.join) return false
  const isReload = evidence.kind === 'start' && evidence.cause === 'reload'
  const isGap = numbered.isOutOfOrder || numbered.isAfterGap || isReload || Boolean(evidence.missing)
  return facts.isGapSinceJoin || isGap
}

/** Facts are read and written whole, so they stay small whatever a record holds. */
const MOST_NOT_WRITTEN = 1_000

function notWrittenAfter(before: SessionFacts['notWritten'], evidence: Evidence): SessionFacts['notWritten'] {
  const { name, missing } = evidence
  return missing && before.length < MOST_NOT_WRITTEN ? [...before, { name, count: missing }] : before
}

function startOf(evidence: Evidence): SessionFacts['latestStart'] {
  if (evidence.kind !== 'start') return null
  return { host: evidence.host, version: evidence.version, inbound: evidence.inbound }
}

function joinAfter(sessionId: string, facts: SessionFacts | null, evidence: Evidence): Join | null {
  if (evidence.kind === 'chain') {
    const { at, name, parent, part, brief } = evidence
    const sentToUnknown = isSentAhead(evidence, facts?.loads ?? null)
    const unsent = { noticeSeen: false, sentToParent: false, sentToUnknown }
    return { at, name, parent, part, brief: brief ?? null, ...unsent }
  }
  const join = facts?.join ?? null
  // Queued false is not "sent" (rule.deliveryResult, rule.chainCommand).
  if (!join || evidence.kind !== 'message' || evidence.side !== 'sent' || !evidence.isQueued) return join
  const peer = evidence.peer.sessionId
  if (peer !== undefined && peer !== join.parent) return join
  // Later by the clock and earlier by its number: it may have been sent before the join.
  if (isNumberedBefore(evidence.name, join.name)) return join
  if (!join.noticeSeen && isJoinNotice(evidence, { sessionId, part: join.part }))
    return { ...join, noticeSeen: true }
  // Of two in one millisecond of one load the message may be the earlier one: it is numbered once the host has answered.
  const mayBeOlder = evidence.at === join.at && isNumberedBefore(join.name, evidence.name)
  const isCertain = peer !== undefined && !mayBeOlder
  return isCertain ? { ...join, sentToParent: true } : { ...join, sentToUnknown: true }
}
