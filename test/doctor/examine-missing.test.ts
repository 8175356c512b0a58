import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { examineMissing } from '../../src/doctor/examine-missing.ts'
import { placeOf } from '../../src/indexer/place.ts'
import { refreshIndex } from '../../src/indexer/refresh-index.ts'
import { openSqlite } from '../../src/sqlite/open-sqlite.ts'
import { loadOf } from '../support/load-builder.ts'
import { at, recordBuilder, resolved } from '../support/record-builder.ts'
import { tempFolder } from '../support/temp-folder.ts'

function bench() {
  const dir = tempFolder()
  const record = recordBuilder(join(dir, 'record'))
  const place = placeOf(record.dir, join(dir, 'cache'))
  return { record, place, look: () => examineMissing(place.indexPath) }
}

describe('ruling 8: what is known to be missing', () => {
  it('is nothing before there is an index, and where nothing is', async () => {
    const { record, place, look } = bench()
    loadOf(record, 's').start(at(0))
    expect(look()).toMatchObject({
      name: 'missing entries',
      status: 'ok',
      detail: expect.stringContaining('not known'),
    })
    await refreshIndex(place)
    expect(look()).toEqual({
      ...{ name: 'missing entries', status: 'ok', detail: 'none is known to be missing', hint: null },
    })
  })

  it('is counted, and named for the first few', async () => {
    const { record, place, look } = bench()
    const load = loadOf(record, 's')
    const start = load.start(at(0))
    const says = load.received(resolved('t'), 'x', at(1), { missing: 3 })
    await refreshIndex(place)
    expect(look()).toMatchObject({
      status: 'warning',
      detail: `3 entries are missing from the record, and unknown: ${says} (3 entries could not be written before this one)`,
      hint: expect.stringContaining('coord query unreadable'),
    })
    for (let second = 2; second < 6; second++) {
      load.lose()
      load.received(resolved('t'), 'x', at(second))
    }
    rmSync(record.path(start))
    await refreshIndex(place)
    const { detail } = look()
    expect(detail).toMatch(/^8 entries are missing/)
    expect(detail).toMatch(
      /\(gone since [^)]+\), .*\(3 entries .*\), .*\(number 000003 of load 1a2b3c4d is missing\)$/,
    )
    expect(detail.match(/\.json \(/g)).toHaveLength(3)
  })

  it('is one where one is', async () => {
    const { record, place, look } = bench()
    loadOf(record, 's').start(at(0), 'startup', { missing: 1 })
    await refreshIndex(place)
    expect(look().detail).toMatch(/^1 entry is missing/)
  })

  it('is not known of an index that cannot be read, and that is said', async () => {
    const { record, place, look } = bench()
    loadOf(record, 's').start(at(0))
    await refreshIndex(place)
    const db = openSqlite(place.indexPath)
    db.exec('drop table gap')
    db.close()
    expect(look()).toMatchObject({ status: 'warning', detail: 'not known: the index cannot be read' })
    writeFileSync(place.indexPath, 'no index')
    expect(look().status).toBe('ok')
  })
})
