import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { place } from '../support/coord.ts'
import { at, resolved } from '../support/record-builder.ts'

/** A record with a bit of everything, indexed; and a way to make its index lie. */
async function indexed() {
  const here = place()
  const { record } = here
  record.start('top', at(0))
  record.start('lead', at(1))
  record.chain('lead', 'top', 'parse', at(2))
  record.sent('lead', resolved('top'), 'schema drift', at(3))
  record.raw('lead', '2026-11-01T100009.000Z-torn.json', '{"kind":')
  const { index } = (await here.run('index', '--json')).json() as { index: string }
  const lie = (sql: string) => {
    const db = new Database(index)
    db.exec(sql)
    db.close()
  }
  return { here, lie }
}

describe('coord verify finds an index that says something else than the record', () => {
  test.each([
    ['a part', `update session set part = 'LIE'`],
    ['a number of entries', 'update session set entries = 99'],
    [
      'the sent mark',
      `update session set facts = replace(facts, '"sentToParent":true', '"sentToParent":false')`,
    ],
    ['facts that are no JSON', `update session set facts = replace(facts, 'true', 'trte')`],
    ['a session that is missing', `delete from session where session_id = 'lead'`],
    [
      'a session too many',
      `insert into session select 'ghost', first_heard, last_heard, entries, cwd, host, version, inbound, parent, part, brief, joined_at, join_entry_name, facts from session limit 1`,
    ],
    ['an empty search table', 'delete from message_fts'],
    ['a text', `update message_text set text = 'another'`],
    ['an envelope', `update message_text set envelope_before = 'x'`],
    ['a peer', `update entry set peer_session_id = 'other' where kind = 'message'`],
    ['an entry that is missing', `delete from entry where kind = 'chain'`],
    ['why a file cannot be read', `update unread set reason = 'nothing'`],
    ['that a file cannot be read', 'delete from unread'],
    [
      'what a file would be a copy of',
      `update unread set twin_session = 'top', twin_name = 'x', sha256 = 'y'`,
    ],
  ])('%s', async (_, sql) => {
    const { here, lie } = await indexed()
    // A folder that has come to rest, so that a missing file is not taken for one that is new.
    lie('update folder set is_settled = 1')
    expect((await here.run('verify')).code).toBe(8)
    lie(sql)
    const { code, json } = await here.run('verify', '--json')
    expect(code).toBe(4)
    expect(json()).toMatchObject({ ok: false })
  })

  test('a file that came since, and one that was completed since, are no differences', async () => {
    const { here } = await indexed()
    here.record.start('new', at(20))
    here.record.raw(
      'lead',
      '2026-11-01T100009.000Z-torn.json',
      JSON.stringify({
        kind: 'start',
        sessionId: 'lead',
        at: at(9),
        cwd: '/',
        host: 'h',
        version: '1',
        inbound: 'accept',
      }),
    )
    const { code, json } = await here.run('verify', '--json')
    expect(json()).toMatchObject({ ok: true, filesNew: 2, differences: [] })
    expect(code).toBe(8)
  })

  test('and changes nothing: a second look says the same', async () => {
    const { here, lie } = await indexed()
    lie(`update session set part = 'LIE'`)
    const first = (await here.run('verify', '--json')).json()
    const second = (await here.run('verify', '--json')).json()
    expect(second.differences).toEqual(first.differences)
    expect(first.differences).toEqual([
      { file: 'lead', what: 'index' },
      { file: 'top', what: 'index' },
    ])
  })
})

test.each([
  ['facts that are no JSON', `update session set facts = replace(facts, 'true', 'trte')`],
  ['a time of the last refresh that is none', `update meta set value = 'then' where key = 'indexed_at'`],
  ['a table that is missing', 'drop table message_text'],
])('an index with %s is set aside and built anew by the next answer', async (_, sql) => {
  const { here, lie } = await indexed()
  const before = (await here.run('tree', '--json')).json().chains
  lie(sql)
  // Something new, so that the damage is met on every way to an answer.
  const { code, json, stderr } = await here.run('tree', '--json')
  expect(stderr + code).not.toMatch(/unexpected/)
  expect(json().chains).toEqual(before)
  expect((await here.run('verify')).code).toBe(8)
})
