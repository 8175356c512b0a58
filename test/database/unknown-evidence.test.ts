import { expect, it } from 'vitest'
import { readUnknownEvidence } from '../../src/database/unknown-evidence.ts'
import { IndexFixture } from '../query/index-fixture.ts'

const name = '2026-11-01T100000.000Z-load-000009.json'
const sha256 = 'b'.repeat(64)

it('rule.oneWriter: what cannot be read may hide something of its folder’s session, at the time its name states', () => {
  const index = new IndexFixture()
  index.unread('B', { name, name_at: '2026-11-01T10:00:00.000Z' })
  index.unread('A', { name: 'notes.json', name_at: null })
  expect(readUnknownEvidence(index.sqlite)).toEqual([
    { sessionId: 'A', at: null, file: 'A/notes.json' },
    { sessionId: 'B', at: '2026-11-01T10:00:00.000Z', file: `B/${name}` },
  ])
})

it('one that states another session may hide something of both', () => {
  const index = new IndexFixture()
  index.unread('a\0b', { name, twin_session: 'B', twin_name: name, sha256 })
  expect(readUnknownEvidence(index.sqlite)).toEqual([
    { sessionId: 'a\0b', at: null, file: `a\0b/${name}` },
    { sessionId: 'B', at: null, file: `a\0b/${name}` },
  ])
})

it('one that states its own folder hides something of it once', () => {
  const index = new IndexFixture()
  index.unread('A', { name, twin_session: 'A', twin_name: 'else.json', sha256 })
  expect(readUnknownEvidence(index.sqlite)).toHaveLength(1)
})

it.each([
  ['the same bytes under its own name there', {}, 0],
  ['other bytes', { sha256: 'c'.repeat(64) }, 2],
  ['another name', { name: '2026-11-01T100000.000Z-load-000010.json' }, 2],
  ['another session', { session_id: 'C' }, 2],
])('a copy of an entry is no unknown evidence: %s', (_, entry, count) => {
  const index = new IndexFixture()
  index.unread('A', { name, twin_session: 'B', twin_name: name, sha256 })
  index.entry({ session_id: 'B', name, sha256, ...entry })
  expect(readUnknownEvidence(index.sqlite)).toHaveLength(count)
})
