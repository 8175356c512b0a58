import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Place, place } from '../support/coord.ts'
import { at } from '../support/record-builder.ts'
import { withoutRootRights as under } from '../support/without-root-rights.ts'

const closed = ['session-7', 'session-300', 'session-653']

function record654(): Place {
  const here = place()
  for (let i = 0; i < 654; i++) here.record.start(`session-${i}`, at(i))
  return here
}

describe('case 4: 654 session folders, 3 of them unreadable', () => {
  test('every answer says 651 of 654, names the 3, exit 8; opened again they are read', async () => {
    const here = record654()
    for (const session of closed) chmodSync(join(here.record.dir, session), 0)
    for (const args of [['index'], ['tree'], ['query', 'entries', '--count'], ['index', '--rebuild']]) {
      const { code, stdout, stderr } = await here.runWith({ under }, ...args)
      expect(code, args.join(' ')).toBe(8)
      expect(stdout + stderr, args.join(' ')).toMatch(/651 of 654/)
      for (const session of closed) expect(stdout + stderr, args.join(' ')).toContain(session)
    }
    const { freshness } = (await here.runWith({ under }, 'tree', '--json')).json()
    expect(freshness).toMatchObject({ entries: 651, unreadable: 3 })
    const { rows } = (await here.runWith({ under }, 'query', 'unreadable', '--json')).json()
    expect(rows.map((row: { file: string }) => row.file).sort()).toEqual([...closed].sort())
    for (const session of closed) chmodSync(join(here.record.dir, session), 0o700)
    const after = await here.runWith({ under }, 'index', '--json')
    expect(after.code).toBe(0)
    expect(after.json()).toMatchObject({ entries: 654, sessions: 654, files: { unreadable: 0 } })
  })

  test('a folder that closes after it was read keeps what is known of it, and the answer is partial', async () => {
    const here = place()
    here.record.start('a', at(0))
    here.record.start('b', at(1))
    expect((await here.runWith({ under }, 'index')).code).toBe(0)
    chmodSync(join(here.record.dir, 'b'), 0)
    const outcome = await here.runWith({ under }, 'tree', '--json')
    expect(outcome.code).toBe(8)
    expect(outcome.json().freshness.unreadable).toBe(1)
  })

  test('a single file without rights is named', async () => {
    const here = place()
    here.record.start('a', at(0))
    const file = here.record.start('a', at(1))
    chmodSync(here.record.path(file), 0)
    const outcome = await here.runWith({ under }, 'query', 'unreadable', '--json')
    expect(outcome.code).toBe(8)
    expect(outcome.json().rows.map((row: { file: string }) => row.file)).toEqual([file])
    chmodSync(here.record.path(file), 0o600)
    expect((await here.runWith({ under }, 'index', '--json')).json()).toMatchObject({
      entries: 2,
      files: { unreadable: 0 },
    })
  })

  test('a record folder without rights is an error, never an empty answer', async () => {
    const here = place()
    here.record.start('a', at(0))
    chmodSync(here.record.dir, 0)
    const outcome = await here.runWith({ under }, 'tree', '--json')
    chmodSync(here.record.dir, 0o700)
    expect([1, 3]).toContain(outcome.code)
    expect(outcome.stdout).toBe('')
    expect(JSON.stringify(outcome.error())).toContain(here.record.dir)
  })
})
