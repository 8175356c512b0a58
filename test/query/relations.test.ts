import { describe, expect, test } from 'vitest'
import { recordRelations } from '../../src/query/relations.ts'
import { IndexFixture } from './index-fixture.ts'

test('every column of every relation can be read, filtered and ordered by', async () => {
  const fixture = new IndexFixture()
  for (const relation of recordRelations) {
    for (const { name } of relation.columns) {
      const rows = await fixture.rows(relation.name, {
        filter: `${name} is null or ${name} is not null`,
        order: name,
      })
      expect(rows).toEqual([])
    }
    expect(relation.columns.map(({ name }) => name)).toEqual(
      expect.arrayContaining([...relation.tableColumns]),
    )
    expect(
      relation.columns.every(({ name, description }) => /^[a-z][a-z0-9_]*$/.test(name) && description),
    ).toBe(true)
  }
})

test.each([
  ['entries', 'session_id at kind cwd file sha256 extra has_text'],
  ['messages', 'session_id at kind cwd file side peer_as peer_session_id text text_length text_sha256'],
  ['messages', 'is_queued reason outcome envelope_before envelope_after msg_id'],
  ['chain', 'session_id at kind cwd file parent part brief is_current'],
  [
    'sessions',
    'session_id role parent part first_heard last_heard entries inbound host version brief joined_at cwd',
  ],
  ['unreadable', 'file reason first_seen tries session_id is_conflict'],
])('%s has the columns that scripts depend on: %s', (name, columns) => {
  const relation = recordRelations.find(relation => relation.name === name)
  expect(relation?.columns.map(column => column.name)).toEqual(expect.arrayContaining(columns.split(' ')))
})

test('a message is a row with its text, envelope and file, booleans as booleans', async () => {
  const fixture = new IndexFixture()
  const { name } = fixture.message('hello', { is_queued: 0, peer_session_id: 'P', extra: '{"x":1}' })
  fixture.entry({ session_id: 'S1' })
  expect(await fixture.rows('messages')).toEqual([
    {
      session_id: 'S1',
      at: '2026-11-01T10:00:00.000Z',
      kind: 'message',
      cwd: '/home/dev/project',
      file: `S1/${name}`,
      side: 'received',
      peer_as: 'peer',
      peer_session_id: 'P',
      text: 'hello',
      text_length: 5,
      text_sha256: null,
      has_text: true,
      is_queued: false,
      reason: null,
      outcome: 'queued',
      envelope_before: '<m>',
      envelope_after: '</m>',
      msg_id: null,
      fate: null,
      fate_evidence: null,
      peer: 'P',
      name,
      sha256: 'a'.repeat(64),
      extra: '{"x":1}',
    },
  ])
  expect(await fixture.count('entries')).toBe(2)
})

test('chain: the current join is the one that the session names', async () => {
  const fixture = new IndexFixture()
  const first = fixture.entry({ session_id: 'S1', kind: 'chain', parent: 'P1', part: 'one' })
  const second = fixture.entry({ session_id: 'S1', kind: 'chain', parent: 'P2', part: 'two' })
  fixture.entry({
    session_id: 'S2',
    kind: 'chain',
    parent: 'P1',
    part: 'of a session that is not derived yet',
  })
  fixture.session({ session_id: 'S1', parent: 'P2', join_entry_name: second.name })
  expect(await fixture.rows('chain', { select: 'parent,is_current' })).toEqual([
    { parent: 'P1', is_current: false },
    { parent: 'P2', is_current: true },
    { parent: 'P1', is_current: false },
  ])
  expect(first.name < second.name).toBe(true)
})

test('sessions: one with a parent is a lead, another a top', async () => {
  const fixture = new IndexFixture()
  fixture.session({ session_id: 'A' })
  fixture.session({ session_id: 'B', parent: 'A' })
  expect(await fixture.values('sessions', 'role')).toEqual(['top', 'lead'])
  expect(await fixture.values('sessions', 'session_id', "role = 'lead'")).toEqual(['B'])
})

describe('unreadable', () => {
  test('lists files and folders that could not be read', async () => {
    const fixture = new IndexFixture()
    fixture.folder('Locked', {
      problem: 'permission denied',
      first_seen: '2026-11-01T09:00:00.000Z',
      tries: 3,
    })
    fixture.unread('S1', { name: 'x.json', reason: 'empty file', tries: 2 })
    fixture.unread('S1', { name: 'y.json.conflict-0123456789ab', is_conflict: 1, reason: 'other bytes' })
    expect(await fixture.rows('unreadable', { select: 'file,reason,tries,session_id,is_conflict' })).toEqual([
      { file: 'Locked', reason: 'permission denied', tries: 3, session_id: 'Locked', is_conflict: false },
      { file: 'S1/x.json', reason: 'empty file', tries: 2, session_id: 'S1', is_conflict: false },
      {
        file: 'S1/y.json.conflict-0123456789ab',
        reason: 'other bytes',
        tries: 1,
        session_id: 'S1',
        is_conflict: true,
      },
    ])
    expect(await fixture.values('unreadable', 'file', 'is_conflict')).toHaveLength(1)
  })

  test('case 7: a copy with the same bytes is not unknown evidence, one with others is', async () => {
    const fixture = new IndexFixture()
    const { name } = fixture.entry({ session_id: 'S1', sha256: 'b'.repeat(64) })
    const twin = { name, twin_session: 'S1', twin_name: name, reason: 'states another session' }
    fixture.unread('S1-copy', { ...twin, sha256: 'b'.repeat(64) })
    fixture.unread('S1-other', { ...twin, sha256: 'c'.repeat(64) })
    fixture.unread('S1-unknown', { ...twin, sha256: null })
    expect(await fixture.values('unreadable', 'session_id')).toEqual(['S1-other', 'S1-unknown'])
  })
})
