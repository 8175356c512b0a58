import { hash } from 'node:crypto'
import type { Database } from '../../database/sqlite.ts'
import { fromStored, toStored } from '../../database/stored-text.ts'
import { Problem } from '../../problem.ts'

/** Whose words a text is, as far as the evidence goes. */
export interface Attribution {
  verdict: 'person' | 'peer' | 'launcher' | 'notice' | 'unknown' | 'ambiguous'
  /**
   * What the verdict rests on: `record` (an entry states it), `candidates` (entries fit by text, time and addresses,
   * which is no match, ruling 7), `none`. The host's message id (`msgId`) and `transcript` come from scans.
   */
  evidence: 'msgId' | 'candidates' | 'record' | 'transcript' | 'none'
  candidates: Candidate[]
}

/** A message entry that the text may be. */
export interface Candidate {
  file: string
  sessionId: string
  at: string
  side: 'sent' | 'received'
  /** The other party exactly as the host gave it, and its full id only where the host resolved it. */
  peer: { as: string | null; sessionId: string | null }
  msgId: string | null
}

/** A stretch of time in the record's format, both ends included. */
export interface Period {
  from: string
  to: string
}

/** How far apart a sent entry and a received one may be and still be candidates for one message. */
const CANDIDATE_MS = 10 * 60_000

/**
 * Whose words a text is that stands in a session, by the record alone. A received entry shows that a peer's message
 * arrived with this text; without one the record cannot tell a person's words from anything else.
 */
export function attributeText(
  db: Database,
  text: string,
  where: { sessionId?: string; during?: Period } = {},
): Attribution {
  const same = findByText(db, text).filter(
    one => !where.during || (one.at >= where.during.from && one.at <= where.during.to),
  )
  const received = same.filter(
    one => one.side === 'received' && (!where.sessionId || one.sessionId === where.sessionId),
  )
  if (received.length > 0) return byParties(received, one => one.peer.sessionId ?? one.peer.as)
  const sent = same.filter(one => one.side === 'sent')
  if (where.sessionId === undefined) return byParties(sent, one => one.sessionId)
  const own = sent.filter(one => one.sessionId === where.sessionId)
  if (own.length > 0) return byParties(own, one => one.sessionId)
  const fitting = sent.filter(one => one.peer.sessionId === null || one.peer.sessionId === where.sessionId)
  return { verdict: 'unknown', evidence: fitting.length > 0 ? 'candidates' : 'none', candidates: fitting }
}

/**
 * Whose words one entry holds, and which entries of the other side fit it. A sent entry is the authority on who wrote
 * it, and does not show which received entry it corresponds to (rule.sentIsAuthority).
 *
 * @param file the entry's path below the record's folder
 * @throws Problem `not-found` where the index holds no such entry
 */
export function attributeEntry(db: Database, file: string): Attribution {
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
  const candidates = others.map(candidateFrom).filter(other => fits(entry, other))
  const isEstablished = entry.side === 'sent' || entry.peer.sessionId !== null || candidates.length === 0
  return { verdict: 'peer', evidence: isEstablished ? 'record' : 'candidates', candidates }
}

/** One party: theirs. More than one: the record shows a peer's message, but not whose. */
function byParties(candidates: Candidate[], party: (one: Candidate) => string | null): Attribution {
  if (candidates.length === 0) return { verdict: 'unknown', evidence: 'none', candidates }
  const parties = new Set(candidates.map(party))
  return { verdict: parties.size === 1 ? 'peer' : 'ambiguous', evidence: 'record', candidates }
}

/** Whether the addresses allow two entries to be the two ends of one message: each side's peer is the other, or unresolved. */
function fits(one: Candidate, other: Candidate): boolean {
  const allows = (a: Candidate, b: Candidate) => a.peer.sessionId === null || a.peer.sessionId === b.sessionId
  return one.sessionId !== other.sessionId && allows(one, other) && allows(other, one)
}

function findByText(db: Database, text: string): Candidate[] {
  const rows = db
    .prepare(`${SELECT} where text_sha256 = ? order by at, session_id, name`)
    .all(hash('sha256', text)) as MessageRow[]
  // Texts that no UTF-8 can hold share hashes; where the text itself is kept, it decides.
  return rows.filter(row => row.text === null || fromStored(row.text) === text).map(candidateFrom)
}

const SELECT = `select session_id, name, at, side, peer_as, peer_session_id, msg_id, text_sha256, t.text
  from entry left join message_text t on t.entry_id = entry.id`

interface MessageRow {
  session_id: string
  name: string
  at: string
  side: 'sent' | 'received' | null
  peer_as: string | null
  peer_session_id: string | null
  msg_id: string | null
  text_sha256: string | null
  text: string | null
}

function candidateFrom(row: MessageRow): Candidate {
  const decoded = (stored: string | null) => (stored === null ? null : fromStored(stored))
  return {
    file: `${row.session_id}/${row.name}`,
    sessionId: row.session_id,
    at: row.at,
    side: row.side as Candidate['side'],
    peer: { as: decoded(row.peer_as), sessionId: row.peer_session_id },
    msgId: decoded(row.msg_id),
  }
}

function shifted(at: string, byMs: number): string {
  return new Date(Date.parse(at) + byMs).toISOString()
}
