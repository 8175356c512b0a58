import { rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Place, placeOf } from '../../src/indexer/place.ts'
import { refreshIndex } from '../../src/indexer/refresh-index.ts'
import { openSqlite } from '../../src/sqlite/open-sqlite.ts'
import { readIndex } from '../../src/sqlite/read-index.ts'
import { answersOf } from '../support/answers.ts'
import { type LoadBuilder, loadOf } from '../support/load-builder.ts'
import { at, fileName, type RecordBuilder, recordBuilder, resolved } from '../support/record-builder.ts'
import { inTempFolder, tempFolder } from '../support/temp-folder.ts'

const peer = resolved('top')
let record: RecordBuilder
let place: Place
let load: LoadBuilder

beforeEach(() => {
  const dir = tempFolder()
  record = recordBuilder(join(dir, 'record'))
  place = placeOf(record.dir, join(dir, 'cache'))
  load = loadOf(record, 's')
})

async function rows(): Promise<unknown[]> {
  await refreshIndex(place)
  const { unreadable } = (await answersOf(place)) as { unreadable: Record<string, unknown>[] }
  return unreadable.map(({ file, reason, missing }) => [file, reason, missing])
}

describe('ruling 8: what is missing stands at the entry that follows it', () => {
  it('a number, and several in a row', async () => {
    load.start(at(0))
    load.lose()
    const one = load.received(peer, 'x', at(1))
    load.lose(3)
    const other = load.received(peer, 'x', at(2))
    expect(await rows()).toEqual([
      [one, 'number 000002 of load 1a2b3c4d is missing', 1],
      [other, 'numbers 000004 to 000006 of load 1a2b3c4d are missing', 3],
    ])
  })

  it('what an entry says of those that could not be written, with their numbers where they are just before it', async () => {
    load.start(at(0))
    const alone = load.received(peer, 'x', at(1), { missing: 3 })
    load.lose()
    const both = load.received(peer, 'x', at(2), { missing: 1 })
    expect(await rows()).toEqual([
      [alone, '3 entries could not be written before this one', 3],
      [both, '1 entry could not be written before this one: number 000003 of load 1a2b3c4d is missing', 1],
    ])
  })

  it('the first numbers of a load, but none before a start entry that gives no cause: older versions counted on', async () => {
    load.lose(2)
    const first = load.start(at(0))
    const older = loadOf(record, 's', '5e6f7a8b')
    older.lose(2)
    older.start(at(1), null)
    expect(await rows()).toEqual([[first, 'numbers 000001 to 000002 of load 1a2b3c4d are missing', 2]])
  })

  it('a message that was answered late is not missing, whichever comes into the index first', async () => {
    load.start(at(0))
    load.lose()
    load.received(peer, 'x', at(5))
    expect(await rows()).toHaveLength(1)
    const late = loadOf(record, 's')
    late.lose()
    expect(late.sent(peer, 'x', at(4))).toContain('000002')
    expect(await rows()).toEqual([])
  })

  it('a file that cannot be read, or is gone, says itself what became of its number', async () => {
    load.start(at(0))
    const kept = load.received(peer, 'x', at(1))
    load.lose(2)
    const torn = record.raw('s', fileName(at(2), '1a2b3c4d-000003'), '{')
    const last = load.received(peer, 'x', at(3))
    expect(await rows()).toEqual([
      [torn, expect.stringContaining('not JSON'), null],
      [last, 'number 000004 of load 1a2b3c4d is missing', 1],
    ])
    rmSync(record.path(kept))
    rmSync(record.path(torn))
    expect(await rows()).toEqual([
      [kept, expect.stringContaining('gone since'), 1],
      [last, 'numbers 000003 to 000004 of load 1a2b3c4d are missing', 2],
    ])
    await refreshIndex(place, { rebuild: true })
    expect(await rows()).toEqual([[last, 'numbers 000002 to 000004 of load 1a2b3c4d are missing', 3]])
  })

  it('a file that comes later and cannot be read says so too, for as long as it is there', async () => {
    load.start(at(0))
    load.lose()
    const last = load.received(peer, 'x', at(3))
    const gap = [last, 'number 000002 of load 1a2b3c4d is missing', 1]
    expect(await rows()).toEqual([gap])
    const torn = record.raw('s', fileName(at(2), '1a2b3c4d-000002'), '{')
    expect(await rows()).toEqual([[torn, expect.stringContaining('not JSON'), null]])
    rmSync(record.path(torn))
    expect(await rows()).toEqual([gap])
  })

  it('a reason stays one line where a range has many holes', async () => {
    load.start(at(0))
    load.lose(20)
    load.received(peer, 'x', at(3))
    for (const number of [4, 8, 10, 12]) record.raw('s', fileName(at(2), `1a2b3c4d-${pad(number)}`), '{')
    expect((await rows()).at(-1)).toEqual([
      expect.stringContaining('000022'),
      'numbers 000002 to 000003, 000005 to 000007, 000009, … of load 1a2b3c4d are missing',
      16,
    ])
  })

  it('a row that stays keeps when it was first seen', async () => {
    load.start(at(0))
    load.lose()
    load.received(peer, 'x', at(1))
    await rows()
    const seen = () =>
      readIndex(place.indexPath, place.recordDir, db => db.prepare('select id, first_seen from gap').all())
    const first = await seen()
    load.received(peer, 'x', at(2))
    await rows()
    expect(await seen()).toEqual(first)
  })

  it('goes with the entry that follows it, and with its session', async () => {
    load.start(at(0))
    load.lose()
    const last = load.received(peer, 'x', at(1))
    await rows()
    rmSync(record.path(last))
    expect(await rows()).toEqual([[last, expect.stringContaining('gone'), 1]])
    load.lose()
    load.received(peer, 'x', at(4))
    expect(await rows()).toHaveLength(2)
    rmSync(record.path('s'), { recursive: true })
    for (const [, reason] of (await rows()) as [string, string][]) expect(reason).toContain('gone since')
  })

  it('very many gaps are kept as one, and leave the session’s facts small', async () => {
    load.start(at(0))
    for (let gap = 0; gap < 1_001; gap++) {
      load.lose()
      load.received(peer, 'x', at(gap))
    }
    const [only, ...others] = (await rows()) as [string, string, null][]
    expect(others).toEqual([])
    expect(only).toEqual([
      expect.stringContaining('-002003.json'),
      expect.stringContaining('more numbers'),
      null,
    ])
    const size = await readIndex(place.indexPath, place.recordDir, db =>
      db.prepare('select length(facts) from session').pluck().get(),
    )
    expect(size).toBeLessThan(1_000)
  })
})

it('an index that was kept up to date lists the same as one that is built anew', async () => {
  const step = fc.record({
    does: fc.constantFrom('write', 'write', 'write', 'lose', 'say', 'late', 'torn', 'remove', 'refresh'),
    pick: fc.nat(50),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async steps => {
      await inTempFolder(async folder => {
        const record = recordBuilder(join(folder, 'record'))
        const [kept, fresh] = ['kept', 'fresh'].map(name => placeOf(record.dir, join(folder, name))) as [
          Place,
          Place,
        ]
        const loads = ['1a2b3c4d', '5e6f7a8b'].map(one => loadOf(record, 's', one))
        loads.forEach((one, second) => void one.start(at(second)))
        const files: string[] = []
        await refreshIndex(kept)
        for (const [index, { does, pick }] of steps.entries()) {
          const load = loads[pick % 2] as LoadBuilder
          if (does === 'write') files.push(load.received(peer, 'x', at(10 + index)))
          if (does === 'say') files.push(load.received(peer, 'x', at(10 + index), { missing: 1 + pick }))
          if (does === 'late') files.push(load.sent(peer, 'x', at(8 + index - (pick % 5))))
          if (does === 'lose') load.lose(1 + (pick % 3))
          if (does === 'torn') record.raw('s', fileName(at(9), `1a2b3c4d-${pad(1 + (pick % 9))}`), '{')
          if (does === 'remove' && files.length > 0)
            rmSync(record.path(files[pick % files.length] as string), { force: true })
          if (does === 'refresh') await refreshIndex(kept)
        }
        await refreshIndex(kept)
        await refreshIndex(fresh)
        // Which entries were there once, only an index that has seen them can know; what has its number from one is listed so.
        const db = openSqlite(kept.indexPath)
        const hadGone = db.prepare('select count(*) from gone').pluck().get() as number
        db.exec('delete from gone')
        db.close()
        const [one, other] = [await answersOf(kept), await answersOf(fresh)]
        if (hadGone > 0) for (const answers of [one, other]) delete answers.unreadable
        expect(one).toEqual(other)
      })
    }),
    { numRuns: 40 },
  )
})

function pad(number: number): string {
  return String(number).padStart(6, '0')
}
