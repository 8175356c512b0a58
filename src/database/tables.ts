/** The rows of the index (migrations/), as kysely sees them. Booleans are 0 and 1. */
export interface IndexTables {
  meta: { key: string; value: string }
  folder: FolderRow
  entry: EntryRow
  message_text: MessageTextRow
  unread: UnreadRow
  session: SessionRow
  message_fts: { rowid: number; message_fts: string }
}

export interface FolderRow {
  id: number
  name: string
  identity: string | null
  /** Its last change was old enough when it was listed that any later one has another time. */
  is_settled: number
  problem: string | null
  first_seen: string | null
  tries: number
}

export interface EntryRow {
  id: number
  folder_id: number
  name: string
  stat: string
  sha256: string
  kind: 'start' | 'chain' | 'message'
  session_id: string
  at: string
  cwd: string
  side: 'sent' | 'received' | null
  peer_as: string | null
  peer_session_id: string | null
  text_length: number | null
  text_sha256: string | null
  has_text: number | null
  is_queued: number | null
  reason: string | null
  outcome: string | null
  msg_id: string | null
  parent: string | null
  part: string | null
  brief: string | null
  host: string | null
  version: string | null
  inbound: string | null
  extra: string | null
}

export interface MessageTextRow {
  entry_id: number
  text: string | null
  envelope_before: string | null
  envelope_after: string | null
}

export interface UnreadRow {
  id: number
  folder_id: number
  name: string
  stat: string
  sha256: string | null
  is_conflict: number
  is_retried: number
  reason: string
  name_at: string | null
  twin_session: string | null
  twin_name: string | null
  first_seen: string
  tries: number
}

export interface SessionRow {
  session_id: string
  first_heard: string
  last_heard: string
  entries: number
  cwd: string
  host: string | null
  version: string | null
  inbound: string | null
  parent: string | null
  part: string | null
  brief: string | null
  joined_at: string | null
  join_entry_name: string | null
  facts: string
}

// What of a row comes from the file alone, apart from where the file lies and how it was found.

/** Columns of `entry` that hold the entry. */
export const ENTRY_CONTENT = [
  ...(['kind', 'session_id', 'at', 'cwd', 'side', 'peer_as', 'peer_session_id'] as const),
  ...(['text_length', 'text_sha256', 'has_text', 'is_queued', 'reason', 'outcome', 'msg_id'] as const),
  ...(['parent', 'part', 'brief', 'host', 'version', 'inbound', 'extra'] as const),
] satisfies (keyof EntryRow)[]

/** Columns of `message_text` that hold the message. */
export const TEXT_CONTENT = ['text', 'envelope_before', 'envelope_after'] satisfies (keyof MessageTextRow)[]

/** Columns of `unread` that hold why a file is no entry. */
export const UNREAD_CONTENT = [
  ...(['sha256', 'is_conflict', 'is_retried', 'reason', 'name_at', 'twin_session', 'twin_name'] as const),
] satisfies (keyof UnreadRow)[]
