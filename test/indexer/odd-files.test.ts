import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Change } from '../../src/indexer/loading.ts'
import { type Place, placeOf } from '../../src/indexer/place.ts'
import {
  indexIdentity,
  type RefreshOptions,
  refreshIndex,
  setDamagedAside,
} from '../../src/indexer/refresh-index.ts'
import { readIndex } from '../../src/sqlite/read-index.ts'
import { filesIn } from '../support/files.ts'
import { at, fileName, type RecordBuilder, recordBuilder, startFields } from '../support/record-builder.ts'
import { tempFolder } from '../support/temp-folder.ts'

let dir: string
let record: RecordBuilder
let place: Place

beforeEach(() => {
  dir = tempFolder()
  record = recordBuilder(join(dir, 'record'))
  place = placeOf(record.dir, join(dir, 'cache'))
})

async function refresh(options: RefreshOptions = {}): Promise<Change[]> {
  const changes: Change[] = []
  await refreshIndex(place, { ...options, report: { change: one => changes.push(one) } })
  return changes
}
const ask = (sql: string) => readIndex(place.indexPath, place.recordDir, db => db.prepare(sql).all())
const start = (session: string, second: number, more: object = {}) =>
  JSON.stringify({ kind: 'start', sessionId: session, at: at(second), ...startFields, ...more })

describe('what a file holds', () => {
  const name = fileName(at(0), 'x')
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
  it.each<[string, string | Uint8Array, string, number]>([
    ['a byte order mark', `\u{FEFF}${start('s', 0)}`, 'byte order mark', 1],
    ['bytes that are not UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), 'not UTF-8', 1],
    ['nothing', '', 'empty file', 1],
    ['half of an entry', start('s', 0).slice(0, 40), 'not JSON', 1],
    ['an entry that lacks a field', start('s', 0, { host: undefined }), 'host: missing', 1],
    ['an entry of another session', start('t', 0), 'mismatch', 0],
    [
      'what is nested too deeply to be written',
      start('s', 0, { more: 0 }).replace('"more":0', `"more":${deep}`),
      'nested',
      1,
    ],
  ])('%s is told with its reason', async (_, bytes, reason, retried) => {
    record.raw('s', name, bytes)
    expect(await refresh()).toMatchObject([
      { change: 'unreadable', file: `s/${name}`, reason: expect.stringContaining(reason) },
    ])
    expect(await ask('select name, is_retried from unread')).toEqual([{ name, is_retried: retried }])
    expect(await ask('select name from entry')).toEqual([])
  })

  it('an entry that can no longer be read is no entry, and its session’s facts go', async () => {
    const file = record.start('s', at(0))
    await refresh()
    writeFileSync(record.path(file), '{')
    expect(await refresh()).toMatchObject([{ change: 'unreadable', file }])
    expect(await ask('select session_id from session')).toEqual([])
    writeFileSync(record.path(file), start('s', 0))
    expect(await refresh()).toMatchObject([{ change: 'added', file }])
    expect(await ask('select session_id from session')).toEqual([{ session_id: 's' }])
  })
})

describe('names', () => {
  it('of one entry in two letter cases: other bytes are a conflict of the first that is this session’s', async () => {
    const lower = fileName(at(0), 'x')
    const upper = fileName(at(0), 'X')
    record.raw('s', upper, start('t', 0))
    record.raw('s', lower, start('s', 0))
    await refresh()
    expect(await ask('select name from entry')).toEqual([{ name: lower }])
    expect(await ask('select name, is_conflict, is_retried, twin_session, twin_name from unread')).toEqual([
      { name: upper, is_conflict: 1, is_retried: 0, twin_session: 's', twin_name: lower },
    ])
    expect(await refresh({ thorough: true })).toEqual([])
    rmSync(record.path(`s/${lower}`))
    await refresh()
    expect(await ask('select twin_session, twin_name, is_conflict from unread')).toEqual([
      { twin_session: 't', twin_name: upper, is_conflict: 0 },
    ])
  })

  it('that begin with a dot are no folder of a session; a link to one is not followed', async () => {
    record.start('s', at(0))
    record.start('.s', at(0))
    const elsewhere = recordBuilder(join(dir, 'elsewhere'))
    elsewhere.start('t', at(0))
    symlinkSync(elsewhere.path('t'), record.path('t'))
    await refresh()
    expect(await ask('select name, problem from folder order by name')).toEqual([
      { name: 's', problem: null },
      { name: 't', problem: 'a symbolic link, not followed' },
    ])
    expect(await ask('select session_id from entry')).toEqual([{ session_id: 's' }])
  })

  it('a session’s folder that holds another folder is no record, and neither is an empty one refused', async () => {
    mkdirSync(record.path(''), { recursive: true })
    await expect(refreshIndex(place)).resolves.toMatchObject({ rebuilt: true })
    record.raw('.', fileName(at(0), 'x'), start('s', 0))
    await expect(refreshIndex(place)).rejects.toMatchObject({ kind: 'record' })
    record.start('s', at(0))
    await expect(refreshIndex(place)).resolves.toBeDefined()
  })
})

describe('a session’s facts', () => {
  const session = () => ask('select first_heard, last_heard, entries, version from session')

  it('follow entries in the order of their times, however they are listed', async () => {
    record.raw('s', fileName(at(5), 'a'), start('s', 5, { version: 'late' }))
    record.raw('s', fileName(at(1), 'z'), start('s', 1, { version: 'early' }))
    await refresh()
    record.raw('s', fileName(at(9), 'a'), start('s', 9, { version: 'last' }))
    record.raw('s', fileName(at(7), 'b'), start('s', 7, { version: 'between' }))
    await refresh()
    expect(await session()).toEqual([{ first_heard: at(1), last_heard: at(9), entries: 4, version: 'last' }])
  })

  it('are folded anew where an older entry comes', async () => {
    record.start('s', at(5))
    await refresh()
    record.raw('s', fileName(at(1), 'old'), start('s', 1, { version: 'old' }))
    await refresh()
    expect(await session()).toMatchObject([{ first_heard: at(1), last_heard: at(5), entries: 2 }])
  })

  it('go with its folder, also where a link takes its place', async () => {
    record.start('s', at(0))
    await refresh()
    renameSync(record.path('s'), join(dir, 'aside'))
    symlinkSync(join(dir, 'aside'), record.path('s'))
    await refresh()
    expect(await session()).toEqual([])
  })
})

describe('an index that was found damaged', () => {
  it('is set aside, unless it is another one by now', async () => {
    record.start('s', at(0))
    await refresh()
    const damaged = indexIdentity(place.indexPath) as number
    const names = () => Object.keys(filesIn(join(place.indexPath, '..'))).filter(name => /damaged/.test(name))
    const notes: string[] = []
    await setDamagedAside(place, damaged + 1, text => notes.push(text))
    expect([names(), notes]).toEqual([[], []])
    await setDamagedAside(place, damaged, text => notes.push(text))
    expect(names()).toHaveLength(1)
    expect(notes).toHaveLength(1)
    expect(indexIdentity(place.indexPath)).toBeNull()
    await setDamagedAside(place, damaged, text => notes.push(text))
    expect(notes).toHaveLength(1)
  })
})
