import type { Product } from '../message.ts'
import type { SourceFile } from '../transcripts/find-sources.ts'
import { type JsonObject, momentOf } from '../transcripts/json-row.ts'
import type { Whole } from './extract.ts'

/** What was seen of a transcript as a whole. */
export interface Seen {
  lines: number
  malformed: number
  toolResults: number
  messages: number
  sessions: Set<string>
  derivedFrom: Set<string>
  cwds: Set<string>
  versions: Set<string>
  firstAt: string | null
  lastAt: string | null
  isCodexHistory: boolean
}

/** What was seen before the transcript is read, or read on. */
export function newSeen(before: Whole | null): Seen {
  return {
    ...{
      lines: before?.lines ?? 0,
      malformed: before?.malformed ?? 0,
      toolResults: before?.toolResults ?? 0,
    },
    messages: before?.messages ?? 0,
    sessions: new Set(before?.sessions),
    derivedFrom: new Set(before?.derivedFrom),
    cwds: new Set(before?.cwds),
    versions: new Set(before?.versions),
    ...{ firstAt: before?.firstAt ?? null, lastAt: before?.lastAt ?? null },
    isCodexHistory: before?.product === 'codex',
  }
}

/** Notes what a row says of the whole. */
export function noteRow(seen: Seen, row: JsonObject): void {
  const payload = row.type === 'session_meta' ? (row.payload as JsonObject | undefined) : undefined
  const note = (set: Set<string>, value: unknown) => void (typeof value === 'string' && set.add(value))
  note(seen.sessions, row.sessionId)
  note(seen.sessions, payload?.id)
  if (row.session_id !== row.sessionId) note(seen.derivedFrom, row.session_id)
  if (row.requestSessionId !== row.sessionId) note(seen.derivedFrom, row.requestSessionId)
  note(seen.derivedFrom, payload?.forked_from_id)
  note(seen.cwds, row.cwd ?? payload?.cwd ?? row.project)
  note(seen.versions, row.version ?? payload?.cli_version)
  if (row.session_id !== undefined && row.text !== undefined) seen.isCodexHistory = true
  const at = momentOf(row.timestamp)
  if (at === null) return
  if (seen.firstAt === null || at < seen.firstAt) seen.firstAt = at
  if (seen.lastAt === null || at > seen.lastAt) seen.lastAt = at
}

/** The program that wrote the transcript; a list of typed prompts tells by its rows which one it was. */
export function productIn(source: SourceFile, product: Product | null, seen: Seen): Product | null {
  if (source.kind === 'transcript') return product
  return seen.isCodexHistory ? 'codex' : 'claude-code'
}
