import type { Database } from '../../database/database.ts'
import { fromStored, toStored } from '../../database/stored-text.ts'
import type { Attribution, Period, ScannedCandidate } from './attribution.ts'

/** Whether words still stand where a scan read them: what nobody can look at any more is no evidence. */
export type IsThere = (transcript: ScannedCandidate['transcript'], words: string) => boolean

/** A text, or what a record keeps of one in metadata mode. */
export interface AskedText {
  text: string | null
  sha256: string
}

interface Where {
  sessionId?: string
  during?: Period
}

/** What scans found of a text, each message once, as far as it still stands in the transcripts. */
export function scannedWithText(
  db: Database,
  { text, sha256 }: AskedText,
  where: Where,
  isThere: IsThere,
): ScannedCandidate[] {
  const all = db.prepare(`${SELECT} where sha256 = ? ${ORDER}`).all(sha256) as ScannedRow[]
  // Texts that no UTF-8 can hold share hashes.
  const rows = text === null ? all : all.filter(row => fromStored(row.words) === text)
  const { sessionId, during } = where
  return candidates(rows, isThere).filter(
    one =>
      (sessionId === undefined || one.sessionId === sessionId) &&
      (during === undefined || (one.at !== null && one.at >= during.from && one.at <= during.to)),
  )
}

/** The receivers' rows of a message by the host's id of it. */
export function scannedWithMsgId(db: Database, msgId: string, isThere: IsThere): ScannedCandidate[] {
  const rows = db.prepare(`${SELECT} where msg_id = ? ${ORDER}`).all(toStored(msgId)) as ScannedRow[]
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

const SELECT = `select message_id, session_id, at, label, confidence, m.kind, words, file, line, "offset", "row", msg_id,
  sender_session_id, is_decided from scan_message m join result on result.id = result_id`
const ORDER = 'order by at, file, line, made_at desc, result.path'

interface ScannedRow {
  message_id: string
  session_id: string
  at: string | null
  label: ScannedCandidate['label']
  confidence: string
  kind: string
  words: string
  file: string
  line: number
  offset: number
  row: string | null
  msg_id: string | null
  sender_session_id: string | null
  is_decided: number
}

function candidates(rows: ScannedRow[], isThere: IsThere): ScannedCandidate[] {
  const text = (stored: string | null) => (stored === null ? null : fromStored(stored))
  return withoutRepeats(rows).flatMap(row => {
    const transcript = { file: fromStored(row.file), line: row.line, offset: row.offset, row: text(row.row) }
    if (!isThere(transcript, fromStored(row.words))) return []
    return {
      transcript,
      ...{ sessionId: fromStored(row.session_id), at: row.at, label: row.label, confidence: row.confidence },
      ...{
        kind: fromStored(row.kind),
        msgId: text(row.msg_id),
        senderSessionId: text(row.sender_session_id),
      },
    }
  })
}

/**
 * Each message once where several scans hold it. What the latest says counts; where an earlier one names another
 * author, it may have read what the later one did not, and both stand. Unresolved is only what a scan did not know: it
 * speaks against no later scan, and not against what somebody decided.
 *
 * @param rows of one message the latest first
 */
function withoutRepeats(rows: ScannedRow[]): ScannedRow[] {
  const byMessage = new Map<string, ScannedRow[]>()
  for (const row of rows) {
    const same = byMessage.get(row.message_id)
    if (same) same.push(row)
    else byMessage.set(row.message_id, [row])
  }
  return [...byMessage.values()].flatMap(same => {
    const isDecided = same.some(row => row.is_decided)
    const latest = same.find(row => !isDecided || row.label !== 'unresolved') as ScannedRow
    const others = new Map(same.map(row => [row.label, row]))
    for (const label of [latest.label, 'unresolved'] as const) others.delete(label)
    return [withSender(latest, same), ...others.values()]
  })
}

/** Of two scans that name different senders neither is believed; one that knows none speaks against nobody. */
function withSender(row: ScannedRow, same: ScannedRow[]): ScannedRow {
  const senders = new Set(same.map(one => one.sender_session_id).filter(sender => sender !== null))
  return senders.size < 2 ? row : { ...row, sender_session_id: null }
}
