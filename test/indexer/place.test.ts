import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkOutsideRecord, isInside, placeOf } from '../../src/indexer/place.ts'
import { sharedTempFolder } from '../support/temp-folder.ts'

describe('ruling 2: index and projections lie outside the record', () => {
  const dir = sharedTempFolder()
  const record = join(dir, 'record')
  mkdirSync(record)
  symlinkSync(record, join(dir, 'link'))
  it.each([
    ['record', true],
    ['record/index.db', true],
    ['record/a/b/index.db', true],
    ['record/..index.db', true],
    ['link/index.db', true],
    ['link/none/index.db', true],
    ['index.db', false],
    ['', false],
    ['record2/index.db', false],
    ['other/record/index.db', false],
    ['record/../index.db', false],
  ])('%s lies in it: %s', (path, inside) => {
    const there = join(dir, path)
    expect(isInside(record, there)).toBe(inside)
    const place = placeOf(record, join(dir, 'cache'))
    for (const other of [{ indexPath: there }, { projectionDir: there }]) {
      const check = () => checkOutsideRecord({ ...place, ...other })
      if (inside) expect(check).toThrow(expect.objectContaining({ kind: 'index', path: there }))
      else expect(check).not.toThrow()
    }
  })

  it('a named index changes nothing of where projections and known results lie', () => {
    const own = placeOf(record, '/cache', { dataDir: '/data' })
    const named = placeOf(record, '/cache', { dataDir: '/data', indexPath: '/i.db' })
    expect(named).toEqual({ ...own, indexPath: '/i.db' })
    expect(own.indexPath.startsWith(`${own.projectionDir}/index-v`)).toBe(true)
    expect(placeOf(record, '/cache').knownDir).toBeNull()
  })
})
