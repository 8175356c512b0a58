/** An entry of the record as far as attribution needs it. */
export interface MessageEntry {
  /** Path below the record's folder. */
  file: string
  session: string
  at: string
  /** The other party's full id, where the host showed it. */
  peerSession: string | null
  /** The host's id of the message, where the entry keeps one. */
  msgId: string | null
  /** Of its text; null where it is not known. */
  sha256: string | null
}

/** What a scan asks the record (src/query/attribution answers from the index). */
export interface RecordLookup {
  /** Received entries of a session with a text of this hash, near a time where one is given. */
  received(session: string, sha256: string, at: string | null): MessageEntry[]
  /** Sent entries that keep this id of the host's (ruling 7). */
  sentWithMsgId(msgId: string): MessageEntry[]
  /** Sent entries with a text of this hash near a time, to this session or to one that is not named. */
  sentLike(session: string, sha256: string, at: string | null): MessageEntry[]
  /** The session's own join that counts. */
  join(session: string): { file: string; parent: string; part: string; brief: string } | null
}
