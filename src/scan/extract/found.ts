import type { Confidence, DeliveryNotice, Label, Trace } from '../message.ts'

/** Words found at one place of a transcript, before what stands elsewhere is joined. */
export interface Found {
  /** Its number in the transcript's extract, from 0. */
  seq: number
  label: Label
  confidence: Confidence
  kind: string
  words: string
  at: string | null
  session: string
  cwd: string | null
  line: number
  offset: number
  row: string | null
  /** The deciding fields of the row. */
  fields: Record<string, unknown>
  /** The row holds no evidence either way: it decides nothing where a copy or a list of typed prompts knows more. */
  saysNothing?: true
  /** Of words that came from another session: the program's id of that message (ruling 7). */
  msgId?: string
  /** Of the program's notice to a sender: what became of which messages (ruling 13). */
  deliveries?: DeliveryNotice[]
  /** Of a launcher's words: the session that started this one and may have handed them on. */
  launchedBy?: string
  /** Two places that share a key, in one transcript or in several, hold one message. */
  keys: string[]
}

/** Words that are a message only if nothing follows in the transcript. */
export interface Provisional extends Omit<Found, 'seq'> {
  also: (RowPlace & { row: string | null })[]
  /** The person took it back. */
  isAbandoned?: boolean
}

/** A message to another session as the sender's transcript shows it, with the host's id of it (ruling 7). */
export interface FoundSend {
  msgId: string
  words: string
  session: string
  at: string | null
  line: number
  offset: number
  row: string | null
}

/** What a reader of rows tells of what it finds. */
export interface Findings {
  /** Returns the number that later findings name it by. */
  message(found: Omit<Found, 'seq'>): number
  /** Another row of the same transcript that holds the same message. */
  alsoAt(seq: number, place: RowPlace & { row: string | null }): void
  /** A key that became known after the words were found. */
  key(seq: number, key: string): void
  trace(seq: number, trace: Trace): void
  /** The person went back to before this message and on from there. */
  abandoned(seq: number): void
  send(send: FoundSend): void
  toolResult(): void
}

/** Where a row stands. */
export interface RowPlace {
  line: number
  offset: number
}

/**
 * Reads the rows of one transcript in their order. All that it must remember is in `state`, as JSON, so that a
 * transcript that has grown is read on from where it ended.
 */
export interface RowReader {
  readonly state: unknown
  read(row: Record<string, unknown>, place: RowPlace): void
  /** What holds only if nothing follows: words still in a queue, turns without an end. */
  provisional(): { messages: Provisional[]; traces: [seq: number, trace: Trace][] }
}
