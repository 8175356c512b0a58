import type { Evidence } from '../chain/evidence.ts'
import type { EvidenceRow, NewEntryRow } from '../database/new-rows.ts'
import { fromStored } from '../database/stored-text.ts'
import type { Entry } from '../record/entry.ts'

/** An entry just read, reduced to evidence: without its text, of which the hash is enough. */
export function evidenceOf(name: string, entry: Entry, row: NewEntryRow): Evidence {
  if (entry.kind !== 'message') return { ...entry, name }
  const { at, cwd, missing } = entry
  const common = { name, at, cwd, missing, kind: 'message' as const }
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
  const common = { name: row.name, at: row.at, cwd: fromStored(row.cwd), missing: row.missing ?? undefined }
  switch (row.kind) {
    case 'start':
      return {
        ...common,
        kind: 'start',
        host: fromStored(row.host),
        version: fromStored(row.version),
        inbound: fromStored(row.inbound),
        cause: row.cause === null ? undefined : fromStored(row.cause),
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
