import { hash } from 'node:crypto'
import type { Database } from '../../database/database.ts'
import { fromStored, toStored } from '../../database/stored-text.ts'
import { Problem } from '../../problem/problem.ts'
import { FATE, FATE_EVIDENCE } from '../fate.ts'
import { type IsThere, scannedWithMsgId, scannedWithText, together } from './attribute-scanned.ts'
import type { Attribution, Candidate, Period, ScannedCandidate } from './attribution.ts'

/** How far apart a sent entry and a received one may be and still be candidates for one message. */
const CANDIDATE_MS = 10 * 60_000

/**
 * Whose words a text is, by the record and by the transcripts that scans have read and that are still there.
 *
 * @param isThere whether a transcript still holds it; without transcripts the record alone answers, and says less
 */
export function attributeText(
  db: Database,
  text: string,
  where: { sessionId?: string; during?: Period },
  isThere: IsThere,
): Attribution {
  const record = attributeByRecord(db, text, where)
  return together(record, scannedWithText(db, { text, sha256: hash('sha256', text) }, where, isThere))
}

/**
 * Whose words a text is that stands in a session, by the record alone. A received entry shows that a peer's message
 * arrived with this text; without one the record cannot tell a person's words from anything else. A message that the
 * session sent itself shows nothing of that: a person's words may have been passed on. One that was rejected or
 * consumed on arrival may have been released later, and may not: it is a candidate.
 */
function attributeByRecord(
  db: Database,
  text: string,
  where: { sessionId?: string; during?: Period },
): Attribution {
  const { sessionId, during } = where
  const same = findByText(db, text).filter(one => !during || (one.at >= during.from && one.at <= during.to))
  const received = same.filter(one => one.side === 'received' && (!sessionId || one.sessionId === sessionId))
  const arrived = received.filter(one => one.outcome === 'queued' || one.outcome === 'unknown')
  if (arrived.length > 0) return byParties(arrived, one => one.peer.sessionId ?? one.peer.as)
  const sent = same.filter(one => one.side === 'sent')
  if (sessionId === undefined && received.length === 0) return byParties(sent, one => one.sessionId)
  const fitting = sent.filter(
    one => one.sessionId === sessionId || !one.peer.sessionId || one.peer.sessionId === sessionId,
  )
  const candidates = [...received, ...fitting]
  return {
    verdict: 'unknown',
    evidence: candidates.length > 0 ? 'candidates' : 'none',
    candidates: candidates.map(shown),
  }
}

/**
 * Whose words one entry holds, and which entries of the other side fit it. A sent entry is the authority on who wrote
 * it, and does not show which received entry it corresponds to (rule.sentIsAuthority).
 *
 * @param file the entry's path below the record's folder
 * @throws Problem `not-found` where the index holds no such entry
 */
export function attributeEntry(db: Database, file: string, isThere: IsThere): Attribution {
  const [sessionId = '', name = ''] = file.split('/')
  const row = db
    .prepare(`${SELECT} where session_id = ? and name = ?`)
    .get(toStored(sessionId), toStored(name)) as MessageRow | undefined
  if (!row) {
    throw new Problem('not-found', `no readable entry ${file} in this record`, {
      path: file,
      hint: 'coord query entries --select file lists them; coord query unreadable lists what could not be read',
    })
  }
  if (row.side === null) return { verdict: 'unknown', evidence: 'none', candidates: [] }
  const entry = candidateFrom(row)
  const others = db
    .prepare(
      `${SELECT} where text_sha256 = ? and side != ? and at between ? and ? order by at, session_id, name`,
    )
    .all(
      row.text_sha256,
      row.side,
      shifted(row.at, -CANDIDATE_MS),
      shifted(row.at, CANDIDATE_MS),
    ) as MessageRow[]
  const candidates = others
    .map(candidateFrom)
    .filter(
      other =>
        fits(entry, other) && (entry.text === null || other.text === null || entry.text === other.text),
    )
  const isEstablished = entry.side === 'sent' || entry.peer.sessionId !== null || candidates.length === 0
  const scanned = rowsOf(db, entry, row.text_sha256, isThere)
  return {
    verdict: 'peer',
    evidence: scanned.length > 0 ? 'msgId' : isEstablished ? 'record' : 'candidates',
    candidates: [...candidates.map(shown), ...scanned],
  }
}

/**
 * The receiver's row of the message that an entry tells of, where the host's id ties them: the id that a sent entry
 * keeps; of a received entry the one row of its session with its text near its time, where there is no second such entry, if
 * its sender is known by the id and is not another than the entry's.
 */
function rowsOf(db: Database, entry: Message, sha256: string | null, isThere: IsThere): ScannedCandidate[] {
  if (entry.side === 'sent') return entry.msgId === null ? [] : receiversRows(db, entry, entry.msgId, isThere)
  if (sha256 === null) return []
  const during = { from: shifted(entry.at, -CANDIDATE_MS), to: shifted(entry.at, CANDIDATE_MS) }
  const rows = scannedWithText(
    ...[db, { text: entry.text, sha256 }],
    ...[{ sessionId: entry.sessionId, during }, isThere],
  ).filter(
    ({ label, senderSessionId }) =>
      label === 'peer' &&
      (entry.peer.sessionId === null || (senderSessionId ?? entry.peer.sessionId) === entry.peer.sessionId),
  )
  const received = db
    .prepare(
      `select count(*) as entries from entry
        where session_id = ? and side = 'received' and text_sha256 = ? and at between ? and ?`,
    )
    .get(entry.sessionId, sha256, during.from, during.to) as { entries: number }
  const isOnlyOne = received.entries === 1 && rows.length === 1
  return isOnlyOne && rows[0]?.senderSessionId !== null ? rows : []
}

/**
 * The rows with the id that a sent entry keeps, where they are of one session, and of the one that the host resolved:
 * any transcript may name any id.
 */
function receiversRows(db: Database, { peer }: Message, msgId: string, isThere: IsThere): ScannedCandidate[] {
  const rows = scannedWithMsgId(db, msgId, isThere).filter(
    ({ label, sessionId }) => label === 'peer' && (peer.sessionId === null || peer.sessionId === sessionId),
  )
  return new Set(rows.map(({ sessionId }) => sessionId)).size === 1 ? rows : []
}

/** One party: theirs. More than one, or more than one that nobody named: the record shows a peer's message, but not whose. */
function byParties(found: Message[], party: (one: Message) => string | null): Attribution {
  if (found.length === 0) return { verdict: 'unknown', evidence: 'none', candidates: [] }
  const parties = found.map(party)
  const isOne = found.length === 1 || (parties[0] !== null && new Set(parties).size === 1)
  return { verdict: isOne ? 'peer' : 'ambiguous', evidence: 'record', candidates: found.map(shown) }
}

/**
 * Whether two entries can be the two ends of one message: each side's peer is the other, or unresolved, and the sent
 * one was queued at all.
 */
function fits(one: Message, other: Message): boolean {
  const allows = (a: Message, b: Message) => a.peer.sessionId === null || a.peer.sessionId === b.sessionId
  const isQueued = one.isQueued !== false && other.isQueued !== false
  return isQueued && one.sessionId !== other.sessionId && allows(one, other) && allows(other, one)
}

function findByText(db: Database, text: string): Message[] {
  const rows = db
    .prepare(`${SELECT} where text_sha256 = ? order by at, session_id, name`)
    .all(hash('sha256', text)) as MessageRow[]
  // Texts that no UTF-8 can hold share hashes; where the text itself is kept, it decides.
  return rows.filter(row => row.text === null || fromStored(row.text) === text).map(candidateFrom)
}

const SELECT = `select session_id, name, at, side, peer_as, peer_session_id, is_queued, outcome, msg_id, text_sha256, t.text,
  ${FATE} as fate, ${FATE_EVIDENCE} as fate_evidence
  from entry left join message_text t on t.entry_id = entry.id`

interface MessageRow {
  session_id: string
  name: string
  at: string
  side: 'sent' | 'received' | null
  peer_as: string | null
  peer_session_id: string | null
  is_queued: number | null
  outcome: string | null
  msg_id: string | null
  text_sha256: string | null
  text: string | null
  fate: string | null
  fate_evidence: string | null
}

/** A candidate with what decides whether it is one. */
interface Message extends Candidate {
  isQueued: boolean | null
  outcome: string | null
  text: string | null
}

function candidateFrom(row: MessageRow): Message {
  const decoded = (stored: string | null) => (stored === null ? null : fromStored(stored))
  return {
    file: `${row.session_id}/${row.name}`,
    sessionId: row.session_id,
    at: row.at,
    side: row.side as Candidate['side'],
    peer: { as: decoded(row.peer_as), sessionId: row.peer_session_id },
    msgId: decoded(row.msg_id),
    fate: row.fate,
    fateEvidence: decoded(row.fate_evidence),
    isQueued: row.is_queued === null ? null : Boolean(row.is_queued),
    outcome: row.outcome,
    text: decoded(row.text),
  }
}

function shown({ file, sessionId, at, side, peer, msgId, fate, fateEvidence }: Message): Candidate {
  return { file, sessionId, at, side, peer, msgId, fate, fateEvidence }
}

function shifted(at: string, byMs: number): string {
  return new Date(Date.parse(at) + byMs).toISOString()
}
