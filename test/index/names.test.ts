import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { place } from '../support/coord.ts'
import { at, startFields } from '../support/record-builder.ts'

const bytes = (...parts: (string | number)[]) =>
  Buffer.concat(parts.map(part => (typeof part === 'string' ? Buffer.from(part) : Buffer.from([part]))))

describe('case 9: names that are not UTF-8 are unknown evidence, each by itself, and the rest is read', () => {
  test('files', async () => {
    const here = place()
    here.record.start('s', at(0))
    for (const byte of [0xfe, 0xff]) writeFileSync(bytes(`${here.record.dir}/s/x`, byte, '.json'), '{}')
    writeFileSync(join(here.record.dir, 's', 'x\u{FFFD}.json'), '{}')
    writeFileSync(join(here.record.dir, 's', 'x\\xff.json'), '{}')
    for (const args of [['index'], ['index', '--rebuild'], ['tree'], ['query', 'entries']]) {
      expect((await here.run(...args)).code, args.join(' ')).toBe(8)
    }
    const { rows, freshness } = (await here.run('query', 'unreadable', '--json')).json()
    expect(rows.map((row: { file: string }) => row.file)).toEqual([
      's/x\\xfe.json',
      's/x\\xff.json',
      's/x\u{FFFD}.json',
    ])
    expect(freshness.entries).toBe(1)
  })

  test('folders', async () => {
    const here = place()
    here.record.start('s', at(0))
    for (const byte of [0xfe, 0xff]) mkdirSync(bytes(`${here.record.dir}/f`, byte))
    const { code, json } = await here.run('tree', '--json')
    expect(code).toBe(8)
    expect(json().freshness).toMatchObject({ entries: 1, unreadable: 2 })
    expect((await here.run('index', '--json')).json().files.unreadable).toBe(2)
  })
})

describe('ruling 12: other bytes of a name, and copies', () => {
  const start = (session: string, host = 'h') =>
    JSON.stringify({ kind: 'start', sessionId: session, at: at(0), ...startFields, host })
  const name = '2026-11-01T100000.000Z-a.json'

  test('a conflict file with the bytes of the file itself is a copy, and becomes a conflict when they differ', async () => {
    const here = place()
    here.record.raw('s', name, start('s'))
    here.record.raw('s', `${name}.conflict-0123456789ab`, start('s'))
    const copy = await here.run('index', '--json')
    expect(copy.code).toBe(0)
    expect(copy.json()).toMatchObject({ entries: 1, files: { seen: 2, conflicts: 0, unreadable: 0 } })
    here.record.raw('s', `${name}.conflict-ba9876543210`, start('s', 'other'))
    expect((await here.run('index', '--json')).json()).toMatchObject({
      entries: 1,
      files: { conflicts: 1, unreadable: 1 },
    })
  })

  test('a copy that differs in letter case is counted once also when it is completed in place later', async () => {
    const here = place()
    here.record.raw('s', name, start('s'))
    here.record.raw('s', name.replace('.json', '.JSON'), '{"kind":')
    expect((await here.run('index', '--json')).json()).toMatchObject({ entries: 1, files: { unreadable: 1 } })
    here.record.raw('s', name.replace('.json', '.JSON'), start('s'))
    expect((await here.run('index', '--json')).json()).toMatchObject({ entries: 1, files: { unreadable: 0 } })
    expect((await here.run('verify')).code).toBe(0)
  })

  test('a file that states another session makes "no" unknown for both sessions', async () => {
    const here = place()
    for (const session of ['lead', 'other']) {
      here.record.start(session, at(0))
      here.record.chain(session, 'top', 'p', at(1))
    }
    here.record.raw('other', '2026-11-01T100500.000Z-a.json', start('lead').replace(at(0), at(300)))
    const { chains } = (await here.run('tree', '--json')).json()
    expect(
      chains[0].children.map((lead: { sentParentSinceJoin: string }) => lead.sentParentSinceJoin),
    ).toEqual(['unknown', 'unknown'])
  })
})

test('case 4: what stands beside the session folders is not counted as one of them', async () => {
  const here = place()
  here.record.start('s', at(0))
  here.record.start('t', at(0))
  writeFileSync(join(here.record.dir, 'loose.json'), '{}')
  const { code, stderr } = await here.run('tree')
  expect(code).toBe(8)
  expect(stderr).toContain('loose.json')
  expect(stderr).not.toMatch(/of 3 session folders/)
})
