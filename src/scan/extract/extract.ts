import type { Product, Trace } from '../message.ts'
import type { SourceFile } from '../transcripts/find-sources.ts'
import type { AddedFindings } from './extract-file.ts'
import type { Found, FoundSend, Provisional } from './found.ts'

/** A line of an extract. */
export type Finding =
  | ({ is: 'message' } & Found)
  | { is: 'also'; seq: number; line: number; offset: number; row: string | null }
  | { is: 'key'; seq: number; key: string }
  | { is: 'trace'; seq: number; trace: Trace }
  | { is: 'abandoned'; seq: number }
  | ({ is: 'send' } & FoundSend)
  | { is: 'bad-line'; line: number; reason: string }

/** What an extract says of the whole transcript. */
export interface Whole {
  /** What made it: another revision of the program reads the transcript anew. */
  revision: string
  file: string
  kind: SourceFile['kind']
  product: Product | null
  identity: string
  /** The file had not changed for so long when it was read that any later change shows in its identity. */
  isSettled: boolean
  size: number
  sha256: string
  readTo: number
  lines: number
  malformed: number
  unfinishedBytes: number
  toolResults: number
  messages: number
  sessions: string[]
  /** Sessions that rows name as the one they were written in before they were copied here. */
  derivedFrom: string[]
  cwds: string[]
  versions: string[]
  firstAt: string | null
  lastAt: string | null
  /** The findings of this extract, as they stand in its file. */
  findings: AddedFindings
  /** Why the rest could not be read; null where everything was. */
  damage: string | null
  state: unknown
  provisional: { messages: Provisional[]; traces: [seq: number, trace: Trace][] }
}

/** What a scan took out of one transcript, and where it keeps it. */
export interface Extract {
  path: string
  whole: Whole
  /** How it came about: `kept` opened no transcript. */
  work: 'kept' | 'resumed' | 'read'
}
