import {
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { schemaVersion } from '../../migrations/index.ts'
import { examine, type System } from '../../src/doctor/examine.ts'
import { placeOf } from '../../src/indexer/place.ts'
import { refreshIndex } from '../../src/indexer/refresh-index.ts'
import { openSqlite } from '../../src/sqlite/open-sqlite.ts'
import { filesIn } from '../support/files.ts'
import { at, recordBuilder } from '../support/record-builder.ts'
import { tempFolder } from '../support/temp-folder.ts'

const NODE = process.versions.node

function bench(index?: string) {
  const dir = tempFolder()
  const record = recordBuilder(join(dir, 'record'))
  const indexPath = index === undefined ? undefined : join(dir, index)
  const place = placeOf(record.dir, join(dir, 'cache'), { indexPath })
  const watchLimitFile = join(dir, 'limit')
  writeFileSync(watchLimitFile, '100\n')
  const look = (name: string, system: Partial<System> = {}) => {
    const checks = examine(place, { nodeVersion: NODE, watchLimitFile, ...system })
    return checks.find(one => one.name === name)
  }
  return { dir, record, place, look }
}

/** A place whose index is built. */
async function indexed(index?: string) {
  const one = bench(index)
  one.record.start('a', at(0))
  one.record.start('b', at(1))
  await refreshIndex(one.place)
  return one
}

function putBytes(path: string, position: number, bytes: Buffer) {
  const file = openSync(path, 'r+')
  writeSync(file, bytes, 0, bytes.length, position)
}

it('all is well: each thing is looked at once, says so without a hint, and nothing is changed', async () => {
  const { dir, place } = await indexed()
  const before = filesIn(dir)
  const checks = examine(place)
  expect(checks.map(({ name, status, hint }) => [name, status, hint])).toEqual(
    [...['node', 'database', 'record folder', 'index folder', 'index', 'plugin projections', 'watching']].map(
      name => [name, 'ok', null],
    ),
  )
  expect(filesIn(dir)).toEqual(before)
})

describe('node', () => {
  it.each([
    ['20.19.0', 'ok'],
    ['20.20.1', 'ok'],
    ['21.0.0', 'ok'],
    ['22.1.0', 'ok'],
    ['26.0.0-nightly', 'ok'],
    ['20.18.9', 'failed'],
    ['20.9.0', 'failed'],
    ['18.20.0', 'failed'],
    ['8.99.0', 'failed'],
  ])('%s is %s', (nodeVersion, status) => {
    const found = bench().look('node', { nodeVersion })
    expect(found).toMatchObject({ status, detail: expect.stringContaining(`Node ${nodeVersion}`) })
    expect(found?.hint).toBe(status === 'ok' ? null : 'install Node 20.19 or later')
  })
})

it('the database has full-text search', () => {
  expect(bench().look('database')?.detail).toMatch(/SQLite \d+\.\d+\.\d+ and full-text search/)
})

describe('the record folder', () => {
  it('that is not there yet is a warning, which says what makes it', () => {
    const { record, look } = bench()
    rmSync(record.dir, { recursive: true })
    expect(look('record folder')).toMatchObject({
      ...{ status: 'warning', detail: `there is no record at ${record.dir} yet` },
      hint: expect.stringContaining('coord sample DIR'),
    })
  })

  it('is counted by its session folders alone', () => {
    const { record, look } = bench()
    for (const one of ['a', 'b', 'c']) record.start(one, at(0))
    writeFileSync(record.path('x.json'), '')
    symlinkSync(record.path('a'), record.path('link'))
    expect(look('record folder')?.detail).toBe(`${record.dir}: 3 session folders`)
  })

  it('that is a file has failed', () => {
    const { record, look } = bench()
    rmSync(record.dir, { recursive: true })
    writeFileSync(record.dir, '')
    expect(look('record folder')).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining(record.dir),
    })
  })
})

describe('the folders of what is made', () => {
  it('that are not there yet can be made', () => {
    const { place, look } = bench('elsewhere/deep/index.db')
    for (const [name, folder] of [
      ['index folder', dirname(place.indexPath)],
      ['plugin projections', place.projectionDir],
    ] as const)
      expect(look(name)).toMatchObject({ status: 'ok', detail: `${folder} can be made` })
  })

  it('that are there can be written', async () => {
    const { place, look } = await indexed()
    expect(look('index folder')?.detail).toBe(`${dirname(place.indexPath)} can be written`)
    expect(look('plugin projections')?.detail).toBe(`${place.projectionDir} can be written`)
  })

  it('that a file stands in the way of have failed: the file is named, and the setting that helps', () => {
    const { dir, look } = bench('elsewhere/deep/index.db')
    writeFileSync(join(dir, 'elsewhere'), '')
    writeFileSync(join(dir, 'cache'), '')
    expect(look('index folder')).toMatchObject({
      ...{ status: 'failed', hint: expect.stringContaining('--index or COORD_INDEX') },
      detail: `${join(dir, 'elsewhere')} cannot be written: it is not a folder`,
    })
    expect(look('plugin projections')).toMatchObject({
      ...{ status: 'failed', hint: expect.stringContaining('XDG_CACHE_HOME') },
      detail: `${join(dir, 'cache')} cannot be written: it is not a folder`,
    })
  })
})

describe('the index', () => {
  it('that is sound is counted', async () => {
    const { place, look } = await indexed()
    expect(look('index')).toMatchObject({ status: 'ok', detail: `${place.indexPath}: sound, 2 entries` })
  })

  it('that is missing is made by the next command', () => {
    const { look } = bench()
    expect(look('index')).toMatchObject({ status: 'ok', detail: expect.stringContaining('none yet') })
  })

  it.each([
    [schemaVersion - 1, 'ok', 'the next command builds it anew', null],
    [schemaVersion + 1, 'failed', 'is of a newer version', 'update coord'],
  ])('of version %s is %s', async (version, status, detail, hint) => {
    const { place, look } = await indexed('index.db')
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(version)
    putBytes(place.indexPath, 60, bytes)
    expect(look('index')).toMatchObject({ status, detail: expect.stringContaining(detail) })
    expect(look('index')?.detail).toContain(`${version}`)
    if (hint === null) expect(look('index')?.hint).toBeNull()
    else expect(look('index')?.hint).toContain(hint)
  })

  it('that is another program’s database has failed, and names the setting', async () => {
    const { place, look } = await indexed()
    putBytes(place.indexPath, 68, Buffer.from('some'))
    expect(look('index')).toMatchObject({
      ...{ status: 'failed', detail: `${place.indexPath} is another program's database` },
      hint: expect.stringContaining('--index'),
    })
  })

  it('that is no database is a warning: coord index sets it aside', async () => {
    const { place, look } = await indexed()
    writeFileSync(place.indexPath, 'x'.repeat(200))
    expect(look('index')).toMatchObject({ status: 'warning', hint: expect.stringContaining('coord index') })
  })

  it('whose content is damaged is a warning with the way out, wherever the damage lies', async () => {
    const { place } = await indexed()
    const whole = readFileSync(place.indexPath)
    const { size } = statSync(place.indexPath)
    const pageSize = whole.readUInt16BE(16)
    let found = 0
    for (let page = 1; page * pageSize < size; page += 3) {
      writeFileSync(place.indexPath, whole)
      putBytes(place.indexPath, page * pageSize, Buffer.alloc(64, 0xff))
      const { status, hint, detail } = examine(place).find(({ name }) => name === 'index') as ReturnType<
        typeof examine
      >[0]
      if (status === 'ok') continue
      found += 1
      expect({ status, hint }, detail).toEqual({ status: 'warning', hint: 'coord index --rebuild' })
      expect(detail).toContain(`${place.indexPath} is damaged`)
    }
    expect(found).toBeGreaterThan(3)
  })

  it('that a killed refresh left half done is a warning, and the next command mends it', async () => {
    const { place, look } = await indexed()
    const db = openSqlite(place.indexPath)
    db.exec('pragma cache_size = 1')
    db.exec('begin; create table filler (x); insert into filler values (zeroblob(200000))')
    // What lies on the disk now is what a kill would leave.
    const [file, journal] = [place.indexPath, `${place.indexPath}-journal`].map(path => readFileSync(path))
    db.exec('rollback')
    db.close()
    writeFileSync(place.indexPath, file as Buffer)
    writeFileSync(`${place.indexPath}-journal`, journal as Buffer)
    expect(look('index')).toMatchObject({ status: 'warning', detail: expect.stringContaining('half done') })
    await refreshIndex(place)
    expect(look('index')).toMatchObject({ status: 'ok' })
  })

  it('names what was set aside as damaged, of this index alone', async () => {
    const { place, look } = await indexed('index.db')
    const own = [1, 2].map(time => `index.db.damaged-${time}`)
    for (const name of [...own, 'index.db.lock', 'other.db.damaged-1', 'index.dbx'])
      writeFileSync(join(dirname(place.indexPath), name), '')
    expect(look('index')).toMatchObject({
      status: 'warning',
      hint: `set aside as damaged, and yours to delete: ${own.join(', ')}`,
    })
    rmSync(place.indexPath)
    expect(look('index')).toMatchObject({ status: 'ok', hint: expect.stringContaining(own[0] as string) })
  })
})

describe('watching', () => {
  const three = () => {
    const one = bench()
    for (const session of ['a', 'b', 'c']) one.record.start(session, at(0))
    return one
  }

  it.each([
    ['4\n', 'ok', null],
    ['3\n', 'warning', 'fs.inotify.max_user_watches=6'],
    ['2\n', 'warning', 'fs.inotify.max_user_watches=6'],
  ])('three folders with a limit of %j: %s', (limit, status, hint) => {
    const { dir, look } = three()
    writeFileSync(join(dir, 'limit'), limit)
    const found = look('watching')
    expect(found).toMatchObject({ status, detail: expect.stringContaining(limit.trim()) })
    expect(found?.detail).toContain('3 folders')
    if (hint === null) expect(found?.hint).toBeNull()
    else expect(found?.hint).toContain(hint)
  })

  it('says so where there is no limit to look up, or nothing to watch', () => {
    const { record, look } = three()
    const words = 'nothing to watch, or no limit to look up here'
    expect(look('watching', { watchLimitFile: '/nothing' })).toMatchObject({ status: 'ok', detail: words })
    rmSync(record.dir, { recursive: true })
    expect(look('watching')).toMatchObject({ status: 'ok', detail: words })
  })
})

it('one thing that cannot be looked at hides none of the others', () => {
  const { dir, record, place } = bench('folder')
  rmSync(record.dir, { recursive: true })
  writeFileSync(record.dir, '')
  mkdirSync(join(dir, 'folder'))
  const found = examine(place)
  expect(found).toHaveLength(7)
  expect(found.filter(({ status }) => status === 'failed').map(({ name }) => name)).toEqual(
    expect.arrayContaining(['record folder', 'index']),
  )
})
