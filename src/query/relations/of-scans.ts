import { type Kysely, type SqlBool, sql } from 'kysely'
import type { IndexTables } from '../../database/tables.ts'
import type { OrderTerm, Relation, RelationColumn, RelationSource } from '../relation.ts'
import { chainOf, roleOf, sessionColumns, withChains } from './chain-of.ts'
import { columnsOf } from './columns.ts'

// Rows of the scans that are known (docs/scan.md), joined with the sessions and chains of the record. Two scans of the
// same transcripts hold the same messages: `scan` tells them apart.

const message = columnsOf('scan_message')
const direction = columnsOf('scan_direction')
const source = columnsOf('scan_source')
const result = columnsOf('result')

const id = message.text(
  'id',
  'id of the message, which coord scan trace and resolve take',
  sql.ref('scan_message.message_id'),
)
const sessionId = message.text('session_id', 'full id of the session whose transcript holds it')
const at = message.time('at', 'when it was said; null where the transcript gives no time')
const product = message.text('product', 'the program whose transcript it is')
const cwd = message.text('cwd', 'working directory')
const sha256 = message.text('sha256', 'SHA-256 of the words')
const label = message.text('label', 'whose words: person, launcher, peer, notice or unresolved')
const confidence = message.text('confidence', 'high, medium or low')
const kind = message.text('kind', 'kind of row that it was taken from')
const place = [
  message.text('file', 'the transcript'),
  message.number('line', 'its line, from 1'),
  message.number('offset', 'where that line begins, in bytes'),
  message.text('row', 'id of the row'),
]

const words: RelationColumn = {
  ...message.text('words', 'the words, verbatim'),
  search: {
    table: 'scan_message',
    id: sql.ref('scan_message.id'),
    known: sql<SqlBool>`true`,
  },
}

/** What the record says of the session. */
const inRecord = sessionColumns('scan_message.session_id')

const scan = [
  result.text('scan', "folder of the scan's result", sql.ref('result.path')),
  result.text('scan_status', 'incomplete, or complete where its check passed', sql.ref('result.status')),
]

const byTime: readonly OrderTerm[] = ['at', 'file', 'offset', 'id', 'scan'].map(column => ({
  column,
  direction: 'asc',
}))

/** Every message that a scan found, whoever's it is (rule.personsWords). */
export const scannedMessages: Relation = {
  name: 'scanned_messages',
  description: 'messages found in transcripts',
  columns: [
    ...[id, sessionId, at, label, confidence, kind, words, sha256, product, cwd, ...place],
    message.number('places', 'in how many places the same message stands'),
    message.boolean('is_decided', 'whether the label was decided by somebody who read it'),
    message.text(
      'correlation',
      "of a peer's message: what ties it to its sender: msgId, candidates or unknown",
    ),
    message.text('msg_id', "the host's message id"),
    message.text('sender_session_id', 'full id of the session on whose side that id stands too'),
    ...[...inRecord, ...scan],
  ],
  tableColumns: ['at', 'session_id', 'label', 'confidence', 'kind', 'words'],
  order: byTime,
  from: db => ofSource(messagesOf(db)),
}

const outcome = direction.text('outcome', 'done, superseded, declined or open; null until somebody said so')

/** Every message of the person, with what became of it (rule.everyDirectionTraced). */
export const directions: Relation = {
  name: 'directions',
  description: 'messages of the person, with what became of them',
  columns: [
    ...[id, sessionId, at, cwd, product, words, outcome],
    direction.text('outcome_evidence', 'what the one who traced it went by'),
    direction.text('outcome_by', 'who traced it'),
    direction.time('outcome_at', 'when it was traced'),
    direction.boolean(
      'is_open',
      'whether somebody said that it is open; null until it is traced',
      sql`(${sql.ref('scan_direction.outcome')} = 'open')`,
    ),
    direction.text('turn_end', "the turn's end: done, interrupted, error, abandoned, local or unknown"),
    direction.time('ended_at', 'when the turn ended'),
    direction.number('files_edited', 'how many files were edited in the turn'),
    direction.number('commands', 'how many commands were run in it'),
    direction.text('commits', 'commits that git named in it'),
    direction.number('agents', 'how many agents were started in it'),
    direction.text('last_words', "the assistant's last words in it"),
    direction.text('next', "id of the person's next message in the session"),
    ...[label, confidence, kind, sha256, ...place, ...inRecord, ...scan],
  ],
  tableColumns: ['at', 'session_id', 'chain', 'outcome', 'turn_end', 'words'],
  order: byTime,
  from: db => ofSource(messagesOf(db).innerJoin('scan_direction', 'scan_direction.id', 'scan_message.id')),
}

/** Every transcript that a scan read. */
export const sources: Relation = {
  name: 'sources',
  description: 'transcripts that were scanned',
  columns: [
    source.text('file', 'the transcript'),
    source.text('product', 'the program whose transcript it is'),
    source.text('kind', 'transcript, or history: a list of typed prompts'),
    source.text('session_id', 'full id of its session, where it holds one'),
    source.text('sessions', 'the sessions that it holds, as JSON'),
    source.text('cwd', 'working directory'),
    source.text('versions', 'versions of the program that wrote it, as JSON'),
    source.number('size', 'bytes that were read'),
    source.text('sha256', 'SHA-256 of those bytes'),
    source.number('read_to', 'bytes up to the end of its last whole line'),
    source.time('first_at', 'time of its first row'),
    source.time('last_at', 'time of its last row'),
    source.number('lines', 'whole lines'),
    source.number('malformed', 'lines that are no row'),
    source.number('unfinished_bytes', 'bytes of a last line that had no end'),
    source.number('tool_results', 'plain tool results, which are no messages'),
    ...(['person', 'launcher', 'peer', 'notice', 'unresolved'] as const).map(one =>
      source.number(one, `places of messages labelled ${one}`),
    ),
    columnsOf('session').text(
      'role',
      'of its session in the record: top, lead or boundary',
      roleOf('scan_source.session_id'),
    ),
    columnsOf('session').text('part', 'the part of the work it was given'),
    columnsOf('session').text(
      'chain',
      'the session at the root of its chain',
      chainOf('scan_source.session_id'),
    ),
    ...scan,
  ],
  tableColumns: ['file', 'product', 'size', 'lines', 'person', 'unresolved', 'last_at'],
  order: [
    { column: 'file', direction: 'asc' },
    { column: 'scan', direction: 'asc' },
  ],
  from: db =>
    ofSource(
      withChains(db)
        .selectFrom('scan_source')
        .innerJoin('result', 'result.id', 'scan_source.result_id')
        .leftJoin('session', 'session.session_id', 'scan_source.session_id')
        .leftJoin('chain_of', 'chain_of.session_id', 'scan_source.session_id'),
    ),
}

/** The results that are known for this record, those too that are gone or cannot be read. */
export const results: Relation = {
  name: 'results',
  description: 'results of scans, and runs of YAML chains, that this record knows of',
  columns: [
    result.text('kind', 'scan or run'),
    result.text('path', 'where it lies'),
    result.text('state', 'read, gone or damaged'),
    result.text('status', 'of a scan incomplete or complete, of a run as in the relation runs'),
    result.time('made_at', 'when the scan was made'),
    result.text('version', 'version of coord that made it'),
    result.text('revision', 'revision of coord that made it'),
    result.text('reason', 'why it could not be read', sql.ref('result.problem')),
    result.time('since', 'since when it is known'),
    result.text('name', 'the file that makes it known'),
  ],
  tableColumns: ['kind', 'path', 'state', 'status', 'made_at', 'reason'],
  order: [{ column: 'name', direction: 'asc' }],
  from: db => ofSource(db.selectFrom('result')),
}

function messagesOf(db: Kysely<IndexTables>) {
  return withChains(db)
    .selectFrom('scan_message')
    .innerJoin('result', 'result.id', 'scan_message.result_id')
    .leftJoin('session', 'session.session_id', 'scan_message.session_id')
    .leftJoin('chain_of', 'chain_of.session_id', 'scan_message.session_id')
}

// Kysely's type names the joined tables; a relation's columns are expressions already, so it need not.
function ofSource(query: unknown): RelationSource {
  return query as RelationSource
}
