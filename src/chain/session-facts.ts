import { isJoinNotice } from '../record/join-notice.ts'

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
  /** A message was queued since this join to a peer that the record cannot resolve: it may have been the parent. */
  sentToUnknown: boolean
}

/** One entry, reduced to what facts are made of. `name` is the entry's file name. */
export type Evidence = { name: string; at: string; cwd: string } & (
  | { kind: 'start'; host: string; version: string; inbound: string }
  | { kind: 'chain'; parent: string; part: string; brief?: string | null | undefined }
  | { kind: 'message'; side: 'received' }
  | {
      kind: 'message'
      side: 'sent'
      isQueued: boolean
      peer: { sessionId?: string | undefined }
      text?: string | undefined
      textSha256?: string | undefined
    }
)

/** The order in which a session's entries follow each other: by time, then by file name. */
export function compareEvidence(a: { at: string; name: string }, b: { at: string; name: string }): number {
  return compare(a.at, b.at) || compare(a.name, b.name)
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
  return {
    sessionId,
    firstHeard: facts?.firstHeard ?? evidence.at,
    lastHeard: evidence.at,
    newestName: evidence.name,
    entries: (facts?.entries ?? 0) + 1,
    cwd: evidence.cwd,
    coveredFrom: facts?.coveredFrom ?? (evidence.kind === 'start' ? evidence.at : null),
    latestStart: startOf(evidence) ?? facts?.latestStart ?? null,
    join: joinAfter(sessionId, facts?.join ?? null, evidence),
  }
}

function startOf(evidence: Evidence): SessionFacts['latestStart'] {
  if (evidence.kind !== 'start') return null
  return { host: evidence.host, version: evidence.version, inbound: evidence.inbound }
}

function joinAfter(sessionId: string, join: Join | null, evidence: Evidence): Join | null {
  if (evidence.kind === 'chain') {
    const { at, name, parent, part, brief } = evidence
    const unsent = { noticeSeen: false, sentToParent: false, sentToUnknown: false }
    return { at, name, parent, part, brief: brief ?? null, ...unsent }
  }
  // Queued false is not "sent" (rule.deliveryResult, rule.chainCommand).
  if (!join || evidence.kind !== 'message' || evidence.side !== 'sent' || !evidence.isQueued) return join
  const peer = evidence.peer.sessionId
  if (peer !== undefined && peer !== join.parent) return join
  if (!join.noticeSeen && isJoinNotice(evidence, { sessionId, part: join.part }))
    return { ...join, noticeSeen: true }
  return peer === undefined ? { ...join, sentToUnknown: true } : { ...join, sentToParent: true }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
