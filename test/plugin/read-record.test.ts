import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SessionFacts } from '../../src/chain/session-facts.ts'
import { eachOf, readSessionFolder, sessionFolders } from '../../src/plugin/read-record.ts'
import { at, recordBuilder, resolved } from '../support/record-builder.ts'
import { hostSession } from './support/host-session.ts'

function bench() {
  const host = hostSession()
  const record = recordBuilder(host.recordDir)
  const read = (session: string, known: SessionFacts | null = null) =>
    readSessionFolder(host.$, host.recordDir, session, known)
  const filesRead = () => host.files.calls.filter(({ call }) => call === 'read').length
  return { host, record, read, filesRead }
}

describe('a session’s folder', () => {
  it('gives facts from all of its entries, in the order of their times, not of their names', async () => {
    const { record, read } = bench()
    const entry = { kind: 'chain', sessionId: 'lead', cwd: '/', parent: 'top' }
    record.entry('lead', { ...entry, at: at(9), part: 'later' }, '2026-11-01T100001.000Z-a.json')
    record.entry('lead', { ...entry, at: at(1), part: 'earlier' }, '2026-11-01T100009.000Z-b.json')
    record.start('lead', at(0))
    const { facts, unknown } = await read('lead')
    expect(unknown).toEqual([])
    expect(facts).toMatchObject({
      ...{ sessionId: 'lead', entries: 3, firstHeard: at(0), lastHeard: at(9) },
      ...{ newestName: '2026-11-01T100001.000Z-a.json', join: { part: 'later' } },
    })
  })

  it('gives nothing where there is no folder, and where nothing lies in it', async () => {
    const { host, read } = bench()
    expect(await read('nobody')).toEqual({ facts: null, unknown: [] })
    mkdirSync(join(host.recordDir, 'empty'))
    expect(await read('empty')).toEqual({ facts: null, unknown: [] })
  })

  it('rule.oneWriter: what cannot be read is unknown evidence of the time that its name states', async () => {
    const { host, record, read } = bench()
    record.start('s', at(0))
    record.raw('s', '2026-11-01T100005.000Z-torn.json', '{"kind":')
    record.raw('s', '2026-11-01T100006.000Z-kind.json', '{"kind":"other"}')
    record.raw('s', 'notes.json', '{}')
    record.raw('s', `2026-11-01T100007.000Z-a.json.conflict-${'a'.repeat(12)}`, '{}')
    mkdirSync(join(host.recordDir, 's', '2026-11-01T100008.000Z-folder.json'))
    symlinkSync('/dev/zero', join(host.recordDir, 's', '2026-11-01T100009.000Z-link.json'))
    for (const ignored of ['.hidden.json', 'x.tmp', 'notes.txt']) record.raw('s', ignored, '{')
    const { facts, unknown } = await read('s')
    expect(facts?.entries).toBe(1)
    expect(unknown.toSorted((a, b) => `${a.at}`.localeCompare(`${b.at}`))).toEqual(
      [
        [at(5), '2026-11-01T100005.000Z-torn.json'],
        [at(6), '2026-11-01T100006.000Z-kind.json'],
        [at(7), `2026-11-01T100007.000Z-a.json.conflict-${'a'.repeat(12)}`],
        [at(8), '2026-11-01T100008.000Z-folder.json'],
        [at(9), '2026-11-01T100009.000Z-link.json'],
        [null, 'notes.json'],
      ].map(([time, name]) => ({ sessionId: 's', at: time, file: `s/${name}` })),
    )
    // What is no file of an entry is not opened, nor is what a record ignores.
    expect(host.files.calls.filter(({ call }) => call === 'read').map(({ path }) => path.slice(-9))).toEqual(
      expect.not.arrayContaining(['link.json']),
    )
  })

  it('an entry that states another session is unknown evidence of both', async () => {
    const { record, read } = bench()
    record.start('s', at(0))
    const file = record.entry('s', {
      kind: 'start',
      sessionId: 'x',
      at: at(3),
      cwd: '/',
      host: 'h',
      version: '1',
      inbound: 'u',
    })
    const { facts, unknown } = await read('s')
    expect(facts?.entries).toBe(1)
    expect(unknown).toEqual([
      { sessionId: 's', at: at(3), file },
      { sessionId: 'x', at: at(3), file },
    ])
  })

  it('is read anew while it cannot be read, and once it can', async () => {
    const { record, read } = bench()
    const name = '2026-11-01T100005.000Z-torn.json'
    record.raw('s', name, '')
    expect((await read('s')).unknown).toHaveLength(1)
    const entry = {
      kind: 'start',
      sessionId: 's',
      at: at(5),
      cwd: '/',
      host: 'h',
      version: '1',
      inbound: 'u',
    }
    record.entry('s', entry, name)
    expect(await read('s')).toMatchObject({ facts: { entries: 1 }, unknown: [] })
  })

  it('reads an entry once in a load: it is never changed', async () => {
    const { host, record, read, filesRead } = bench()
    for (const second of [0, 1, 2]) record.start('s', at(second))
    await read('s')
    expect(filesRead()).toBe(3)
    record.start('s', at(3))
    expect((await read('s')).facts?.entries).toBe(4)
    expect(filesRead()).toBe(4)
    // The same names in another record are other files.
    const other = recordBuilder(join(host.dir, 'other'))
    other.start('s', at(0), { cwd: '/other' })
    expect((await readSessionFolder(host.$, other.dir, 's', null)).facts?.cwd).toBe('/other')
  })
})

describe('facts that are known are added to', () => {
  async function known() {
    const one = bench()
    for (const second of [0, 2, 4]) one.record.start('s', at(second), { cwd: `/${second}` })
    const { facts } = await one.read('s')
    const fresh = bench()
    for (const second of [0, 2, 4]) fresh.record.start('s', at(second), { cwd: `/${second}` })
    return { ...fresh, facts: { ...(facts as SessionFacts), newestName: newestOf(fresh) } }
  }
  const newestOf = ({ host }: ReturnType<typeof bench>) => {
    const names = host.files.fs.list(join(host.recordDir, 's'))
    return names.then(
      all =>
        all
          .map(({ name }) => name)
          .sort()
          .at(-1) as string,
    )
  }

  it('what is newer is read, and nothing else', async () => {
    const { record, read, filesRead, facts } = await known()
    record.chain('s', 'top', 'part', at(6))
    const given = { ...facts, newestName: await facts.newestName }
    expect((await read('s', given)).facts).toMatchObject({
      ...{ entries: 4, firstHeard: at(0), lastHeard: at(6), coveredFrom: at(0), join: { part: 'part' } },
    })
    expect(filesRead()).toBe(1)
    expect((await read('s', given)).facts?.entries).toBe(4)
  })

  it('nothing newer: the facts as they are', async () => {
    const { read, filesRead, facts } = await known()
    const given = { ...facts, newestName: await facts.newestName }
    expect(await read('s', given)).toEqual({ facts: given, unknown: [] })
    expect(filesRead()).toBe(0)
  })

  it.each([
    ['one that was copied in under an old name', -1],
    ['one that was removed', 1],
  ])('all is read again where the older ones are not those: %s', async (_, count) => {
    const { host, record, read, facts } = await known()
    const given = { ...facts, newestName: await facts.newestName }
    if (count < 0) record.sent('s', resolved('top'), 'done', at(-5))
    else {
      const [first] = await host.files.fs.list(join(host.recordDir, 's'))
      rmSync(join(host.recordDir, 's', first?.name as string))
    }
    record.start('s', at(8))
    expect((await read('s', given)).facts).toMatchObject({
      entries: count < 0 ? 5 : 3,
      firstHeard: count < 0 ? at(-5) : at(2),
      lastHeard: at(8),
    })
  })

  it('all is read again where the newest of those that are known is another file now', async () => {
    const { host, record, read, facts } = await known()
    const given = { ...facts, newestName: await facts.newestName }
    rmSync(join(host.recordDir, 's', given.newestName))
    record.start('s', at(3))
    expect((await read('s', given)).facts).toMatchObject({ entries: 3, lastHeard: at(3) })
  })

  it('a folder that is no more has no facts', async () => {
    const { host, read, facts } = await known()
    const given = { ...facts, newestName: await facts.newestName }
    rmSync(join(host.recordDir, 's'), { recursive: true })
    expect(await read('s', given)).toEqual({ facts: null, unknown: [] })
  })
})

it('the record’s session folders: folders that have the name of a session', async () => {
  const { host, record } = bench()
  record.start('one', at(0))
  record.start('two', at(0))
  for (const name of ['.hidden', 'not an id', 'a.b']) mkdirSync(join(host.recordDir, name))
  writeFileSync(join(host.recordDir, 'file'), '')
  symlinkSync(join(host.recordDir, 'one'), join(host.recordDir, 'link'))
  expect((await sessionFolders(host.$, host.recordDir)).sort()).toEqual(['one', 'two'])
  expect(await sessionFolders(host.$, join(host.dir, 'nothing'))).toEqual([])
})

it('eachOf does each once, one after the other', async () => {
  const done: number[] = []
  let running = 0
  let most = 0
  await eachOf([...Array(21).keys()], async one => {
    most = Math.max(most, ++running)
    await null
    running -= 1
    done.push(one)
  })
  expect(done.toSorted((a, b) => a - b)).toEqual([...Array(21).keys()])
  expect(most).toBe(1)
})
