import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Writes a record as other programs would: plain JSON under plain names, with nothing of src in between, so that
 * a fault in the product's own writer cannot hide one in its readers.
 */
export interface RecordBuilder {
  readonly dir: string
  start(session: string, at: string, more?: Fields): string
  chain(session: string, parent: string, part: string, at: string, more?: Fields): string
  sent(session: string, to: Peer | string, text: string, at: string, more?: Fields): string
  received(session: string, from: Peer | string, text: string, at: string, more?: Fields): string
  /** Any entry, any field; `file` is the name, without it one is made of `at`. */
  entry(session: string, entry: Fields, file?: string): string
  /** Any bytes under any name in a folder; returns the path relative to the record. */
  raw(folder: string, file: string, bytes: string | Uint8Array): string
  /** The absolute path of a path that another method returned. */
  path(file: string): string
}

export type Fields = Record<string, unknown>

export interface Peer {
  as: string | null
  sessionId?: string
}

/** The record's times in tests: `at(0)` is 2026-11-01 10:00 UTC, `at(1)` one second later. */
export function at(seconds: number): string {
  return new Date(Date.UTC(2026, 10, 1, 10) + Math.round(seconds * 1000)).toISOString()
}

/** The plainest file name for an entry of this time. */
export function fileName(time: string, sequence: string): string {
  return `${time.replaceAll(':', '')}-${sequence}.json`
}

export const startFields = {
  cwd: '/home/dev/project',
  host: 'claude-code',
  version: '2.1.332',
  inbound: 'accept',
} as const

export const envelope = {
  before: '<cross-session-message from="uds:/run/s/1.sock" from-name="peer" from-mode="prompting">\n',
  after: '\n</cross-session-message>',
} as const

/** A peer that the host resolved to a session id. */
export function resolved(sessionId: string): Peer {
  return { as: `uds:/run/s/${sessionId}.sock`, sessionId }
}

export function recordBuilder(dir: string): RecordBuilder {
  mkdirSync(dir, { recursive: true })
  let count = 0
  const { cwd } = startFields

  const builder: RecordBuilder = {
    dir,
    start: (session, time, more) =>
      builder.entry(session, { kind: 'start', sessionId: session, at: time, ...startFields, ...more }),
    chain: (session, parent, part, time, more) =>
      builder.entry(session, { kind: 'chain', sessionId: session, at: time, parent, part, cwd, ...more }),
    sent: (session, to, text, time, more) =>
      builder.entry(session, {
        kind: 'message',
        sessionId: session,
        at: time,
        side: 'sent',
        peer: peer(to),
        text,
        isQueued: true,
        cwd,
        ...more,
      }),
    received: (session, from, text, time, more) =>
      builder.entry(session, {
        kind: 'message',
        sessionId: session,
        at: time,
        side: 'received',
        peer: peer(from),
        envelope,
        text,
        outcome: 'queued',
        cwd,
        ...more,
      }),
    entry(session, entry, file) {
      count += 1
      const name = file ?? fileName(String(entry.at), `t-${String(count).padStart(6, '0')}`)
      return builder.raw(session, name, JSON.stringify(entry))
    },
    raw(folder, file, bytes) {
      mkdirSync(join(dir, folder), { recursive: true })
      writeFileSync(join(dir, folder, file), bytes)
      return `${folder}/${file}`
    },
    path: file => join(dir, file),
  }
  return builder
}

/** Puts a whole file at its place in one step, as a sync tool does it. */
export function publish(path: string, bytes: string): void {
  writeFileSync(`${path}.tmp`, bytes)
  renameSync(`${path}.tmp`, path)
}

function peer(given: Peer | string): Peer {
  return typeof given === 'string' ? { as: given } : given
}
