import { hash } from 'node:crypto'
import type { NewEntryRow, NewTextRow } from '../database/new-rows.ts'
import { toStored } from '../database/stored-text.ts'
import { type Entry, type MessageEntry, unknownFields } from '../record/entry.ts'

/** An entry as rows of the index: stored text in every text column, null where the kind has no such field. */
export function entryRow(entry: Entry): { row: NewEntryRow; text: NewTextRow | null } {
  const extra = unknownFields(entry)
  const row: NewEntryRow = {
    ...NO_FIELDS,
    kind: entry.kind,
    session_id: entry.sessionId,
    at: entry.at,
    cwd: toStored(entry.cwd),
    missing: entry.missing ?? null,
    extra: extra && toStored(JSON.stringify(extra)),
  }
  switch (entry.kind) {
    case 'start':
      row.host = toStored(entry.host)
      row.version = toStored(entry.version)
      row.inbound = toStored(entry.inbound)
      row.cause = storedOrNull(entry.cause)
      return { row, text: null }
    case 'chain':
      row.parent = entry.parent
      row.part = toStored(entry.part)
      row.brief = storedOrNull(entry.brief)
      return { row, text: null }
    case 'message':
      return messageRow(entry, row)
  }
}

function messageRow(entry: MessageEntry, row: NewEntryRow): { row: NewEntryRow; text: NewTextRow } {
  row.side = entry.side
  row.peer_as = storedOrNull(entry.peer.as)
  row.peer_session_id = entry.peer.sessionId ?? null
  row.has_text = entry.text === undefined ? 0 : 1
  row.text_length = entry.text === undefined ? (entry.textLength as number) : Buffer.byteLength(entry.text)
  row.text_sha256 = entry.text === undefined ? (entry.textSha256 as string) : hash('sha256', entry.text)
  const text: NewTextRow = { text: storedOrNull(entry.text), envelope_before: null, envelope_after: null }
  if (entry.side === 'sent') {
    row.is_queued = entry.isQueued ? 1 : 0
    row.reason = storedOrNull(entry.reason)
    row.msg_id = storedOrNull(entry.msgId)
  } else {
    row.outcome = entry.outcome
    text.envelope_before = toStored(entry.envelope.before)
    text.envelope_after = toStored(entry.envelope.after)
  }
  return { row, text }
}

function storedOrNull(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : toStored(text)
}

const NO_FIELDS = {
  side: null,
  peer_as: null,
  peer_session_id: null,
  text_length: null,
  text_sha256: null,
  has_text: null,
  is_queued: null,
  reason: null,
  outcome: null,
  msg_id: null,
  parent: null,
  part: null,
  brief: null,
  host: null,
  version: null,
  inbound: null,
  cause: null,
}
