/**
 * The rows of the index (migrations/), as kysely sees them. An engine may keep true and false as 1 and 0: they are asked
 * for by their truth, never compared with a number.
 */
export interface IndexTables {
  meta: { key: string; value: string }
  folder: FolderRow
  entry: EntryRow
  message_text: MessageTextRow
  unread: UnreadRow
  gone: GoneRow
  gap: GapRow
  session: SessionRow
  result: ResultRow
  scan_source: ScanSourceRow
  scan_message: ScanMessageRow
  scan_direction: ScanDirectionRow
  scan_delivery: ScanDeliveryRow
  scan_arrival: ScanArrivalRow
  run: RunRow
  run_step: RunStepRow
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
  cause: string | null
  missing: number | null
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

export interface GoneRow {
  id: number
  folder: string
  name: string
  at: string
  sha256: string
  since: string
}

export interface GapRow {
  id: number
  session_id: string
  /** Of the entry that follows what is missing. */
  name: string
  name_at: string
  missing: number | null
  reason: string
  first_seen: string
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

export interface ResultRow {
  id: number
  /** Of the file that makes the result known. */
  name: string
  stat: string
  /** Null, like the two below, where that file could not be read. */
  kind: string | null
  path: string | null
  since: string | null
  identity: string | null
  state: 'read' | 'gone' | 'damaged'
  problem: string | null
  status: string | null
  made_at: string | null
  version: string | null
  revision: string | null
  first_seen: string
  tries: number
}

export interface ScanSourceRow {
  id: number
  result_id: number
  file: string
  product: string
  kind: string
  /** Where it holds one session. */
  session_id: string | null
  /** JSON: a list. */
  sessions: string
  cwd: string | null
  /** JSON: a list. */
  versions: string
  size: number
  sha256: string
  read_to: number
  first_at: string | null
  last_at: string | null
  lines: number
  malformed: number
  unfinished_bytes: number
  tool_results: number
  person: number
  launcher: number
  peer: number
  notice: number
  unresolved: number
}

export interface ScanMessageRow {
  id: number
  result_id: number
  message_id: string
  label: string
  confidence: string
  kind: string
  words: string
  sha256: string
  product: string
  session_id: string
  at: string | null
  cwd: string | null
  file: string
  line: number
  offset: number
  row: string | null
  places: number
  is_decided: number
  correlation: string | null
  msg_id: string | null
  /** The one session on whose side the host's message id stands. */
  sender_session_id: string | null
}

export interface ScanDirectionRow {
  id: number
  result_id: number
  turn_end: string
  ended_at: string | null
  files_edited: number
  commands: number
  commits: string | null
  agents: number
  last_words: string | null
  next: string | null
  outcome: string | null
  outcome_evidence: string | null
  outcome_by: string | null
  outcome_at: string | null
}

export interface ScanDeliveryRow {
  id: number
  result_id: number
  /** The `scan_message` that says it. */
  message: number
  /** The host's id of the message that it is about. */
  msg_id: string
  stage: 'read' | 'held' | 'released' | 'refused' | 'denied' | 'expired' | 'dropped'
}

export interface ScanArrivalRow {
  id: number
  result_id: number
  message: number
  session_id: string
  sha256: string
  near: string
  near_from: string
  near_to: string
}

export interface RunRow {
  id: number
  result_id: number
  run_id: string
  yaml_chain: string
  chain_version: string
  started_at: string
  ended_at: string | null
  status: string
  session_id: string | null
  model_calls: number
  resumes: number
  log: string
  yaml_sha256: string
  project: string
  primary_agent: string
}

export interface RunStepRow {
  id: number
  result_id: number
  run_id: string
  position: number
  step: string
  status: string
  reason: string | null
  started_at: string | null
  ended_at: string | null
  attempts: number
  agent: string | null
  family: string | null
  output_sha256: string | null
  skill: string | null
  skill_sha256: string | null
}

// What of a row comes from the file alone, apart from where the file lies and how it was found.

/** Columns of `entry` that hold the entry. */
export const ENTRY_CONTENT = [
  ...(['kind', 'session_id', 'at', 'cwd', 'side', 'peer_as', 'peer_session_id'] as const),
  ...(['text_length', 'text_sha256', 'has_text', 'is_queued', 'reason', 'outcome', 'msg_id'] as const),
  ...(['parent', 'part', 'brief', 'host', 'version', 'inbound', 'cause', 'missing', 'extra'] as const),
] satisfies (keyof EntryRow)[]

/** Columns of `message_text` that hold the message. */
export const TEXT_CONTENT = ['text', 'envelope_before', 'envelope_after'] satisfies (keyof MessageTextRow)[]

/** Columns of `unread` that hold why a file is no entry. */
export const UNREAD_CONTENT = [
  ...(['sha256', 'is_conflict', 'is_retried', 'reason', 'name_at', 'twin_session', 'twin_name'] as const),
] satisfies (keyof UnreadRow)[]
