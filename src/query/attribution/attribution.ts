/** Whose words a text is, as far as the evidence goes. */
export interface Attribution {
  verdict: 'person' | 'peer' | 'launcher' | 'notice' | 'unknown' | 'ambiguous'
  /**
   * What the verdict rests on: `msgId` (the host's id stands on both sides, ruling 7), `record` (an entry states it),
   * `transcript` (a row that a scan found), `candidates` (entries fit by text, time and addresses, which is no match),
   * `none`.
   */
  evidence: 'msgId' | 'candidates' | 'record' | 'transcript' | 'none'
  candidates: (Candidate | ScannedCandidate)[]
}

/** A message entry that the text may be. */
export interface Candidate {
  file: string
  sessionId: string
  at: string
  side: 'sent' | 'received'
  /** The other party exactly as the host gave it, and its full id only where the host resolved it. */
  peer: { as: string | null; sessionId: string | null }
  msgId: string | null
  /** What became of the message, and the row of a transcript that says so (ruling 13); null without a scan. */
  fate: string | null
  fateEvidence: string | null
}

/** A message that a scan found in a transcript (docs/transcripts.md). */
export interface ScannedCandidate {
  transcript: { file: string; line: number; offset: number; row: string | null }
  sessionId: string
  at: string | null
  label: 'person' | 'launcher' | 'peer' | 'notice' | 'unresolved'
  confidence: string
  kind: string
  /** The host's id of a peer's message, and the session on whose side it stands too (ruling 7). */
  msgId: string | null
  senderSessionId: string | null
}

/** A stretch of time in the record's format, both ends included. */
export interface Period {
  from: string
  to: string
}
