import { readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { placeOf } from '../../src/indexer/place.ts'
import { refreshIndex } from '../../src/indexer/refresh-index.ts'
import { answersOf } from '../support/answers.ts'
import { type Place, pause, place } from '../support/coord.ts'
import { at, fileName } from '../support/record-builder.ts'

const ENTRIES = 5_000
const MOMENTS = 25

/** A record that takes long enough to index for a kill to fall into the work. */
function large(): Place {
  const here = place()
  for (let i = 0; i < ENTRIES; i++) {
    const session = `s${i % 50}`
    if (i < 50) here.record.start(session, at(i))
    else if (i < 90) here.record.chain(session, 's0', 'part', at(i))
    else here.record.sent(session, { as: 'x', sessionId: 's0' }, `word ${i} ${'text '.repeat(20)}`, at(i))
  }
  return here
}

/** What a clean rebuild of the record answers. */
async function cleanAnswers(here: Place, name: string): Promise<unknown> {
  const fresh = placeOf(here.record.dir, join(here.dir, name))
  await refreshIndex(fresh)
  return answersOf(fresh)
}

async function killAfter(here: Place, ms: number, ...args: string[]): Promise<void> {
  const running = here.start({}, ...args)
  await pause(ms)
  running.kill('SIGKILL')
  await running.ended
}

/** The next run ends well, sets nothing aside, and the index answers like a clean one. */
async function expectWhole(here: Place, expected: unknown): Promise<void> {
  const next = await here.run('index', '--json')
  expect(next.code, next.stderr).toBe(0)
  expect(next.stderr).not.toMatch(/damaged|corrupt|malformed|aside/i)
  const index = next.json().index
  expect(
    await answersOf({
      recordDir: here.record.dir,
      indexPath: index,
      projectionDir: dirname(index),
      knownDir: null,
    }),
  ).toEqual(expected)
}

/** What is there right after the kill, before any other run mends it: the old index or the new one, whole. */
async function expectOldOrNew(here: Place, counts: number[]): Promise<void> {
  const { code, stdout, stderr } = await here.run('query', 'entries', '--count', '--no-refresh')
  if (counts.length === 0 && code === 1) return expect(stderr).toContain('there is no index')
  expect(code, stderr).toBe(0)
  if (counts.length > 0) expect(counts).toContain(Number(stdout))
}

function leftOvers(here: Place): string[] {
  return readdirSync(here.cache, { recursive: true, encoding: 'utf8' }).filter(name =>
    /damaged|building|-journal|\.tmp/.test(name),
  )
}

describe('killed at any moment, the index is the old one or the new one', { timeout: 900_000 }, () => {
  test('during rebuilds, also the first', async () => {
    const here = large()
    const expected = await cleanAnswers(here, 'fresh')
    for (let i = 0; i < MOMENTS; i++) {
      const ms = Math.random() * 600
      await killAfter(here, ms, 'index', '--rebuild')
      // Killed in the very first build there is no old one.
      await expectOldOrNew(here, i === 0 ? [] : [ENTRIES])
      await expectWhole(here, expected)
    }
    expect(leftOvers(here)).toEqual([])
  })

  test('during refreshes that have much to do', async () => {
    const here = large()
    await here.run('index')
    for (let i = 0; i < MOMENTS; i++) {
      for (let j = 0; j < 400; j++) {
        const time = at(10_000 + i * 1000 + j)
        const session = `s${j % 50}`
        const entry = { kind: 'message', side: 'received', sessionId: session, at: time, cwd: '/' }
        const message = {
          ...entry,
          peer: { as: 'x' },
          envelope: { before: '', after: '' },
          text: `word ${j}`,
          outcome: 'queued',
        }
        writeFileSync(join(here.record.dir, session, fileName(time, `k-${i}`)), JSON.stringify(message))
      }
      await killAfter(here, 100 + Math.random() * 400, 'index')
      await expectOldOrNew(here, [ENTRIES + i * 400, ENTRIES + (i + 1) * 400])
      // Beside it an index that nobody kills; test/index/equivalence.test.ts shows that it answers like one made anew.
      await expectWhole(here, await cleanAnswers(here, 'never-killed'))
    }
    await expectWhole(here, await cleanAnswers(here, 'fresh'))
    expect(leftOvers(here)).toEqual([])
  })
})
