import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { EvidenceRow } from '../../src/database/new-rows.ts'
import { toStored } from '../../src/database/stored-text.ts'
import { entryRow } from '../../src/indexer/entry-row.ts'
import { evidenceFrom, evidenceOf } from '../../src/indexer/evidence-row.ts'
import { type Entry, parseEntry } from '../../src/record/entry.ts'
import { wholeEntries } from '../support/entries.ts'
import type { Fields } from '../support/record-builder.ts'

const ODD = 'ü\0\ud800'

function entryOf(fields: Fields): Entry {
  const parsed = parseEntry(JSON.stringify(fields))
  if ('reason' in parsed) throw new Error(parsed.reason)
  return parsed.entry
}

const common = { session_id: 'session-1', at: '2026-11-01T10:00:00.000Z', extra: null }
const { start, chain, sent, received } = wholeEntries
const { text: _, ...silent } = received

describe('an entry as a row of the index', () => {
  it.each<[string, Fields, object, object | null]>([
    [
      'start',
      { ...start, host: ODD, version: `v${ODD}`, inbound: `i${ODD}`, cwd: `/${ODD}` },
      {
        ...{ host: toStored(ODD), version: toStored(`v${ODD}`), inbound: toStored(`i${ODD}`) },
        cwd: toStored(`/${ODD}`),
      },
      null,
    ],
    [
      'chain',
      { ...chain, part: ODD, brief: `b${ODD}` },
      { parent: 'session-0', part: toStored(ODD), brief: toStored(`b${ODD}`) },
      null,
    ],
    ['chain without a brief', { ...chain, brief: null }, { part: 'the tests', brief: null }, null],
    [
      'sent',
      { ...sent, text: ODD, reason: `r${ODD}`, msgId: `m${ODD}`, peer: { as: ODD, sessionId: 'session-2' } },
      {
        ...{
          side: 'sent',
          peer_as: toStored(ODD),
          peer_session_id: 'session-2',
          is_queued: 0,
          outcome: null,
        },
        ...{ reason: toStored(`r${ODD}`), msg_id: toStored(`m${ODD}`), has_text: 1 },
        ...{ text_length: Buffer.byteLength(ODD), text_sha256: hash('sha256', ODD) },
      },
      { text: toStored(ODD), envelope_before: null, envelope_after: null },
    ],
    [
      'sent and queued, without more',
      { ...sent, isQueued: true, reason: null, msgId: null, peer: { as: null } },
      { is_queued: 1, reason: null, msg_id: null, peer_as: null, peer_session_id: null },
      { text: 'hello', envelope_before: null, envelope_after: null },
    ],
    [
      'received',
      { ...received, envelope: { before: `<${ODD}`, after: `>${ODD}` }, outcome: 'consumed' },
      { side: 'received', outcome: 'consumed', is_queued: null, reason: null, msg_id: null, text_length: 5 },
      { text: 'hello', envelope_before: toStored(`<${ODD}`), envelope_after: toStored(`>${ODD}`) },
    ],
    [
      'in metadata mode',
      { ...silent, textLength: 0, textSha256: 'a'.repeat(64) },
      { has_text: 0, text_length: 0, text_sha256: 'a'.repeat(64) },
      expect.objectContaining({ text: null }),
    ],
    [
      'with an empty text',
      { ...sent, text: '' },
      { has_text: 1, text_length: 0 },
      expect.objectContaining({ text: '' }),
    ],
    [
      'with what no version knows yet',
      { ...chain, more: ODD },
      { extra: toStored(JSON.stringify({ more: ODD })) },
      null,
    ],
  ])('%s', (_, fields, expected, text) => {
    const rows = entryRow(entryOf(fields))
    const { extra, ...said } = { ...common, ...expected }
    expect(rows.row).toMatchObject({ ...said, kind: fields.kind })
    if (extra !== null) expect(rows.row.extra).toBe(extra)
    expect(rows.text).toEqual(text)
  })

  it('has null in every column that is no field of its kind', () => {
    const filled = (fields: Fields) =>
      Object.entries(entryRow(entryOf(fields)).row).flatMap(([name, value]) => (value === null ? [] : [name]))
    const all = ['kind', 'session_id', 'at', 'cwd']
    expect(
      filled(start)
        .filter(name => name !== 'extra')
        .sort(),
    ).toEqual([...all, 'host', 'version', 'inbound', 'cause', 'missing'].sort())
    expect(filled(chain).sort()).toEqual([...all, 'parent', 'part', 'brief'].sort())
    expect(filled(received)).toContain('missing')
  })
})

describe('evidence', () => {
  it.each<[string, Fields]>([
    ['start', { ...start, host: ODD, version: ODD, inbound: ODD, cwd: ODD, cause: ODD, missing: 3 }],
    ['start without a cause', { ...start, cause: undefined }],
    ['chain', { ...chain, part: ODD, brief: ODD }],
    ['chain without a brief', { ...chain, brief: null }],
    ['sent, not queued', sent],
    ['sent, queued', { ...sent, isQueued: true }],
    ['sent to nobody known', { ...sent, peer: { as: ODD } }],
    ['received', received],
  ])('from an entry and from its row is the same: %s', (_, fields) => {
    const entry = entryOf(fields)
    const { row } = entryRow(entry)
    const told = evidenceOf('name', entry, row)
    const stored = evidenceFrom({ ...row, name: 'name' } as EvidenceRow)
    expect(told).toMatchObject(JSON.parse(JSON.stringify(stored)))
    expect(stored.cwd).toBe(entry.cwd)
    if (entry.kind === 'message' && entry.side === 'sent')
      expect(stored).toMatchObject({ isQueued: entry.isQueued, peer: { sessionId: entry.peer.sessionId } })
  })
})
