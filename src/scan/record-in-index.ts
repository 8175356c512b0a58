import type { Database } from '../database/database.ts'
import { fromStored, toStored } from '../database/stored-text.ts'
import type { MessageEntry, RecordLookup } from './merge/record-lookup.ts'

/** How far apart the row of a transcript and an entry of the record may be and still tell of one message. */
const NEAR_MS = 10 * 60_000

/** Answers what a scan asks the record, from an open index. */
export function recordLookup(db: Database): RecordLookup {
  const received = db.prepare(
    `${SELECT} where session_id = ? and side = 'received' and text_sha256 = ? and at between ? and ? order by at, name`,
  )
  const withMsgId = db.prepare(`${SELECT} where side = 'sent' and msg_id = ? order by at, session_id, name`)
  const sent = db.prepare(
    `${SELECT} where side = 'sent' and text_sha256 = ? and (peer_session_id = ? or peer_session_id is null)
      and coalesce(is_queued, true) and at between ? and ? order by at, session_id, name`,
  )
  const joins = db.prepare(
    'select parent, part, brief, join_entry_name from session where session_id = ? and parent is not null',
  )
  // Asked of every message, where few sessions ever received one from another.
  const receivers = new Set(
    db.prepare(`select distinct session_id from entry where side = 'received'`).pluck().all(),
  )
  return {
    received: (session, sha256, at) =>
      receivers.has(toStored(session)) ? entries(received.all(toStored(session), sha256, ...near(at))) : [],
    sentWithMsgId: msgId => entries(withMsgId.all(toStored(msgId))),
    sentLike: (session, sha256, at) =>
      at === null ? [] : entries(sent.all(sha256, toStored(session), ...near(at))),
    join(session) {
      const row = joins.get(toStored(session)) as JoinRow | undefined
      if (!row) return null
      const { parent, part, brief, join_entry_name: name } = row
      return { file: `${session}/${name}`, parent, part: fromStored(part), brief: fromStored(brief) }
    },
  }
}

const SELECT = 'select session_id, name, at, peer_session_id, msg_id, text_sha256 from entry'

interface EntryRow {
  session_id: string
  name: string
  at: string
  peer_session_id: string | null
  msg_id: string | null
  text_sha256: string | null
}

interface JoinRow {
  parent: string
  part: string
  brief: string
  join_entry_name: string
}

function entries(rows: unknown[]): MessageEntry[] {
  return (rows as EntryRow[]).map(row => ({
    file: `${row.session_id}/${row.name}`,
    session: row.session_id,
    at: row.at,
    peerSession: row.peer_session_id,
    msgId: row.msg_id === null ? null : fromStored(row.msg_id),
    sha256: row.text_sha256,
  }))
}

/** A row without a time can be at any. */
function near(at: string | null): [string, string] {
  const time = at === null ? Number.NaN : Date.parse(at)
  if (Number.isNaN(time)) return ['', '\uffff']
  return [new Date(time - NEAR_MS).toISOString(), new Date(time + NEAR_MS).toISOString()]
}
