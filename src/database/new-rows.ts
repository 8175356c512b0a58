import type { EntryRow, GapRow, MessageTextRow, ResultRow, UnreadRow } from './tables.ts'

// Rows before they have an id, and parts of rows, as indexer and engine hand them over.

export type NewEntryRow = Omit<EntryRow, 'id' | 'folder_id' | 'name' | 'stat' | 'sha256'>
export type NewTextRow = Omit<MessageTextRow, 'entry_id'>
export type NewUnread = Omit<UnreadRow, 'id' | 'first_seen' | 'tries'>
export type NewGapRow = Omit<GapRow, 'id' | 'first_seen'>
export type NewResultRow = Omit<ResultRow, 'id'>

/** What the index knows of one file of a folder. */
export type KnownFile =
  | { in: 'entry'; id: number; name: string; stat: string; sha256: string }
  | ({ in: 'unread' } & Pick<
      UnreadRow,
      'id' | 'name' | 'stat' | 'reason' | 'is_retried' | 'twin_session' | 'twin_name'
    >)

/** The columns of an entry that facts are made of. */
export interface EvidenceRow {
  name: string
  at: string
  cwd: string
  kind: 'start' | 'chain' | 'message'
  side: 'sent' | 'received' | null
  peer_session_id: string | null
  is_queued: number | null
  text_sha256: string | null
  parent: string
  part: string
  brief: string | null
  host: string
  version: string
  inbound: string
  cause: string | null
  missing: number | null
}
