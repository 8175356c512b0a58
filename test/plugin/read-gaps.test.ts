import { readdirSync, renameSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { placeOf } from '../../src/indexer/place.ts'
import { refreshIndex } from '../../src/indexer/refresh-index.ts'
import { readChain } from '../../src/plugin/read-chain.ts'
import { readChains } from '../../src/query/read-chains.ts'
import { readIndex } from '../../src/sqlite/read-index.ts'
import { type LoadBuilder, loadOf } from '../support/load-builder.ts'
import { at, fileName, recordBuilder, resolved } from '../support/record-builder.ts'
import { nodesOf } from '../support/tree.ts'
import { hostSession } from './support/host-session.ts'

function bench() {
  const host = hostSession()
  const record = recordBuilder(host.recordDir)
  const place = placeOf(record.dir, join(host.dir, 'cache'))
  const settings = { recordDir: record.dir, recordText: 'full' as const, projectionDir: place.projectionDir }
  const read = async (session: string) => (await readChain(host.$, settings, session)).tree
  const plain = async (session: string) =>
    (await readChain(host.$, { ...settings, projectionDir: null }, session)).tree
  return {
    ...{ host, record, read, plain, index: () => refreshIndex(place) },
    /** The marks of the lead: as the mod reads it, and as it reads it from plain files. */
    async marks() {
      const found = [await read('lead'), await plain('lead')].map(tree => nodesOf(tree.chains))
      return found.map(nodes => nodes.find(({ sessionId }) => sessionId === 'lead')?.sentParentSinceJoin)
    },
    /** What `coord tree --session` says. */
    async told(session: string) {
      await refreshIndex(place)
      return readIndex(place.indexPath, place.recordDir, db => readChains(db, session))
    },
    /** Folders are older than the projection, so that nothing leads the mod into them. */
    age() {
      for (const one of readdirSync(record.dir)) utimesSync(join(record.dir, one), 1_000, 1_000)
    },
  }
}

/** A top and a lead that joined it, with an entry more, whose path is given. */
function chain() {
  const one = bench()
  loadOf(one.record, 'top').start(at(0))
  const load = loadOf(one.record, 'lead')
  load.start(at(1))
  load.chain('top', 'port', at(2))
  return { ...one, load, last: load.received(resolved('top'), 'brief', at(5)) }
}

describe('ruling 8: a gap is unknown to the mod, too', () => {
  it('numbers that are missing, with a projection and without one, published or new since', async () => {
    const { load, index, age, marks } = chain()
    await index()
    age()
    expect(await marks()).toEqual(['no', 'no'])
    load.lose()
    load.received(resolved('top'), 'more', at(6))
    expect(await marks()).toEqual(['unknown', 'unknown'])
    await index()
    age()
    expect(await marks()).toEqual(['unknown', 'unknown'])
  })

  it('a message that was answered late fills its number, also where the facts are published', async () => {
    const { load, record, index, age, marks } = chain()
    load.lose()
    load.received(resolved('top'), 'more', at(8))
    await index()
    age()
    expect(await marks()).toEqual(['unknown', 'unknown'])
    const late = loadOf(record, 'lead')
    late.lose(3)
    expect(late.sent(resolved('other'), 'x', at(7))).toContain('000004')
    expect(await marks()).toEqual(['no', 'no'])
  })

  it('an entry that is gone, which files alone do not show', async () => {
    const { record, host, last, index, age, marks } = chain()
    await index()
    renameSync(record.path(last), join(host.dir, 'aside'))
    await index()
    age()
    expect(await marks()).toEqual(['unknown', 'no'])
    // The folder is looked into again for another reason, and still holds it no more.
    record.received('lead', 'x', 'more', at(9))
    expect(await marks()).toEqual(['unknown', 'no'])
    renameSync(join(host.dir, 'aside'), record.path(last))
    expect(await marks()).toEqual(['no', 'no'])
  })

  it('an entry that was published and is gone since, before any index knows', async () => {
    const { record, host, last, index, age, marks, told } = chain()
    await index()
    age()
    renameSync(record.path(last), join(host.dir, 'aside'))
    expect(await marks()).toEqual(['unknown', 'no'])
    expect(nodesOf((await told('lead')).chains).at(-1)?.sentParentSinceJoin).toBe('unknown')
    renameSync(join(host.dir, 'aside'), record.path(last))
    expect(await marks()).toEqual(['no', 'no'])
  })

  it('a join that is newer than all that is gone hides nothing', async () => {
    const { record, last, load, index, age, marks } = chain()
    await index()
    age()
    rmSync(record.path(last))
    load.chain('top', 'another part', at(6))
    expect(await marks()).toEqual(['no', 'no'])
  })

  it('a file that could not be read when it was published, and can since', async () => {
    const { record, index, age, marks } = chain()
    const torn = record.raw('lead', fileName(at(6), 'torn'), '{')
    await index()
    age()
    expect(await marks()).toEqual(['unknown', 'unknown'])
    rmSync(record.path(torn))
    expect(await marks()).toEqual(['no', 'no'])
  })

  it('a placeholder stands for the entry that it was', async () => {
    const { record, last, marks } = chain()
    renameSync(record.path(last), record.path(last.replace('lead/', 'lead/.').concat('.icloud')))
    expect(await marks()).toEqual(['unknown', 'unknown'])
  })

  it('says what coord tree says, from the projection and from plain files, whatever is missing', async () => {
    const ids = ['a', 'b', 'c']
    const step = fc.record({
      does: fc.constantFrom(
        ...(['join', 'send', 'send', 'late', 'receive', 'lose', 'say', 'load', 'reload', 'torn'] as const),
      ),
      who: fc.constantFrom(...ids),
      whom: fc.constantFrom(...ids),
      back: fc.nat(6),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 12 }),
        fc.array(step, { maxLength: 6 }),
        async (old, since) => {
          const { record, read, plain, index, age, told } = bench()
          let count = 0
          const begin = (who: string, cause: string, time: number) => {
            count += 1
            const load = loadOf(record, who, String(count).padStart(8, '0'))
            load.start(at(time), cause)
            return load
          }
          const loads = new Map<string, LoadBuilder>(ids.map(id => [id, begin(id, 'startup', 0)]))
          let time = 10
          const apply = (steps: typeof old) => {
            for (const { does, who, whom, back } of steps) {
              time += 1
              const load = loads.get(who) as LoadBuilder
              if (does === 'join' && who !== whom) load.chain(whom, 'p', at(time))
              if (does === 'send') load.sent(resolved(whom), 'x', at(time))
              if (does === 'late') load.sent(resolved(whom), 'x', at(time - back))
              if (does === 'receive') load.received(resolved(whom), 'x', at(time - (back === 6 ? 3 : 0)))
              if (does === 'say') load.received(resolved(whom), 'x', at(time), { missing: 1 })
              if (does === 'lose') load.lose(1 + back)
              if (does === 'load') loads.set(who, begin(who, 'resume', time))
              if (does === 'reload') loads.set(who, begin(who, 'reload', time))
              if (does === 'torn') record.raw(who, fileName(at(time - back), `torn${time}`), '{')
            }
          }
          apply(old)
          await index()
          age()
          apply(since)
          for (const id of ids) {
            const files = await plain(id)
            expect(await read(id), id).toEqual(files)
            expect(files, id).toEqual(await told(id))
          }
        },
      ),
      { numRuns: 60 },
    )
  })
})
