import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { placeOf } from '../../src/indexer/place.ts'
import { refreshIndex } from '../../src/indexer/refresh-index.ts'
import { readChain } from '../../src/plugin/read-chain.ts'
import { at, recordBuilder, resolved } from '../support/record-builder.ts'
import { formOf } from '../support/tree.ts'
import { hostSession } from './support/host-session.ts'

function bench() {
  const host = hostSession()
  const record = recordBuilder(host.recordDir)
  const place = placeOf(record.dir, join(host.dir, 'cache'))
  const { projectionDir } = place
  const settings = { recordDir: record.dir, recordText: 'full' as const, projectionDir }
  return {
    ...{ host, record, projectionDir, index: () => refreshIndex(place) },
    read: (session: string) => readChain(host.$, settings, session),
    plain: (session: string) => readChain(host.$, { ...settings, projectionDir: null }, session),
    /** Folders are as old as the record says, so that the projection need not look into them again. */
    age(...sessions: string[]) {
      for (const one of sessions) utimesSync(join(record.dir, one), 1_000, 1_000)
    },
    /** Changes one published file. */
    change(name: string, to: (value: Record<string, unknown>) => unknown) {
      const path = join(projectionDir, name)
      writeFileSync(path, JSON.stringify(to(JSON.parse(readFileSync(path, 'utf8')))))
    },
  }
}

function twoChains() {
  const one = bench()
  one.record.start('top', at(0))
  one.record.start('lead', at(1))
  one.record.chain('lead', 'top', 'first', at(2))
  one.record.start('far', at(3))
  one.record.chain('far', 'elsewhere', 'port', at(4))
  one.record.start('alone', at(5))
  return one
}

describe('from the record’s files', () => {
  it('is the chain of the session alone, and says what was read', async () => {
    const { plain } = twoChains()
    const chain = await plain('lead')
    expect(formOf(chain.tree.chains)).toEqual([['top', [['lead', []]]]])
    expect(chain).toMatchObject({ publishedAt: null, foldersRead: 4 })
    expect(formOf((await plain('top')).tree.chains)).toEqual([['top', [['lead', []]]]])
    expect(formOf((await plain('elsewhere')).tree.chains)).toEqual([['elsewhere', [['far', []]]]])
    expect(formOf((await plain('alone')).tree.chains)).toEqual([['alone', []]])
  })

  it('a session without entries has none', async () => {
    const { plain } = twoChains()
    expect((await plain('nobody')).tree).toEqual({ chains: [], cycles: [], notices: [] })
  })

  it('no record at all is no chain', async () => {
    const { host, plain } = twoChains()
    rmSync(host.recordDir, { recursive: true })
    expect(await plain('top')).toMatchObject({ tree: { chains: [] }, foldersRead: 0 })
  })

  it('rule.joinRefusals: a cycle is named, and what hangs below it is drawn', async () => {
    const { record, plain } = bench()
    record.chain('a', 'b', 'p', at(0))
    record.chain('b', 'a', 'p', at(0))
    record.chain('c', 'b', 'p', at(1))
    const { tree } = await plain('c')
    expect(tree.cycles).toEqual([['a', 'b']])
    expect(formOf(tree.chains)).toEqual([['c', []]])
  })

  it('what could not be read makes the sent mark unknown', async () => {
    const { record, plain } = twoChains()
    expect((await plain('top')).tree.chains[0]?.children[0]?.sentParentSinceJoin).toBe('no')
    record.raw('lead', '2026-11-01T110000.000Z-torn.json', '{"kind":')
    expect((await plain('top')).tree.chains[0]?.children[0]?.sentParentSinceJoin).toBe('unknown')
  })
})

describe('ruling 3: from the projection', () => {
  it('says as of when, and opens no folder that has not changed since', async () => {
    const { host, record, index, age, read } = twoChains()
    await index()
    age('top', 'lead', 'far', 'alone')
    host.files.calls.length = 0
    const chain = await read('lead')
    expect(formOf(chain.tree.chains)).toEqual([['top', [['lead', []]]]])
    expect(chain.foldersRead).toBe(0)
    expect(chain.publishedAt).toMatch(/^\d{4}-.*Z$/)
    const opened = host.files.calls.filter(
      ({ call, path }) => call !== 'stat' && path.startsWith(`${record.dir}/`),
    )
    expect(opened).toEqual([])
    // One chain alone is read of the projection.
    const chains = host.files.calls.filter(({ path }) => path.includes('/chains/'))
    expect(chains.map(({ path }) => path.split('/').at(-1))).toEqual(['top.json'])
  })

  it('a folder counts as changed up to two seconds before the projection', async () => {
    const { record, index, age, read, change } = twoChains()
    await index()
    age('top', 'lead', 'far', 'alone')
    change('manifest.json', value => ({ ...value, indexedAt: at(100) }))
    const touch = (second: number) =>
      utimesSync(join(record.dir, 'lead'), new Date(at(second)), new Date(at(second)))
    for (const [second, count] of [
      [97.9, 0],
      [98, 1],
      [100, 1],
      [101, 1],
    ] as const) {
      touch(second)
      expect((await read('top')).foldersRead, `${second}`).toBe(count)
    }
  })

  it('a session that is new since is in it', async () => {
    const { record, index, age, read } = twoChains()
    await index()
    age('top', 'lead', 'far', 'alone')
    record.chain('new', 'lead', 'second', at(6))
    age('new')
    const chain = await read('new')
    expect(formOf(chain.tree.chains)).toEqual([['top', [['lead', [['new', []]]]]]])
    expect(chain.foldersRead).toBe(1)
    expect(formOf((await read('top')).tree.chains)).toEqual([['top', [['lead', [['new', []]]]]]])
  })

  it('of a folder that changed, what is newer is read and nothing else', async () => {
    const { host, record, index, age, read } = twoChains()
    for (const second of [5, 6, 7]) record.sent('lead', resolved('far'), 'x', at(second))
    await index()
    age('top', 'lead', 'far', 'alone')
    record.sent('lead', resolved('top'), 'done', at(8))
    host.files.calls.length = 0
    const { tree } = await read('top')
    expect(tree.chains[0]?.children[0]?.sentParentSinceJoin).toBe('yes')
    const entries = host.files.calls.filter(
      ({ call, path }) => call === 'read' && path.startsWith(record.dir),
    )
    expect(entries).toHaveLength(1)
  })

  it('a session that stands alone is found, also as the parent of one that is new since', async () => {
    const { record, index, age, read } = twoChains()
    await index()
    age('top', 'lead', 'far', 'alone')
    const chain = await read('alone')
    expect(formOf(chain.tree.chains)).toEqual([['alone', []]])
    expect(chain).toMatchObject({ foldersRead: 1, publishedAt: expect.stringMatching(/Z$/) })
    record.chain('new', 'alone', 'second', at(6))
    expect((await read('new')).tree.chains).toMatchObject([
      { sessionId: 'alone', role: 'top', children: [{ sessionId: 'new' }] },
    ])
  })

  it('a session whose folder is gone is in it no more', async () => {
    const { record, index, age, read } = twoChains()
    await index()
    age('top', 'lead', 'far', 'alone')
    rmSync(join(record.dir, 'lead'), { recursive: true })
    expect(formOf((await read('top')).tree.chains)).toEqual([['top', []]])
    expect((await read('lead')).tree.chains).toEqual([])
  })

  it('a parent without entries here has all of its leads, also where one is new since', async () => {
    const { record, index, age, read } = twoChains()
    await index()
    age('top', 'lead', 'far', 'alone')
    record.chain('new', 'elsewhere', 'second', at(6))
    const form = [
      [
        'elsewhere',
        [
          ['far', []],
          ['new', []],
        ],
      ],
    ]
    for (const one of ['new', 'far', 'elsewhere']) expect(formOf((await read(one)).tree.chains)).toEqual(form)
  })

  it('a join that leads into another chain brings that one in, and so on', async () => {
    const { record, index, age, read } = bench()
    for (const one of ['a', 'b', 'c', 'd']) record.start(one, at(0))
    record.chain('bb', 'b', 'p', at(1))
    record.chain('cc', 'c', 'p', at(1))
    await index()
    age('a', 'b', 'c', 'd', 'bb', 'cc')
    record.chain('a', 'bb', 'p', at(2))
    record.chain('b', 'cc', 'p', at(2))
    const form = [['c', [['cc', [['b', [['bb', [['a', []]]]]]]]]]]
    for (const one of ['a', 'b', 'c', 'cc']) expect(formOf((await read(one)).tree.chains), one).toEqual(form)
  })

  it.each<[string, (one: ReturnType<typeof bench>) => void]>([
    ['none', ({ projectionDir }) => rmSync(projectionDir, { recursive: true })],
    ['another format', ({ change }) => change('manifest.json', value => ({ ...value, format: 3 }))],
    [
      'another record’s',
      ({ change }) => change('manifest.json', value => ({ ...value, recordDir: '/other' })),
    ],
    [
      'a map of another format',
      ({ change }) => change('sessions-0.json', value => ({ ...value, format: 3 })),
    ],
    ['a map that is missing', ({ projectionDir }) => rmSync(join(projectionDir, 'sessions-0.json'))],
    ['a chain that is missing', ({ projectionDir }) => rmSync(join(projectionDir, 'chains/top.json'))],
    [
      'a chain of another format',
      ({ change }) => change('chains/top.json', value => ({ ...value, format: 3 })),
    ],
    [
      'a chain under another name',
      ({ change }) => change('chains/top.json', value => ({ ...value, root: 'x' })),
    ],
    [
      'a chain that is torn',
      ({ projectionDir }) => writeFileSync(join(projectionDir, 'chains/top.json'), '{'),
    ],
    [
      'a manifest that is torn',
      ({ projectionDir }) => writeFileSync(join(projectionDir, 'manifest.json'), ''),
    ],
  ])('one that cannot be used is not: %s', async (_, damage) => {
    const one = twoChains()
    await one.index()
    one.age('top', 'lead', 'far', 'alone')
    damage(one)
    expect(await one.read('lead')).toEqual(await one.plain('lead'))
    expect((await one.read('lead')).publishedAt).toBeNull()
  })

  it('reads every map of the sessions', async () => {
    const { index, age, read, change, projectionDir } = twoChains()
    await index()
    age('top', 'lead', 'far', 'alone')
    const { lead, ...rest } = (
      JSON.parse(readFileSync(join(projectionDir, 'sessions-0.json'), 'utf8')) as {
        roots: Record<string, string>
      }
    ).roots
    change('sessions-0.json', value => ({ ...value, roots: rest }))
    writeFileSync(join(projectionDir, 'sessions-1.json'), JSON.stringify({ format: 2, roots: { lead } }))
    change('manifest.json', value => ({ ...value, shards: 2 }))
    const chain = await read('lead')
    expect([chain.foldersRead, chain.publishedAt === null]).toEqual([0, false])
  })

  it('gives what the files give, whatever came since it was published', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e']
    const id = fc.constantFrom(...ids)
    const step = fc.oneof(
      fc.record({ kind: fc.constant('start' as const), who: id, whom: id, second: fc.nat(9) }),
      fc.record({ kind: fc.constant('chain' as const), who: id, whom: id, second: fc.nat(9) }),
      fc.record({ kind: fc.constant('sent' as const), who: id, whom: id, second: fc.nat(9) }),
      fc.record({ kind: fc.constant('torn' as const), who: id, whom: id, second: fc.nat(9) }),
      fc.record({ kind: fc.constant('stray' as const), who: id, whom: id, second: fc.nat(9) }),
      fc.record({ kind: fc.constant('gone' as const), who: id, whom: id, second: fc.nat(9) }),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 12 }),
        fc.array(step, { maxLength: 6 }),
        async (old, since) => {
          const one = bench()
          mkdirSync(one.record.dir, { recursive: true })
          const apply = (steps: typeof old) => {
            for (const { kind, who, whom, second } of steps) {
              const time = at(second)
              if (kind === 'start') one.record.start(who, time)
              if (kind === 'chain' && who !== whom) one.record.chain(who, whom, 'p', time)
              if (kind === 'sent') one.record.sent(who, resolved(whom), 'x', time)
              if (kind === 'torn') one.record.raw(who, `${time.replaceAll(':', '')}-torn${second}.json`, '{')
              if (kind === 'stray')
                one.record.entry(who, {
                  kind: 'start',
                  sessionId: whom,
                  at: time,
                  cwd: '/',
                  host: 'h',
                  version: '1',
                  inbound: 'u',
                })
              if (kind === 'gone') rmSync(join(one.record.dir, who), { recursive: true, force: true })
            }
          }
          // What states another session in a folder of another chain is published with neither (docs/tests.md, plugin).
          apply(old.filter(({ kind }) => kind !== 'stray'))
          await one.index()
          one.age(...readdirSync(one.record.dir))
          apply(since)
          for (const session of ids) {
            const published = await one.read(session)
            expect(published.tree, session).toEqual((await one.plain(session)).tree)
          }
        },
      ),
      { numRuns: 30 },
    )
  })
})
