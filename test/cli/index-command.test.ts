import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { place } from '../support/coord.ts'
import { at } from '../support/record-builder.ts'

function small() {
  const here = place()
  here.record.start('top', at(0))
  here.record.start('lead', at(1))
  here.record.chain('lead', 'top', 'part', at(2))
  return here
}

describe('coord index --json', () => {
  test('has exactly the fields of its contract', async () => {
    const here = small()
    here.record.raw('top', 'torn.json', '{')
    const outcome = await here.run('index', '--json')
    expect(outcome.code).toBe(8)
    expect(outcome.json()).toEqual({
      recordDir: here.record.dir,
      index: expect.stringMatching(/^\/.*index-v5\.db$/),
      files: { seen: 4, added: expect.any(Number), removed: 0, unreadable: 1, conflicts: 0 },
      sessions: 2,
      entries: 3,
      rebuilt: true,
      elapsedMs: expect.any(Number),
    })
  })

  test('the second run adds and removes nothing, and rebuilds nothing', async () => {
    const here = small()
    await here.run('index')
    const outcome = await here.run('index', '--json')
    expect(outcome.code).toBe(0)
    expect(outcome.json()).toMatchObject({
      files: { seen: 3, added: 0, removed: 0, unreadable: 0, conflicts: 0 },
      sessions: 2,
      entries: 3,
      rebuilt: false,
    })
  })

  test('new and deleted files are counted, also under names from long ago', async () => {
    const here = small()
    await here.run('index')
    here.record.start('top', '2019-01-01T00:00:00.000Z')
    here.record.start('old', '2019-01-01T00:00:00.000Z')
    const more = (await here.run('index', '--json')).json()
    expect(more).toMatchObject({ files: { seen: 5, added: 2, removed: 0 }, sessions: 3, entries: 5 })
    rmSync(join(here.record.dir, 'lead'), { recursive: true })
    const fewer = (await here.run('index', '--json')).json()
    expect(fewer).toMatchObject({ files: { seen: 3, added: 0, removed: 2 }, sessions: 2, entries: 3 })
  })

  test('--rebuild builds anew, to the same end', async () => {
    const here = small()
    await here.run('index')
    const before = (await here.run('query', 'entries', '--json')).json().rows
    const outcome = await here.run('index', '--rebuild', '--json')
    expect(outcome.json()).toMatchObject({ rebuilt: true, entries: 3, sessions: 2 })
    expect((await here.run('query', 'entries', '--json')).json().rows).toEqual(before)
  })

  test('ruling 12: two names that differ in case only, with other bytes, are a conflict', async () => {
    const here = small()
    const entry = {
      kind: 'start',
      sessionId: 'top',
      at: at(9),
      cwd: '/',
      host: 'h',
      version: '1',
      inbound: '',
    }
    here.record.entry('top', entry, '2026-11-01T100009.000Z-abc.json')
    here.record.entry('top', { ...entry, cwd: '/other' }, '2026-11-01T100009.000Z-ABC.json')
    const outcome = await here.run('index', '--json')
    expect(outcome.json().files.conflicts).toBe(1)
    expect(outcome.code).toBe(8)
  })

  test('two names that differ in case only, with the same bytes, are one entry', async () => {
    const here = small()
    const entry = {
      kind: 'start',
      sessionId: 'top',
      at: at(9),
      cwd: '/',
      host: 'h',
      version: '1',
      inbound: '',
    }
    here.record.entry('top', entry, '2026-11-01T100009.000Z-abc.json')
    here.record.entry('top', entry, '2026-11-01T100009.000Z-ABC.json')
    const outcome = await here.run('index', '--json')
    expect(outcome.json()).toMatchObject({ entries: 4, files: { conflicts: 0, unreadable: 0 } })
    expect(outcome.code).toBe(0)
  })

  test('temporary files of sync tools, and what begins with a dot, are nothing', async () => {
    const here = small()
    for (const name of ['.2026-11-01T100009.000Z-a.json', 'x.json.tmp', 'x.tmp', '.DS_Store', 'notes.txt']) {
      here.record.raw('top', name, 'x')
    }
    here.record.raw('.sync', 'x.json', 'x')
    here.record.raw('.', '.stfolder', 'x')
    const outcome = await here.run('index', '--json')
    expect(outcome.code, outcome.stdout).toBe(0)
    expect(outcome.json()).toMatchObject({ entries: 3, files: { unreadable: 0, conflicts: 0 } })
  })
})

describe('coord index for people', () => {
  test('says on stdout or stderr how much there is, and exits 0', async () => {
    const { code, stdout, stderr } = await small().run('index')
    expect(code).toBe(0)
    expect(stdout + stderr).toMatch(/\b3\b/)
  })

  test('exit 8, and the file is named, where one cannot be read', async () => {
    const here = small()
    here.record.raw('top', '2026-11-01T100009.000Z-torn.json', '{')
    const { code, stdout, stderr } = await here.run('index')
    expect(code).toBe(8)
    expect(stdout + stderr).toContain('top/2026-11-01T100009.000Z-torn.json')
  })
})

describe('ruling 2: the index is disposable and never lies in the record', () => {
  test('the record holds the same files as before', async () => {
    const here = small()
    const before = readdirSync(here.record.dir, { recursive: true }).sort()
    for (const command of [['index'], ['index', '--rebuild'], ['tree'], ['verify'], ['query', 'entries']]) {
      await here.run(...command)
    }
    expect(readdirSync(here.record.dir, { recursive: true }).sort()).toEqual(before)
  })

  test('deleting the whole cache loses nothing', async () => {
    const here = small()
    const before = (await here.run('query', 'entries', '--json')).json().rows
    rmSync(here.cache, { recursive: true })
    expect((await here.run('query', 'entries', '--json')).json().rows).toEqual(before)
  })

  test.each(['x.db', 'top/x.db', 'new/x.db'])('an index at <record>/%s is refused', async path => {
    const here = small()
    const before = readdirSync(here.record.dir, { recursive: true }).sort()
    const outcome = await here.run('index', '--index', join(here.record.dir, path), '--json')
    expect(outcome.code).not.toBe(0)
    expect(outcome.stdout).toBe('')
    expect(outcome.error().message).toMatch(/\S/)
    expect(readdirSync(here.record.dir, { recursive: true }).sort()).toEqual(before)
  })

  test('an index that would lie in the record by way of a link is refused', async () => {
    const here = small()
    const link = join(here.dir, 'link')
    symlinkSync(here.record.dir, link)
    const before = readdirSync(here.record.dir, { recursive: true }).sort()
    const outcome = await here.run('index', '--index', join(link, 'x.db'))
    expect(outcome.code).not.toBe(0)
    expect(readdirSync(here.record.dir, { recursive: true }).sort()).toEqual(before)
  })
})

describe('where the index is', () => {
  test('by default in the cache folder of the user, apart for each record', async () => {
    const here = small()
    const { index } = (await here.run('index', '--json')).json()
    expect(index).toMatch(new RegExp(`^${here.cache}/coordination/[0-9a-f]{16}/index-v5\\.db$`))
    const other = join(here.dir, 'other')
    mkdirSync(other)
    const second = (await here.run('index', '--record-dir', other, '--json')).json().index
    expect(second).not.toBe(index)
    expect(existsSync(index) && existsSync(second)).toBe(true)
  })

  test('--index goes before COORD_INDEX, which goes before the cache', async () => {
    const here = small()
    const [byOption, byEnv] = [join(here.dir, 'a', 'o.db'), join(here.dir, 'b', 'e.db')]
    const env = { COORD_INDEX: byEnv }
    expect((await here.runWith({ env }, 'index', '--json')).json().index).toBe(byEnv)
    expect(existsSync(byEnv)).toBe(true)
    expect(databasesIn(here.cache)).toEqual([])
    expect((await here.runWith({ env }, 'index', '--index', byOption, '--json')).json().index).toBe(byOption)
    expect(existsSync(byOption)).toBe(true)
  })
})

function databasesIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.db'))
}
