import {
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Change } from '../../src/indexer/loading.ts'
import { type Place, placeOf } from '../../src/indexer/place.ts'
import { type RefreshOptions, refreshIndex } from '../../src/indexer/refresh-index.ts'
import { readIndex } from '../../src/sqlite/read-index.ts'
import { at, type RecordBuilder, recordBuilder, startFields } from '../support/record-builder.ts'
import { tempFolder } from '../support/temp-folder.ts'

let dir: string
let record: RecordBuilder
let place: Place

beforeEach(() => {
  dir = tempFolder()
  record = recordBuilder(join(dir, 'record'))
  place = placeOf(record.dir, join(dir, 'cache'))
})
afterEach(() => void vi.useRealTimers())

/** One refresh: what it did, told and changed. */
async function refresh(options: RefreshOptions = {}) {
  const changes: Change[] = []
  const notes: string[] = []
  const report = { change: (one: Change) => changes.push(one), note: (text: string) => notes.push(text) }
  const { work, rebuilt } = await refreshIndex(place, { ...options, report })
  return { work, rebuilt, changes, notes }
}

const ask = (sql: string) => readIndex(place.indexPath, place.recordDir, db => db.prepare(sql).all())
const unread = () => ask('select name, reason, tries, first_seen from unread order by name')
const entries = () => ask('select session_id, name, kind from entry order by session_id, name')

/** So many milliseconds after a folder's last change. */
function after(folder: string, ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(statSync(record.path(folder)).ctimeMs + ms)
}

/** The time of a record at rest: folders are old. */
function atRest(): void {
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(Date.now() + 60_000)
}

describe('which folders are listed', () => {
  it.each([
    [1_999, 1],
    [2_000, 1],
    [2_001, 0],
    [60_000, 0],
  ])('one that had changed %i ms before its listing is listed again: %i', async (ms, listed) => {
    record.start('s', at(0))
    after('s', ms)
    await refresh()
    expect((await refresh()).work).toMatchObject({ foldersListed: listed, filesOpened: 0, rowsWritten: 0 })
  })

  it('one with another time of change, one that is another folder, one with something to try again', async () => {
    for (const session of ['a', 'b', 'c', 'd']) record.start(session, at(0))
    atRest()
    await refresh()
    record.start('a', at(1))
    renameSync(record.path('b'), join(dir, 'b'))
    mkdirSync(record.path('b'))
    record.raw('c', '2026-11-01T100003.000Z-torn.json', '{')
    const second = await refresh()
    expect(second.work).toMatchObject({ foldersListed: 3, filesAdded: 2, filesRemoved: 1 })
    atRest()
    await refresh()
    expect((await refresh()).work).toMatchObject({ foldersListed: 1, filesOpened: 1, filesAdded: 0 })
  })

  it('all of them in a thorough look, and in a rebuild', async () => {
    for (const session of ['a', 'b']) record.start(session, at(0))
    atRest()
    await refresh()
    expect(await refresh({ thorough: true })).toMatchObject({
      rebuilt: false,
      work: { foldersListed: 2, filesOpened: 0 },
    })
    expect(await refresh({ rebuild: true })).toMatchObject({
      rebuilt: true,
      work: { foldersListed: 2, filesOpened: 2 },
    })
  })
})

describe('which files are opened', () => {
  it('a new one, one with other bytes, and none that is as it was', async () => {
    const file = record.start('s', at(0))
    record.start('s', at(1))
    await refresh()
    const other = { kind: 'start', sessionId: 's', at: at(0), ...startFields, host: 'other' }
    writeFileSync(record.path(file), JSON.stringify(other))
    record.start('s', at(2))
    const { work, changes, notes } = await refresh()
    expect(work).toMatchObject({ filesOpened: 2, filesAdded: 1, filesRemoved: 0 })
    expect(changes.map(({ change }) => change)).toEqual(['added', 'added'])
    expect(notes).toEqual([expect.stringContaining(file)])
    expect(await ask(`select host from entry where name = '${file.split('/')[1]}'`)).toEqual([
      { host: 'other' },
    ])
  })

  it('the same bytes under another time of change are the same entry', async () => {
    const file = record.start('s', at(0))
    await refresh()
    utimesSync(record.path(file), new Date(0), new Date(0))
    const { work, changes, notes } = await refresh({ thorough: true })
    expect([work.filesOpened, work.filesAdded, changes, notes]).toEqual([1, 0, [], []])
    expect((await refresh({ thorough: true })).work.filesOpened).toBe(0)
  })

  it('rule.oneWriter: one that could not be read, each time, until it can', async () => {
    const name = '2026-11-01T100001.000Z-torn.json'
    record.raw('s', name, '{"kind":')
    expect((await refresh()).changes).toMatchObject([
      { change: 'unreadable', file: `s/${name}`, sessionId: 's' },
    ])
    for (let tries = 2; tries <= 4; tries++) {
      const { work, changes } = await refresh()
      expect(work).toMatchObject({ filesOpened: 1, filesAdded: 0 })
      expect(changes).toEqual([])
      expect(await unread()).toMatchObject([{ name, tries }])
    }
    record.entry('s', { kind: 'start', sessionId: 's', at: at(1), ...startFields }, name)
    expect((await refresh()).changes).toMatchObject([{ change: 'added', file: `s/${name}`, kind: 'start' }])
    expect(await unread()).toEqual([])
    expect(await entries()).toMatchObject([{ name }])
  })

  it('its reason and its tries follow what it holds; when it was first seen does not', async () => {
    const name = '2026-11-01T100001.000Z-torn.json'
    record.raw('s', name, '')
    await refresh()
    const [first] = (await unread()) as { reason: string; first_seen: string }[]
    await new Promise(done => setTimeout(done, 5))
    record.raw('s', name, '[]')
    await refresh()
    const [second] = (await unread()) as { reason: string; first_seen: string }[]
    expect(second?.first_seen).toBe(first?.first_seen)
    expect(second?.reason).not.toBe(first?.reason)
  })

  it('never one whose name or type says that it is none', async () => {
    record.raw('s', 'notes.json', '{}')
    symlinkSync('/dev/zero', record.path('s/2026-11-01T100001.000Z-link.json'))
    mkdirSync(record.path('s/2026-11-01T100002.000Z-folder.json'))
    expect((await refresh()).work.filesOpened).toBe(0)
    expect((await refresh()).work.filesOpened).toBe(0)
    expect(await unread()).toMatchObject([
      { name: '2026-11-01T100001.000Z-link.json', reason: expect.stringContaining('symbolic link') },
      { name: '2026-11-01T100002.000Z-folder.json', reason: expect.stringContaining('a folder') },
      { name: 'notes.json', reason: expect.stringContaining('name') },
    ])
  })
})

describe('what is gone', () => {
  it('an entry, an unreadable file, a folder: each is told, and the session’s facts follow', async () => {
    const early = record.start('s', at(0))
    record.start('s', at(5))
    const torn = record.raw('s', '2026-11-01T100001.000Z-torn.json', '')
    record.start('t', at(0))
    await refresh()
    rmSync(record.path(early))
    rmSync(record.path(torn))
    rmSync(record.path('t'), { recursive: true })
    const { work, changes } = await refresh()
    expect(work.filesRemoved).toBe(3)
    expect(changes.map(({ change, sessionId }) => [change, sessionId]).sort()).toEqual([
      ['removed', 's'],
      ['removed', 's'],
      ['removed', 't'],
    ])
    expect(await ask('select session_id, first_heard, entries from session')).toEqual([
      { session_id: 's', first_heard: at(5), entries: 1 },
    ])
    expect(await ask('select name from folder')).toEqual([{ name: 's' }])
    expect(await unread()).toEqual([])
  })

  it('one that is gone and one that came, in one look', async () => {
    const file = record.start('s', at(0))
    await refresh()
    renameSync(record.path(file), record.path('s/2026-11-01T100000.000Z-moved.json'))
    expect((await refresh()).work).toMatchObject({ filesAdded: 1, filesRemoved: 1 })
    expect(await entries()).toHaveLength(1)
  })
})

describe('what a file’s place says of it', () => {
  it('one that states another session is a mismatch, and a copy where that session has the same bytes', async () => {
    const file = record.start('s', at(0))
    const name = file.split('/')[1] as string
    record.entry('t', { kind: 'start', sessionId: 's', at: at(0), ...startFields }, name)
    await refresh()
    expect(await ask('select twin_session, twin_name, is_retried, is_conflict from unread')).toEqual([
      { twin_session: 's', twin_name: name, is_retried: 0, is_conflict: 0 },
    ])
    expect((await unread())[0]).toMatchObject({
      reason: expect.stringMatching(/^mismatch: it states session s but lies in the folder t/),
    })
    expect((await refresh()).work.filesOpened).toBe(0)
  })

  it('ruling 12: the other bytes of a name are a conflict; what does not parse of them is tried again', async () => {
    const file = record.start('s', at(0))
    const other = JSON.stringify({ kind: 'start', sessionId: 's', at: at(0), ...startFields, host: 'x' })
    record.raw('s', `${file.split('/')[1]}.conflict-0123456789ab`, other)
    record.raw('s', `${file.split('/')[1]}.conflict-ba9876543210`, '{')
    await refresh()
    expect(await ask('select is_conflict, is_retried from unread order by name')).toEqual([
      { is_conflict: 1, is_retried: 0 },
      { is_conflict: 1, is_retried: 1 },
    ])
    expect((await refresh()).work.filesOpened).toBe(1)
  })
})

describe('a folder that cannot be listed', () => {
  it('is unknown evidence with its tries, its entries are unknown, and it is read as soon as it can be', async () => {
    record.start('s', at(0))
    await refresh()
    renameSync(record.path('s'), join(dir, 'aside'))
    symlinkSync(join(dir, 'aside'), record.path('s'))
    const { changes } = await refresh()
    expect(changes).toContainEqual(
      expect.objectContaining({ change: 'unreadable', file: 's', reason: 'a symbolic link, not followed' }),
    )
    expect(await entries()).toEqual([])
    expect(await ask('select name, tries from folder')).toEqual([{ name: 's', tries: 1 }])
    rmSync(record.path('s'))
    renameSync(join(dir, 'aside'), record.path('s'))
    await refresh()
    expect(await entries()).toHaveLength(1)
    expect(await ask('select problem, tries, first_seen from folder')).toEqual([
      { problem: null, tries: 0, first_seen: null },
    ])
  })
})

describe('what stands in a folder’s place', () => {
  it('is told when it is another thing than before, with its tries, and not told twice', async () => {
    record.start('s', at(0))
    symlinkSync(record.path('s'), record.path('x.json'))
    expect((await refresh()).changes).toContainEqual(
      expect.objectContaining({ file: 'x.json', reason: 'a symbolic link, not followed' }),
    )
    expect((await refresh()).changes).toEqual([])
    rmSync(record.path('x.json'))
    writeFileSync(record.path('x.json'), '{}')
    expect((await refresh()).changes).toEqual([
      expect.objectContaining({ file: 'x.json', reason: 'lies outside a session folder' }),
    ])
    expect(await ask(`select tries from folder where name = 'x.json'`)).toEqual([{ tries: 2 }])
  })
})

describe('whose index it is', () => {
  it('one of another record is built anew, and it is said', async () => {
    record.start('s', at(0))
    await refresh()
    const other = recordBuilder(join(dir, 'other'))
    other.start('t', at(0))
    place = { ...place, recordDir: other.dir }
    const { rebuilt, notes } = await refresh()
    expect(rebuilt).toBe(true)
    expect(notes.join()).toContain(record.dir)
    expect(await ask('select session_id from session')).toEqual([{ session_id: 't' }])
  })

  it('is private to the user, and its times say when it was looked at and when it changed', async () => {
    record.start('s', at(0))
    await refresh()
    expect(statSync(place.indexPath).mode & 0o777).toBe(0o600)
    const times = () =>
      ask(`select key, value from meta where key like '%_at' order by key`) as Promise<{ value: string }[]>
    const before = await times()
    await new Promise(done => setTimeout(done, 5))
    await refresh()
    expect(await times()).toEqual(before)
    record.start('s', at(1))
    await refresh()
    for (const [index, { value }] of (await times()).entries())
      expect(value > (before[index]?.value ?? '')).toBe(true)
  })

  it('a record that is one session’s folder, that is a file, that is not there', async () => {
    const file = record.start('s', at(0))
    for (const [recordDir, kind] of [
      [record.path('s'), 'record'],
      [record.path(file), 'record'],
      [join(dir, 'nothing'), 'record'],
    ] as const) {
      const other = placeOf(recordDir, join(dir, 'cache'))
      await expect(refreshIndex(other)).rejects.toMatchObject({ kind, path: recordDir })
    }
  })

  it('no rights to make one are said with the folder', async () => {
    record.start('s', at(0))
    writeFileSync(join(dir, 'cache'), 'a file where the cache should be')
    await expect(refreshIndex(place)).rejects.toMatchObject({ kind: 'environment' })
    chmodSync(dir, 0o700)
  })
})
