import { type Kysely, type SqlBool, sql } from 'kysely'
import type { IndexTables } from '../../database/tables.ts'
import { FATE, FATE_EVIDENCE } from '../fate.ts'
import type { OrderTerm, Relation, RelationColumn, RelationSource } from '../relation.ts'
import { columnsOf, filePath } from './columns.ts'

const { text, number, boolean, time } = columnsOf('entry')

const sessionId = text('session_id', 'full id of the session that wrote the entry')
const at = time('at', 'when the session wrote it')
const kind = text('kind', 'start, chain or message')
const cwd = text('cwd', 'working directory of the session')
const file = text(
  'file',
  'path of the entry, relative to the record folder',
  filePath('entry.session_id', 'entry.name'),
)
const sha256 = text('sha256', "SHA-256 of the entry's file")
const extra = text('extra', 'fields that this version does not know, as JSON')

const side = text('side', 'sent or received')
const peerAs = text('peer_as', 'the other party, exactly as the host named it')
const peerSessionId = text('peer_session_id', 'full id of the other party, where the host showed it')
const textLength = number('text_length', 'bytes of the text in UTF-8')
const textSha256 = text('text_sha256', 'SHA-256 of the text')
const hasText = boolean('has_text', 'whether the record holds the text itself, not only length and hash')
const isQueued = boolean('is_queued', 'of a sent message: whether the host queued it; never that it was read')
const reason = text('reason', 'of a sent message: why it was not queued')
const outcome = text('outcome', 'of a received message: queued, consumed, rejected or unknown')
const peer = text(
  'peer',
  'the other party: its full id where the host showed it, else as the host named it',
  sql`coalesce(${sql.ref('entry.peer_session_id')}, ${sql.ref('entry.peer_as')})`,
)
const msgId = text('msg_id', "the host's message id, where the sender saw one")

const parent = text('parent', 'full id of the session that it answers to')
const part = text('part', 'the part of the work it was given')
const brief = text('brief', 'where its brief stands')

/** An entry's file is named by session and name, so this order leaves no tie. */
const byTime: readonly OrderTerm[] = [
  { column: 'at', direction: 'asc' },
  { column: 'name', direction: 'asc' },
  { column: 'session_id', direction: 'asc' },
]
const name = text('name', "name of the entry's file")

/** Every entry of the record that could be read. */
export const entries: Relation = {
  name: 'entries',
  description: 'every entry of the record',
  columns: [
    sessionId,
    at,
    kind,
    cwd,
    file,
    side,
    peerAs,
    peerSessionId,
    textLength,
    textSha256,
    hasText,
    isQueued,
    reason,
    outcome,
    msgId,
    parent,
    part,
    brief,
    text('host', 'of a start entry: the program that ran the session'),
    text('version', 'of a start entry: its version'),
    text('inbound', "of a start entry: the host's setting for messages from other sessions"),
    text('cause', 'of a start entry: startup, resume, clear, fork or reload'),
    number('missing', 'so many entries before it could not be written'),
    name,
    sha256,
    extra,
  ],
  tableColumns: ['at', 'session_id', 'kind', 'side', 'peer_as', 'cwd'],
  order: byTime,
  from: db => source(db.selectFrom('entry')),
}

/** A message whose text the record does not hold is neither found nor ruled out by its words (rule.metadataOnly). */
const messageText: RelationColumn = {
  ...columnsOf('message_text').text(
    'text',
    'the text, byte for byte; null where only length and hash are kept',
  ),
  search: {
    table: 'message_text',
    id: sql.ref('entry.id'),
    known: sql<SqlBool>`${sql.ref('entry.has_text')}`,
  },
}

/** The messages between sessions, both sides (messageEntry). */
export const messages: Relation = {
  name: 'messages',
  description: 'messages sent and received',
  columns: [
    sessionId,
    at,
    kind,
    cwd,
    file,
    side,
    peerAs,
    peerSessionId,
    messageText,
    textLength,
    textSha256,
    hasText,
    isQueued,
    reason,
    outcome,
    columnsOf('message_text').text('envelope_before', "the host's characters before the text"),
    columnsOf('message_text').text('envelope_after', "the host's characters after the text"),
    msgId,
    text(
      'fate',
      'what became of it, by scans: read, released, held, refused, denied, expired, dropped or unknown; null without a scan',
      sql.raw(FATE),
    ),
    text(
      'fate_evidence',
      "the row of a transcript that holds the host's id of the message and says so, and of which scan",
      sql.raw(FATE_EVIDENCE),
    ),
    peer,
    name,
    sha256,
    extra,
  ],
  tableColumns: ['at', 'session_id', 'side', 'peer', 'text'],
  order: byTime,
  from: db => source(withKind(db, 'message').leftJoin('message_text', 'message_text.entry_id', 'entry.id')),
}

const isCurrent = sql`(case when ${sql.ref('session.join_entry_name')} = ${sql.ref('entry.name')} then true else false end)`

/** The join entries (chainEntry), the superseded ones too. */
export const chain: Relation = {
  name: 'chain',
  description: 'who joined whom',
  columns: [
    sessionId,
    at,
    kind,
    cwd,
    file,
    parent,
    part,
    brief,
    boolean('is_current', "whether it is the session's join that counts", isCurrent),
    name,
    sha256,
    extra,
  ],
  tableColumns: ['at', 'session_id', 'parent', 'part', 'is_current', 'brief'],
  order: byTime,
  from: db => source(withKind(db, 'chain').leftJoin('session', 'session.session_id', 'entry.session_id')),
}

/** The kind stands as a literal: an index of `kind = 'chain'` is used for nothing less. */
function withKind(db: Kysely<IndexTables>, wanted: 'message' | 'chain') {
  return db.selectFrom('entry').where('entry.kind', '=', sql.lit(wanted))
}

// Kysely's type names the joined tables; a relation's columns are expressions already, so it need not.
function source(query: unknown): RelationSource {
  return query as RelationSource
}
