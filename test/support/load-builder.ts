import { renameSync } from 'node:fs'
import { type Fields, fileName, type Peer, type RecordBuilder } from './record-builder.ts'

/** Writes one session's entries of one load, under the names that the mod gives: numbers from 1 on. */
export interface LoadBuilder {
  start(at: string, cause?: string | null, more?: Fields): string
  chain(parent: string, part: string, at: string, more?: Fields): string
  sent(to: Peer | string, text: string, at: string, more?: Fields): string
  received(from: Peer | string, text: string, at: string, more?: Fields): string
  /** Numbers that are used up by entries which are never written. */
  lose(count?: number): void
}

export function loadOf(record: RecordBuilder, session: string, load = '1a2b3c4d'): LoadBuilder {
  let number = 0
  const numbered = (at: string, path: string) => {
    number += 1
    const name = fileName(at, `${load}-${String(number).padStart(6, '0')}`)
    renameSync(record.path(path), record.path(`${session}/${name}`))
    return `${session}/${name}`
  }
  return {
    start: (at, cause = 'startup', more) =>
      numbered(at, record.start(session, at, { ...(cause === null ? {} : { cause }), ...more })),
    chain: (parent, part, at, more) => numbered(at, record.chain(session, parent, part, at, more)),
    sent: (to, text, at, more) => numbered(at, record.sent(session, to, text, at, more)),
    received: (from, text, at, more) => numbered(at, record.received(session, from, text, at, more)),
    lose(count = 1) {
      number += count
    },
  }
}
