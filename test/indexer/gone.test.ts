import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ChainProjection } from '../../src/chain/projection.ts'
import { SILENT } from '../../src/indexer/indexer-report.ts'
import { type Place, placeOf } from '../../src/indexer/place.ts'
import { type RefreshOptions, refreshIndex } from '../../src/indexer/refresh-index.ts'
import { verifyIndex } from '../../src/indexer/verify-index.ts'
import { readChains } from '../../src/query/read-chains.ts'
import { readIndex } from '../../src/sqlite/read-index.ts'
import { answersOf } from '../support/answers.ts'
import { loadOf } from '../support/load-builder.ts'
import { at, fileName, type RecordBuilder, recordBuilder, resolved } from '../support/record-builder.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { nodeOf } from '../support/tree.ts'

let dir: string
let record: RecordBuilder
let place: Place

beforeEach(() => {
  dir = tempFolder()
  record = recordBuilder(join(dir, 'record'))
  place = placeOf(record.dir, join(dir, 'cache'))
})

/** One refresh, and what it told. */
async function refresh(options: RefreshOptions = {}): Promise<string[]> {
  const notes: string[] = []
  await refreshIndex(place, { ...options, report: { note: text => notes.push(text) } })
  return notes
}

const missing = async () => {
  const { unreadable } = (await answersOf(place)) as { unreadable: Record<string, unknown>[] }
  return unreadable.map(({ file, reason, missing }) => [file, reason, missing])
}
const mark = async () => {
  const tree = await readIndex(place.indexPath, place.recordDir, db => readChains(db))
  return nodeOf(tree, 'lead').sentParentSinceJoin
}
const GONE = expect.stringMatching(/^gone since \d{4}-\d\d-\d\dT[\d:.]+Z$/)

/** A top, and a lead with a last entry of which the path is given. */
function chain(): string {
  loadOf(record, 'top').start(at(0))
  const load = loadOf(record, 'lead')
  load.start(at(1))
  load.chain('top', 'port', at(2))
  return load.received(resolved('top'), 'brief', at(5))
}

describe('ruling 8: an entry that the index held and that is gone', () => {
  it('is told once, listed with the time of the look that missed it, and unknown, until it is back', async () => {
    const file = chain()
    await refresh()
    renameSync(record.path(file), join(dir, 'aside'))
    const before = new Date().toISOString()
    expect(await refresh()).toEqual([
      `1 entry that was indexed is gone, and what it held is unknown now: ${file} (coord query unreadable lists what is gone)`,
    ])
    const [[name, reason, count] = []] = await missing()
    expect([name, reason, count]).toEqual([file, GONE, 1])
    expect(String(reason).slice(-24) >= before).toBe(true)
    expect(await refresh()).toEqual([])
    expect([await missing(), await mark()]).toEqual([[[file, reason, 1]], 'unknown'])
    renameSync(join(dir, 'aside'), record.path(file))
    expect(await refresh()).toEqual([])
    expect([await missing(), await mark()]).toEqual([[], 'no'])
  })

  it('is forgotten by an index that is built anew', async () => {
    const file = chain()
    await refresh()
    rmSync(record.path(file))
    await refresh()
    expect(await missing()).toHaveLength(1)
    await refresh({ rebuild: true })
    expect([await missing(), await mark()]).toEqual([[], 'no'])
  })

  it('is no damage: the index agrees with one that is built anew on everything else', async () => {
    const file = chain()
    await refresh()
    rmSync(record.path(file))
    expect((await verifyIndex(place, SILENT)).differences).toEqual([{ file, what: 'gone' }])
    await refresh()
    expect(await verifyIndex(place, SILENT)).toMatchObject({ indexIsSound: true, differences: [] })
  })

  it('counts as back where the same bytes lie under another name of its session', async () => {
    const file = chain()
    await refresh()
    renameSync(record.path(file), record.path(`lead/${fileName(at(5), 'renamed')}`))
    await refresh()
    expect(await missing()).toEqual([])
  })

  it('counts as back where something of its name lies there, which says itself what it is', async () => {
    const file = chain()
    await refresh()
    rmSync(record.path(file))
    await refresh()
    writeFileSync(record.path(file), '{')
    await refresh()
    expect(await missing()).toEqual([[file, expect.stringContaining('not JSON'), null]])
    expect(await mark()).toBe('unknown')
  })

  it('one that was replaced in one look is not gone', async () => {
    const file = chain()
    await refresh()
    rmSync(record.path(file))
    mkdirSync(record.path(file))
    expect(await refresh()).toEqual([])
    expect(await missing()).toEqual([[file, expect.stringContaining('a folder'), null]])
  })

  it('what could not be read is settled by taking it away', async () => {
    chain()
    const torn = record.raw('lead', fileName(at(6), 'torn'), '{')
    await refresh()
    rmSync(record.path(torn))
    expect(await refresh()).toEqual([])
    expect([await missing(), await mark()]).toEqual([[], 'no'])
  })

  it('of a whole folder each entry is, until it is back; one note names a few', async () => {
    const file = chain()
    const more = loadOf(record, 'other')
    const others = [0, 1, 2].map(second => more.start(at(second)))
    await refresh()
    renameSync(record.path('other'), join(dir, 'aside'))
    rmSync(record.path(file))
    const [note, ...rest] = await refresh()
    expect([note, rest]).toEqual([expect.stringMatching(/^4 entries .* and 1 more /), []])
    expect(await missing()).toEqual([file, ...others].map(one => [one, GONE, 1]))
    renameSync(join(dir, 'aside'), record.path('other'))
    await refresh()
    expect(await missing()).toEqual([[file, GONE, 1]])
  })

  it('a folder that can no longer be listed is unreadable, and nothing of it is gone', async () => {
    chain()
    await refresh()
    renameSync(record.path('top'), join(dir, 'aside'))
    symlinkSync(join(dir, 'aside'), record.path('top'))
    expect(await refresh()).toEqual([])
    expect(await missing()).toEqual([['top', 'a symbolic link, not followed', null]])
  })

  it('is published, so that the mod does not say "no" either', async () => {
    const file = chain()
    await refresh()
    rmSync(record.path(file))
    await refresh()
    const published = readFileSync(join(place.projectionDir, 'chains/top.json'), 'utf8')
    expect((JSON.parse(published) as ChainProjection).unknown).toEqual([
      { sessionId: 'lead', at: at(5), file, isGone: true },
    ])
  })
})

describe('a placeholder that a sync tool left of an entry', () => {
  it('is unknown evidence of that entry, beside its being gone', async () => {
    const file = chain()
    await refresh()
    const placeholder = file.replace('lead/', 'lead/.').concat('.icloud')
    renameSync(record.path(file), record.path(placeholder))
    expect(await refresh()).toHaveLength(1)
    const row = [placeholder, expect.stringMatching(/^a placeholder: /), null]
    expect(await missing()).toEqual([row, [file, GONE, 1]])
    await refresh({ rebuild: true })
    expect([await missing(), await mark()]).toEqual([[row], 'unknown'])
    renameSync(record.path(placeholder), record.path(file))
    await refresh()
    expect([await missing(), await mark()]).toEqual([[], 'no'])
  })

  it('of an entry older than the join hides nothing, and other hidden files are none', async () => {
    chain()
    record.raw('lead', `.${fileName(at(1.5), 'early')}.icloud`, 'bplist')
    record.raw('lead', '.notes.txt.icloud', 'bplist')
    record.raw('lead', `.${fileName(at(9), 'x')}.tmp`, '{')
    await refresh()
    expect(await missing()).toHaveLength(1)
    expect(await mark()).toBe('no')
  })
})
