import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { placeOf } from '../../src/indexer/place.ts'
import { refreshIndex } from '../../src/indexer/refresh-index.ts'
import type { Refreshed } from '../../src/indexer/refreshed.ts'
import { at, recordBuilder } from '../support/record-builder.ts'
import { sharedTempFolder } from '../support/temp-folder.ts'

const NOTHING = {
  ...{ foldersListed: 0, filesOpened: 0, filesAdded: 0, filesRemoved: 0 },
  ...{ resultsRead: 0, rowsWritten: 0 },
}

/** What a refresh did, in numbers: folders listed, files opened, rows written. */
describe('work of a refresh of 50,000 entries in 1,000 sessions', () => {
  const dir = sharedTempFolder()
  const record = recordBuilder(join(dir, 'record'))
  const place = placeOf(record.dir, join(dir, 'cache'))
  const session = (number: number) => `s${String(number).padStart(4, '0')}`
  let first: Refreshed

  beforeAll(async () => {
    for (let number = 0; number < 1_000; number++) {
      const start = record.start(session(number), at(number))
      const message = {
        kind: 'message',
        sessionId: session(number),
        side: 'received',
        cwd: '/',
        peer: { as: 'p' },
      }
      const text = JSON.stringify({
        ...message,
        at: at(number),
        envelope: { before: '', after: '' },
        text: 't',
        outcome: 'queued',
      })
      for (let copy = 0; copy < 49; copy++)
        writeFileSync(record.path(start).replace('-t-', `-c${copy}-`), text)
    }
    // A folder that has just changed is listed again, since a later change could bear the same time.
    await sleep(2_100)
    first = await refreshIndex(place)
  })

  it('opens every file once to make the index', () => {
    expect(first).toMatchObject({
      rebuilt: true,
      work: { foldersListed: 1_000, filesOpened: 50_000, filesAdded: 50_000 },
    })
  })

  it('with nothing new opens no entry file and writes no row', async () => {
    expect((await refreshIndex(place)).work).toEqual(NOTHING)
    expect((await refreshIndex(place)).work).toEqual(NOTHING)
  })

  it('opens one file for one new entry, however old its name and its time are', async () => {
    const file = record.start(session(7), '2001-01-01T00:00:00.000Z')
    utimesSync(record.path(file), new Date(0), new Date(0))
    const { work } = await refreshIndex(place)
    expect(work).toMatchObject({ foldersListed: 1, filesOpened: 1, filesAdded: 1, filesRemoved: 0 })
    expect(work.rowsWritten).toBeLessThan(10)
  })

  it('opens one file for a session that is new', async () => {
    record.start('a-new-session', at(0))
    const { work } = await refreshIndex(place)
    // The folder of the test above changed less than two seconds ago and is listed once more.
    expect(work.filesOpened).toBe(1)
    expect(work.foldersListed).toBeLessThanOrEqual(2)
  })

  it('opens only what cannot be read when there is nothing else', async () => {
    record.raw(session(3), '2026-11-01T100000.000Z-torn.json', '{"kind":')
    expect((await refreshIndex(place)).work.filesOpened).toBe(1)
    expect((await refreshIndex(place)).work.filesOpened).toBe(1)
    record.start(session(3), at(0), {})
    writeFileSync(
      record.path(`${session(3)}/2026-11-01T100000.000Z-torn.json`),
      JSON.stringify({
        kind: 'start',
        sessionId: session(3),
        at: at(0),
        cwd: '/',
        host: 'h',
        version: '1',
        inbound: 'accept',
      }),
    )
    expect((await refreshIndex(place)).work.filesOpened).toBe(2)
    await sleep(2_100)
    await refreshIndex(place)
    expect((await refreshIndex(place)).work).toMatchObject({ filesOpened: 0, rowsWritten: 0 })
  })

  it('a thorough refresh opens no file that is the same file still', async () => {
    const { work } = await refreshIndex(place, { thorough: true })
    expect(work).toMatchObject({ filesOpened: 0, filesAdded: 0, filesRemoved: 0 })
    expect(work.foldersListed).toBe(1_001)
  })

  it('an empty folder that appears costs one listing', async () => {
    mkdirSync(record.path('an-empty-one'))
    expect((await refreshIndex(place)).work).toMatchObject({ filesOpened: 0, filesAdded: 0 })
  })
})
