import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SILENT } from '../../src/indexer/indexer-report.ts'
import { type Place, placeOf } from '../../src/indexer/place.ts'
import { refreshIndex } from '../../src/indexer/refresh-index.ts'
import { verifyIndex } from '../../src/indexer/verify-index.ts'
import { knownResultName } from '../../src/known-results/known-result.ts'
import { makeResultKnown } from '../../src/known-results/make-known.ts'
import { readFreshness } from '../../src/query/freshness.ts'
import { traceDirections } from '../../src/scan/result/decide.ts'
import { readIndex } from '../../src/sqlite/read-index.ts'
import { answersOf } from '../support/answers.ts'
import { at, recordBuilder } from '../support/record-builder.ts'
import { session, transcriptBuilder } from '../support/sample-transcripts.ts'
import { rowsOf, scanInto } from '../support/scanned-result.ts'
import { tempFolder } from '../support/temp-folder.ts'

async function scanned() {
  const dir = tempFolder()
  const record = recordBuilder(join(dir, 'record'))
  const place = placeOf(record.dir, join(dir, 'cache'), { dataDir: join(dir, 'data') })
  const transcripts = transcriptBuilder(join(dir, 'claude'))
  const out = join(dir, 'out')
  transcripts.typed(session(1), 'mend the fence with wire', at(0))
  transcripts.answer(session(1), 'mended', at(1))
  transcripts.sdk(session(2), 'by a program', at(2))
  await scanInto(out, transcripts.dir)
  makeResultKnown(place.knownDir as string, 'scan', out, new Date())
  return { dir, record, place, transcripts, out }
}

type Rows = Record<string, unknown>[]
const rows = async (place: Place, relation: string) => (await answersOf(place))[relation] as Rows

async function refresh(place: Place, options = {}) {
  const notes: string[] = []
  const { work } = await refreshIndex(place, { ...options, report: { note: text => notes.push(text) } })
  return { work, notes }
}

/** How many words the search finds. */
const found = (place: Place, word: string) =>
  readIndex(place.indexPath, place.recordDir, db =>
    db.prepare('select count(*) from scan_fts where scan_fts match ?').pluck().get(word),
  )

describe('results in the index', () => {
  test('ruling 2: an index that is built from nothing finds them again, and answers like one that was refreshed', async () => {
    const { dir, place } = await scanned()
    await refresh(place)
    expect(await rows(place, 'directions')).toMatchObject([
      { words: 'mend the fence with wire', scan: join(dir, 'out') },
    ])
    expect(await rows(place, 'scanned_messages')).toHaveLength(2)
    expect(await rows(place, 'sources')).toHaveLength(2)
    const before = await answersOf(place)
    rmSync(join(dir, 'cache'), { recursive: true })
    await refresh(place)
    expect(await answersOf(place)).toEqual(before)
    expect(await found(place, 'wire')).toBe(1)
  })

  test('with nothing new no file is opened and no row is written', async () => {
    const { place } = await scanned()
    expect((await refresh(place)).work.resultsRead).toBe(1)
    const nothing = { filesOpened: 0, resultsRead: 0, rowsWritten: 0 }
    expect((await refresh(place)).work).toMatchObject(nothing)
    expect((await refresh(place)).work).toMatchObject(nothing)
  })

  test('one that changed is read again, and the search follows', async () => {
    const { place, out, transcripts } = await scanned()
    await refresh(place)
    await traceDirections(out, [rowsOf(out).directions[0]?.id as string], {
      ...{ outcome: 'done', evidence: 'commit 4f0c2d1', by: 'Ada', now: new Date() },
    })
    expect((await refresh(place)).work.resultsRead).toBe(1)
    expect(await rows(place, 'directions')).toMatchObject([
      { outcome: 'done', outcome_by: 'Ada', is_open: false },
    ])
    transcripts.typed(session(1), 'now with rope', at(5))
    await scanInto(out, transcripts.dir)
    await refresh(place)
    expect(await rows(place, 'directions')).toHaveLength(2)
    expect([await found(place, 'wire'), await found(place, 'rope')]).toEqual([1, 1])
    expect(await verifyIndex(place, SILENT)).toMatchObject({ indexIsSound: true, differences: [] })
  })

  test('one that is gone is said to be gone once, and is there again when it is', async () => {
    const { dir, place, out } = await scanned()
    await refresh(place)
    renameSync(out, join(dir, 'elsewhere'))
    expect((await refresh(place)).notes).toEqual([expect.stringContaining(`${out} is gone`)])
    expect((await refresh(place)).notes).toEqual([])
    expect(await rows(place, 'directions')).toEqual([])
    expect(await rows(place, 'results')).toMatchObject([{ path: out, state: 'gone' }])
    expect(await found(place, 'wire')).toBe(0)
    renameSync(join(dir, 'elsewhere'), out)
    await refresh(place)
    expect(await rows(place, 'directions')).toHaveLength(1)
  })

  test('one that is known no more is taken out, and that is said', async () => {
    const { place, out } = await scanned()
    await refresh(place)
    rmSync(join(place.knownDir as string, knownResultName('scan', out)))
    expect((await refresh(place)).notes).toEqual([expect.stringContaining(`${out} is known no more`)])
    expect([await rows(place, 'directions'), await rows(place, 'results')]).toEqual([[], []])
    expect((await refresh(place)).work.rowsWritten).toBe(0)
  })
})

describe('a result that cannot be read is unknown evidence with its reason, never hidden', () => {
  const freshness = (place: Place) =>
    readIndex(place.indexPath, place.recordDir, db => readFreshness(db, null, new Date()))

  test.each([
    ['messages.ndjson', '{\n', /messages\.ndjson, line 1, .*not JSON/],
    ['manifest.json', '{"format":2}', /manifest\.json cannot be read: format/],
    ['directions.ndjson', '', /directions\.ndjson holds 0 rows, and the manifest says 1/],
  ])('%s: %j', async (name, content, reason) => {
    for (const isFirst of [true, false]) {
      const { place, out } = await scanned()
      if (!isFirst) await refresh(place)
      writeFileSync(join(out, name), content)
      await refresh(place)
      expect(await rows(place, 'unreadable')).toMatchObject([
        { file: out, reason: expect.stringMatching(reason) },
      ])
      expect(await rows(place, 'scanned_messages')).toEqual([])
      expect((await freshness(place)).unreadable).toBe(1)
      // It is not read again before it changes.
      expect((await refresh(place)).work).toMatchObject({ resultsRead: 0, rowsWritten: 0 })
      expect(await verifyIndex(place, SILENT)).toMatchObject({ indexIsSound: true })
    }
  })

  test('a direction without its message', async () => {
    const { place, out } = await scanned()
    writeFileSync(join(out, 'messages.ndjson'), '')
    await refresh(place)
    expect((await rows(place, 'unreadable'))[0]?.reason).toMatch(/which is no message of the person/)
  })

  test('a file that makes nothing known, and a kind that this version does not know', async () => {
    const { place } = await scanned()
    const known = place.knownDir as string
    writeFileSync(join(known, 'scan-00000000000000aa.json'), '{')
    const later = { kind: 'film', path: '/films/1', since: at(0) }
    writeFileSync(join(known, 'film-00000000000000bb.json'), JSON.stringify(later))
    writeFileSync(join(known, 'notes.txt'), 'ignored')
    await refresh(place)
    expect((await rows(place, 'unreadable')).map(row => [row.file, row.reason])).toEqual([
      ['/films/1', expect.stringContaining('the kind film')],
      ['scan-00000000000000aa.json', expect.stringMatching(/^is not JSON: /)],
    ])
    expect(await rows(place, 'directions')).toHaveLength(1)
    expect((await refresh(place)).work.rowsWritten).toBe(0)
  })
})

test('what makes a result known is one plain file for each path, written once', async () => {
  const { place, out } = await scanned()
  const known = place.knownDir as string
  const before = readFileSync(join(known, knownResultName('scan', out)), 'utf8')
  makeResultKnown(known, 'scan', out, new Date(0))
  expect(readdirSync(known)).toEqual([knownResultName('scan', out)])
  expect(readFileSync(join(known, knownResultName('scan', out)), 'utf8')).toBe(before)
  expect(JSON.parse(before)).toEqual({ kind: 'scan', path: out, since: expect.stringMatching(/Z$/) })
})
