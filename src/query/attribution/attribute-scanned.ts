import type { Database } from '../../database/sqlite.ts'
import { fromStored, toStored } from '../../database/stored-text.ts'
import type { Attribution, Period } from './attribute.ts'

/** A message that a scan found in a transcript (docs/transcripts.md). */
export interface ScannedCandidate {
  transcript: { file: string; line: number; offset: number; row: string | null }
  sessionId: string
  at: string | null
  label: 'person' | 'launcher' | 'peer' | 'notice' | 'unresolved'
  confidence: string
  kind: string
  /** The host's id of a peer's message, and the session on whose side it stands too (ruling 7). */
  msgId: string | null
  senderSessionId: string | null
}

/** Whether a transcript is still where a scan read it: what nobody can look at any more is no evidence. */
export type IsThere = (file: string) => boolean

interface Where {
  sessionId?: string
  during?: Period
}

/** What scans found of a text, each message once, as far as the transcripts are still there. */
export function scannedWithText(
  db: Database,
  sha256: string,
  where: Where,
  isThere: IsThere,
): ScannedCandidate[] {
  const rows = db.prepare(`${SELECT} where sha256 = ? order by at, file, line`).all(sha256) as ScannedRow[]
  const { sessionId, during } = where
  return candidates(rows, isThere).filter(
    one =>
      (sessionId === undefined || one.sessionId === sessionId) &&
      (during === undefined || (one.at !== null && one.at >= during.from && one.at <= during.to)),
  )
}

/** The receivers' rows of a message by the host's id of it. */
export function scannedWithMsgId(db: Database, msgId: string, isThere: IsThere): ScannedCandidate[] {
  const rows = db
    .prepare(`${SELECT} where msg_id = ? order by at, file, line`)
    .all(toStored(msgId)) as ScannedRow[]
  return candidates(rows, isThere)
}

/**
 * The record's answer and the transcripts' together. A transcript's row says whose words it holds; only the host's
 * message id on both sides says which session sent them. Where they do not all tell of the same author, none
 * wins.
 */
export function together(record: Attribution, scanned: ScannedCandidate[]): Attribution {
  const all = { candidates: [...record.candidates, ...scanned] }
  const labels = new Set(scanned.map(({ label }) => label).filter(label => label !== 'unresolved'))
  if (record.verdict !== 'unknown') labels.add('peer')
  const [label] = labels
  if (label === undefined)
    return { ...record, ...all, evidence: scanned.length > 0 ? 'transcript' : record.evidence }
  const isOpen = scanned.some(one => one.label === 'unresolved')
  if (labels.size > 1 || isOpen) return { verdict: 'ambiguous', evidence: 'transcript', ...all }
  if (label !== 'peer') return { verdict: label, evidence: 'transcript', ...all }
  const peers = scanned.filter(one => one.label === 'peer')
  if (peers.length === 0) return { ...record, ...all }
  const senders = new Set(peers.map(one => one.senderSessionId))
  if (!senders.has(null))
    return {
      verdict: senders.size === 1 && agrees(record, senders) ? 'peer' : 'ambiguous',
      evidence: 'msgId',
      ...all,
    }
  if (record.verdict !== 'unknown') return { ...record, ...all }
  return { verdict: peers.length === 1 ? 'peer' : 'ambiguous', evidence: 'transcript', ...all }
}

/** Whether no entry of the record names another sender. */
function agrees(record: Attribution, senders: ReadonlySet<string | null>): boolean {
  return record.candidates.every(
    one =>
      !('side' in one) ||
      one.side !== 'received' ||
      one.peer.sessionId === null ||
      senders.has(one.peer.sessionId),
  )
}

const SELECT = `select message_id, session_id, at, label, confidence, kind, file, line, "offset", "row", msg_id,
  sender_session_id from scan_message`

interface ScannedRow {
  message_id: string
  session_id: string
  at: string | null
  label: ScannedCandidate['label']
  confidence: string
  kind: string
  file: string
  line: number
  offset: number
  row: string | null
  msg_id: string | null
  sender_session_id: string | null
}

function candidates(rows: ScannedRow[], isThere: IsThere): ScannedCandidate[] {
  // Two scans of one transcript hold the same message.
  const seen = new Map(rows.map(row => [row.message_id, row]))
  const text = (stored: string | null) => (stored === null ? null : fromStored(stored))
  return [...seen.values()]
    .map(row => ({
      transcript: { file: fromStored(row.file), line: row.line, offset: row.offset, row: text(row.row) },
      ...{ sessionId: fromStored(row.session_id), at: row.at, label: row.label, confidence: row.confidence },
      ...{
        kind: fromStored(row.kind),
        msgId: text(row.msg_id),
        senderSessionId: text(row.sender_session_id),
      },
    }))
    .filter(({ transcript }) => isThere(transcript.file))
}
