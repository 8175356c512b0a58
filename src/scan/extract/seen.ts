import type { WholeNotes } from '../transcript-format.ts'
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
  }
}

/** Takes notes of the whole into what was seen. */
export function notesInto(seen: Seen): WholeNotes {
  const add = (set: Set<string>, value: unknown) => void (typeof value === 'string' && set.add(value))
  return {
    session: id => add(seen.sessions, id),
    derivedFrom: id => add(seen.derivedFrom, id),
    cwd: path => add(seen.cwds, path),
    version: version => add(seen.versions, version),
    at(time) {
      if (time === null) return
      if (seen.firstAt === null || time < seen.firstAt) seen.firstAt = time
      if (seen.lastAt === null || time > seen.lastAt) seen.lastAt = time
    },
  }
}
