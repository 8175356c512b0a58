import type { Evidence } from '../chain/session-facts.ts'
import type { EvidenceRow, NewEntryRow } from '../database/new-rows.ts'
import { fromStored } from '../database/stored-text.ts'
import type { Entry } from '../record/entry.ts'

/** An entry just read, reduced to evidence: without its text, of which the hash is enough. */
export function evidenceOf(name: string, entry: Entry, row: NewEntryRow): Evidence {
  if (entry.kind !== 'message') return { ...entry, name }
  const common = { name, at: entry.at, cwd: entry.cwd, kind: 'message' as const }
  if (entry.side === 'received') return { ...common, side: 'received' }
  return {
    ...common,
    side: 'sent',
    isQueued: entry.isQueued,
    peer: { sessionId: entry.peer.sessionId },
    textSha256: row.text_sha256 ?? undefined,
  }
}

/** The evidence that a row of the index holds. */
export function evidenceFrom(row: EvidenceRow): Evidence {
  const common = { name: row.name, at: row.at, cwd: fromStored(row.cwd) }
  switch (row.kind) {
    case 'start':
      return {
        ...common,
        kind: 'start',
        host: fromStored(row.host),
        version: fromStored(row.version),
        inbound: fromStored(row.inbound),
      }
    case 'chain':
      return {
        ...common,
        kind: 'chain',
        parent: row.parent,
        part: fromStored(row.part),
        brief: row.brief === null ? null : fromStored(row.brief),
      }
    case 'message':
      if (row.side !== 'sent') return { ...common, kind: 'message', side: 'received' }
      return {
        ...common,
        kind: 'message',
        side: 'sent',
        isQueued: Boolean(row.is_queued),
        peer: { sessionId: row.peer_session_id ?? undefined },
        textSha256: row.text_sha256 ?? undefined,
      }
  }
}
