import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type Place, place, sharedPlace } from '../support/coord.ts'
import { at, envelope, resolved, startFields } from '../support/record-builder.ts'

const ofEntries = ['session_id', 'at', 'kind', 'cwd', 'file']
/** The columns that scripts rely on. */
const contract: Record<string, string[]> = {
  entries: ofEntries,
  messages: [
    ...ofEntries,
    'side',
    'peer_as',
    'peer_session_id',
    'text',
    'text_length',
    'text_sha256',
    'is_queued',
    'reason',
    'outcome',
    'envelope_before',
    'envelope_after',
    'msg_id',
  ],
  chain: [...ofEntries, 'parent', 'part', 'brief', 'is_current'],
  sessions: [
    'session_id',
    'role',
    'parent',
    'part',
    'first_heard',
    'last_heard',
    'entries',
    'inbound',
    'host',
    'version',
  ],
  unreadable: ['file', 'reason', 'first_seen', 'tries'],
}

type Row = Record<string, unknown>

async function rowsOf(here: Place, ...args: string[]): Promise<Row[]> {
  const outcome = await here.run('query', ...args, '--json')
  expect([0, 8], outcome.stderr).toContain(outcome.code)
  return outcome.json().rows
}

describe('coord query --json', () => {
  const here = sharedPlace()
  here.record.start('top', at(0))
  here.record.chain('lead', 'top', 'part', at(1))
  here.record.sent('lead', resolved('top'), 'report', at(2))
  here.record.raw('lead', '2026-11-01T100003.000Z-torn.json', '{')

  test.each(Object.keys(contract))(
    '%s: freshness, columns and rows of just these columns',
    async relation => {
      const outcome = await here.run('query', relation, '--json')
      expect(outcome.code).toBe(8)
      const answer = outcome.json()
      expect(Object.keys(answer)).toEqual(['freshness', 'columns', 'rows'])
      expect(answer.freshness).toEqual({
        files: 4,
        entries: 3,
        unreadable: 1,
        missing: 0,
        indexedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        ageMs: expect.any(Number),
      })
      expect(answer.columns).toEqual(expect.arrayContaining(contract[relation] as string[]))
      expect(answer.rows.length).toBeGreaterThan(0)
      for (const row of answer.rows) expect(Object.keys(row)).toEqual(answer.columns)
    },
  )

  test.each(Object.entries(contract))('%s: --columns lists them', async (relation, columns) => {
    const { code, stdout } = await here.run('query', relation, '--columns')
    expect(code).toBe(0)
    for (const column of columns) expect(stdout).toMatch(new RegExp(`\\b${column}\\b`))
    for (const name of stdout.match(/\b[a-z]+[A-Z]\w*\b/g) ?? []) expect(columns).not.toContain(name)
  })

  test.each(Object.entries(contract))(
    '%s: each column can be selected, filtered and ordered by',
    async (relation, columns) => {
      const filter = columns.map(column => `(${column} is null or ${column} is not null)`).join(' and ')
      const rows = await rowsOf(
        here,
        relation,
        filter,
        '--select',
        columns.join(),
        '--order',
        `${columns[0]} desc`,
      )
      expect(rows.length).toBeGreaterThan(0)
      for (const row of rows) expect(Object.keys(row)).toEqual(columns)
    },
  )
})

describe('what stands in the columns', () => {
  test('messages: each field of a message entry, exactly', async () => {
    const here = place()
    const text = 'Zeile 1\r\n\u2028zwei \ud800 \0 \ufdd0 "quoted", \u001b[31m'
    const sent = here.record.sent('s', { as: 'twin [c735cd]', sessionId: 'peer' }, text, at(1), {
      isQueued: false,
      reason: 'no agent named twin',
      msgId: 'm-1',
    })
    const received = here.record.received('s', { as: null }, text, at(2), { outcome: 'consumed' })
    const common = {
      session_id: 's',
      kind: 'message',
      cwd: startFields.cwd,
      text,
      text_length: expect.any(Number),
    }
    expect(await rowsOf(here, 'messages')).toMatchObject([
      {
        ...common,
        at: at(1),
        file: sent,
        side: 'sent',
        peer_as: 'twin [c735cd]',
        peer_session_id: 'peer',
        is_queued: false,
        reason: 'no agent named twin',
        outcome: null,
        envelope_before: null,
        envelope_after: null,
        msg_id: 'm-1',
      },
      {
        ...common,
        at: at(2),
        file: received,
        side: 'received',
        peer_as: null,
        peer_session_id: null,
        is_queued: null,
        reason: null,
        outcome: 'consumed',
        envelope_before: envelope.before,
        envelope_after: envelope.after,
        msg_id: null,
      },
    ])
  })

  test('messages: length and hash are those of the text, and in metadata mode those of the entry', async () => {
    const here = place()
    const sha256 = createHash('sha256').update('grün').digest('hex')
    here.record.sent('s', 'p', 'grün', at(1))
    here.record.sent('s', 'p', '', at(2), { text: undefined, textLength: 5, textSha256: sha256 })
    here.record.received('s', 'p', '', at(3), { text: undefined, textLength: 5, textSha256: sha256 })
    const rows = await rowsOf(here, 'messages', '--select', 'text,text_length,text_sha256,envelope_before')
    const kept = { text_length: 5, text_sha256: sha256 }
    expect(rows).toEqual([
      { text: 'grün', ...kept, envelope_before: null },
      { text: null, ...kept, envelope_before: null },
      { text: null, ...kept, envelope_before: envelope.before },
    ])
  })

  test('sessions: first and last heard, the number of entries, and what the start entry says', async () => {
    const here = place()
    here.record.start('top', at(0), { inbound: 'hold', version: '1.0.0' })
    here.record.received('top', 'x', 'hello', at(5))
    here.record.start('top', at(7), { inbound: 'refuse', version: '2.0.0' })
    here.record.chain('lead', 'top', 'the part', at(6))
    const rows = await rowsOf(here, 'sessions')
    expect(rows).toHaveLength(2)
    expect(rows.find(row => row.session_id === 'top')).toMatchObject({
      role: 'top',
      parent: null,
      part: null,
      first_heard: at(0),
      last_heard: at(7),
      entries: 3,
      inbound: 'refuse',
      host: 'claude-code',
      version: '2.0.0',
    })
    expect(rows.find(row => row.session_id === 'lead')).toMatchObject({
      role: 'lead',
      parent: 'top',
      part: 'the part',
      first_heard: at(6),
      last_heard: at(6),
      entries: 1,
      inbound: null,
      host: null,
      version: null,
    })
  })

  test('unreadable: the file, a reason that names the field, and how often it was tried', async () => {
    const here = place()
    const torn = here.record.raw('s', '2026-11-01T100003.000Z-torn.json', '{"kind":"sta')
    const wrong = here.record.entry('s', {
      kind: 'start',
      sessionId: 's',
      at: at(4),
      cwd: '/',
      host: 'h',
      version: '1',
    })
    const first = await rowsOf(here, 'unreadable', '--order', 'file')
    expect(first.map(row => row.file)).toEqual([torn, wrong].sort())
    expect(first.find(row => row.file === wrong)?.reason).toMatch(/inbound/)
    expect(first.find(row => row.file === torn)?.reason).toMatch(/JSON/)
    const second = await rowsOf(here, 'unreadable', '--order', 'file')
    for (const [i, row] of second.entries()) {
      expect(row.tries).toBeGreaterThan(first[i]?.tries as number)
      expect(row.first_seen).toBe(first[i]?.first_seen)
    }
  })

  test('rule.byDirectory: entries name the working directory of each session', async () => {
    const here = place()
    here.record.start('a', at(0), { cwd: '/home/dev/a' })
    here.record.start('b', at(1), { cwd: '/home/dev/b b' })
    expect(await rowsOf(here, 'entries', "cwd like '/home/dev/b%'", '--select', 'session_id,cwd')).toEqual([
      { session_id: 'b', cwd: '/home/dev/b b' },
    ])
  })

  test('fields that a later version adds are not lost', async () => {
    const here = place()
    here.record.start('a', at(0), { later: { deep: ['x-later-x'] } })
    const outcome = await here.run('query', 'entries', '--json')
    expect(outcome.stdout).toContain('x-later-x')
  })

  test('entries stand in order of time, then of file name', async () => {
    const here = place()
    const entry = { kind: 'start', sessionId: 's', cwd: '/', host: 'h', version: '1', inbound: '' }
    here.record.entry('s', { ...entry, at: at(5) }, '2026-11-01T100001.000Z-b.json')
    here.record.entry('s', { ...entry, at: at(1) }, '2026-11-01T100009.000Z-a.json')
    here.record.entry('s', { ...entry, at: at(5) }, '2026-11-01T100001.000Z-a.json')
    expect((await rowsOf(here, 'entries', '--select', 'file')).map(row => row.file)).toEqual([
      's/2026-11-01T100009.000Z-a.json',
      's/2026-11-01T100001.000Z-a.json',
      's/2026-11-01T100001.000Z-b.json',
    ])
  })
})
