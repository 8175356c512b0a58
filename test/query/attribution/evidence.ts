import { hash } from 'node:crypto'
import { toStored } from '../../../src/database/stored-text.ts'
import type { EntryRow, ScanMessageRow } from '../../../src/database/tables.ts'
import { attributeEntry, attributeText } from '../../../src/query/attribution/attribute.ts'
import type { IsThere } from '../../../src/query/attribution/attribute-scanned.ts'
import { IndexFixture } from '../index-fixture.ts'

export const WORDS = 'go on with the parser'

/** The time of these tests, so many milliseconds later. */
export function later(ms: number): string {
  return new Date(Date.UTC(2026, 10, 1, 10) + ms).toISOString()
}

type Side = { text?: string | null; at?: string } & Partial<EntryRow>

/** An index that holds what the record and scans say of one text, and the questions about it. */
export class EvidenceFixture extends IndexFixture {
  #results = 0
  #rows = 0

  /** A received entry; its path below the record. */
  received(session_id: string, from: { as?: string | null; id?: string }, more: Side = {}): string {
    const peer = { peer_as: from.as === undefined ? 'peer' : from.as, peer_session_id: from.id ?? null }
    return this.#said({ side: 'received', outcome: 'queued', session_id, ...peer, ...more })
  }

  /** A sent entry; its path below the record. */
  sent(session_id: string, to: { as?: string | null; id?: string }, more: Side = {}): string {
    const peer = { peer_as: to.as === undefined ? 'peer' : to.as, peer_session_id: to.id ?? null }
    return this.#said({ side: 'sent', outcome: null, is_queued: 1, session_id, ...peer, ...more })
  }

  /** A scan; what it says counts more, the later it was made. */
  scan(made_at = later(0)): number {
    this.#results += 1
    const name = `scan-${this.#results}.json`
    this.#insertRow('result', {
      ...{ name, stat: 's', kind: 'scan', path: `/results/${this.#results}`, since: made_at },
      ...{ state: 'read', made_at, first_seen: made_at, tries: 0 },
    })
    return this.#results
  }

  /** A message that a scan found, in the row of a transcript. */
  found(result_id: number, row: Partial<ScanMessageRow> & { label: string }): void {
    this.#rows += 1
    const words = row.words ?? WORDS
    this.#insertRow('scan_message', {
      ...{ result_id, message_id: `m${this.#rows}`, confidence: 'high', kind: 'typed', words },
      ...{ sha256: hash('sha256', words), product: 'claude-code', session_id: 'T', at: later(0) },
      ...{ file: `/t/${this.#rows}.jsonl`, line: this.#rows, offset: 0, places: 1, is_decided: 0, ...row },
    })
  }

  ask(where: Parameters<typeof attributeText>[2] = {}, text = WORDS, isThere: IsThere = () => true) {
    return attributeText(this.sqlite, text, where, isThere)
  }

  askEntry(file: string, isThere: IsThere = () => true) {
    return attributeEntry(this.sqlite, file, isThere)
  }

  #said({ text = WORDS, ...more }: Side): string {
    const text_sha256 = more.text_sha256 ?? hash('sha256', text ?? WORDS)
    const { name } = this.message(text, { at: later(0), text_sha256, ...more })
    return `${more.session_id}/${name}`
  }

  #insertRow(table: string, row: object): void {
    const names = Object.keys(row).map(name => `"${name}"`)
    const values = Object.values(row).map(value => (typeof value === 'string' ? toStored(value) : value))
    const marks = values.map(() => '?').join(', ')
    this.sqlite.prepare(`insert into ${table} (${names.join(', ')}) values (${marks})`).run(...values)
  }
}

/** The files of the entries and the transcripts of the rows among candidates. */
export function named(answer: { candidates: readonly object[] }): unknown[] {
  return answer.candidates.map(one => {
    const { file, transcript } = one as { file?: string; transcript?: { file: string } }
    return file ?? transcript?.file
  })
}
