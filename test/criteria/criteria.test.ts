import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sequenceOf } from '../../src/record/file-name.ts'
import { joinNotice } from '../../src/record/join-notice.ts'
import { textFields } from '../../src/record/text-digest.ts'
import { entryWriter } from '../../src/writer/entry-writer.ts'
import { nodeStorage } from '../../src/writer/node-storage.ts'
import { place, until } from '../support/coord.ts'
import { at, envelope, resolved, startFields } from '../support/record-builder.ts'

describe('criteria of the record, as far as they need no host', () => {
  test('criterion: two peers send identical text, and a session resumes; each entry names its peer as given, none is attributed beyond its evidence', async () => {
    const here = place()
    here.record.start('s', at(0))
    const from = (pid: number) => ({ as: `uds:/run/${pid}.sock` })
    const one = here.record.received('s', from(1), 'same', at(1))
    here.record.received('s', from(2), 'same', at(2))
    here.record.received('s', from(3), 'an ordinary message', at(3))
    here.record.start('s', at(4))
    const { verdict } = (await here.run('attribute', '--text', 'same', '--session', 's', '--json')).json()
    expect(verdict).toBe('ambiguous')
    expect((await here.run('attribute', '--entry', one, '--json')).json()).toMatchObject({
      verdict: 'peer',
      candidates: [],
    })
    const { rows } = (
      await here.run('query', 'messages', '--json', '--select', 'peer_as,peer_session_id')
    ).json()
    expect(rows.map((row: object) => Object.values(row))).toEqual(
      [1, 2, 3].map(pid => [`uds:/run/${pid}.sock`, null]),
    )
  })

  test('criterion: a write is cut short by a kill, and the folder cannot be written: the message goes on, and a reader treats both as unknown', async () => {
    const here = place()
    here.record.start('lead', at(0))
    here.record.chain('lead', 'top', 'p', at(1))
    here.record.raw('lead', '2026-11-01T100002.000Z-a.json', '')
    const { code, json } = await here.run('tree', '--json')
    expect(code).toBe(8)
    expect(json().chains[0].children[0].sentParentSinceJoin).toBe('unknown')

    writeFileSync(join(here.dir, 'file'), '')
    const writer = entryWriter({
      recordDir: join(here.dir, 'file'),
      storage: nodeStorage,
      sequence: sequenceOf('a'),
    })
    const entry = { kind: 'start' as const, sessionId: 'lead', at: at(3), ...startFields }
    expect(await writer.write(entry)).toEqual({ degraded: expect.stringMatching(/\S/) })
  })

  test('criterion: a folder is read while a session writes to it; what cannot be parsed is skipped and parses on a later read', async () => {
    const here = place()
    const name = '2026-11-01T100001.000Z-a.json'
    const whole = JSON.stringify({ kind: 'start', sessionId: 's', at: at(1), ...startFields })
    here.record.start('s', at(0))
    here.record.raw('s', name, whole.slice(0, 40))
    expect((await here.run('query', 'entries', '--count')).stdout).toBe('1\n')
    here.record.raw('s', name, whole)
    expect((await here.run('query', 'entries', '--count')).stdout).toBe('2\n')
  })

  test('criterion: with recordText set to metadata the entry holds the length and the hash and no text', async () => {
    const here = place()
    const { text: _, ...rest } = { text: null, ...textFields('gré', 'metadata') }
    here.record.entry('s', {
      kind: 'message',
      side: 'received',
      sessionId: 's',
      at: at(0),
      cwd: '/',
      peer: { as: 'p' },
      envelope,
      outcome: 'queued',
      ...rest,
    })
    const { rows } = (
      await here.run('query', 'messages', '--json', '--select', 'text,text_length,text_sha256')
    ).json()
    expect(rows).toEqual([
      { text: null, text_length: 4, text_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ])
  })
})

describe('criteria of the chain, as far as they need no host', () => {
  async function tree(here: ReturnType<typeof place>) {
    return (await here.run('tree', '--json')).json()
  }

  test('criterion: after a lead’s join the parent’s tree lists it with its part; before a message it has sent nothing although its notice reached the parent', async () => {
    const here = place()
    here.record.start('top', at(0))
    here.record.start('lead', at(1))
    here.record.chain('lead', 'top', 'parse', at(2))
    here.record.sent('lead', resolved('top'), joinNotice({ sessionId: 'lead', part: 'parse' }), at(3))
    expect((await tree(here)).chains[0].children).toMatchObject([
      { sessionId: 'lead', part: 'parse', sentParentSinceJoin: 'no' },
    ])
    here.record.sent('lead', resolved('top'), 'done', at(4))
    expect((await tree(here)).chains[0].children).toMatchObject([
      { sentParentSinceJoin: 'yes', lastHeard: at(4) },
    ])
  })

  test('criterion: joined with a parent id that no session holds, the chain still shows the lead', async () => {
    const here = place()
    here.record.start('lead', at(0))
    here.record.chain('lead', 'nobody', 'parse', at(1))
    here.record.sent(
      'lead',
      { as: 'nobody', sessionId: 'nobody' },
      joinNotice({ sessionId: 'lead', part: 'parse' }),
      at(2),
      { isQueued: false, reason: 'no live session' },
    )
    expect((await tree(here)).chains).toMatchObject([
      { sessionId: 'nobody', role: 'boundary', children: [{ sessionId: 'lead', sentParentSinceJoin: 'no' }] },
    ])
  })

  test('criterion: a third session joined under the lead is shown with the notice about depth', async () => {
    const here = place()
    here.record.start('top', at(0))
    here.record.chain('lead', 'top', 'a', at(1))
    here.record.chain('third', 'lead', 'b', at(2))
    const { notices } = await tree(here)
    expect(notices).toEqual([expect.stringMatching(/grown a level.*third/)])
  })

  test('criterion: A joined under B and B under A: reading terminates and flags the cycle; a lead below it is told to be below a lead', async () => {
    const here = place()
    here.record.chain('A', 'B', 'a', at(0))
    here.record.chain('B', 'A', 'b', at(1))
    here.record.chain('C', 'A', 'c', at(2))
    const { cycles, chains, notices } = await tree(here)
    expect(cycles).toEqual([['A', 'B']])
    expect(chains).toMatchObject([{ sessionId: 'C', role: 'lead', parent: 'A' }])
    expect(notices).toEqual([expect.stringMatching(/grown a level.*C/), expect.stringMatching(/cycle/)])
  })

  test('criterion: a parent whose records are on another machine is a boundary, and a session once they are here', async () => {
    const here = place()
    here.record.chain('lead', 'far', 'a', at(1))
    expect((await tree(here)).chains).toMatchObject([{ sessionId: 'far', role: 'boundary' }])
    const other = place()
    other.record.start('far', at(0))
    expect((await here.run('import', other.record.dir)).code).toBe(0)
    expect((await tree(here)).chains).toMatchObject([{ sessionId: 'far', role: 'top', part: null }])
  })
})

test('the slow look of a watch, and a watch over a folder that is replaced, lose nothing', async () => {
  const here = place()
  here.record.start('s', at(0))
  const watch = here.start({}, 'watch', '--json')
  await until('the watch has started', () => watch.stderr().includes('watching'))
  mkdirSync(join(here.dir, 'new'))
  renameSync(here.record.path('s'), join(here.dir, 'old'))
  renameSync(join(here.dir, 'new'), here.record.path('s'))
  here.record.start('s', at(5))
  await until(
    'the new entry is seen',
    () => watch.stdout().includes(at(5).slice(0, 10)) && watch.stdout().includes('removed'),
  )
  watch.kill('SIGTERM')
  await watch.ended
  expect(existsSync(here.record.path('s'))).toBe(true)
})
