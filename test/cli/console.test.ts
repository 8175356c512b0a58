import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { reportTo } from '../../src/cli/answer.ts'
import { processConsole } from '../../src/cli/console.ts'
import { makeKnown } from '../../src/cli/make-known.ts'
import { placeOf } from '../../src/indexer/place.ts'
import { listKnownResults, readKnownResult } from '../../src/known-results/list-known-results.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { keptConsole } from './support/in-process.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

describe('the console of a process', () => {
  /** What is written to standard error from here on. */
  function toldBy() {
    const told: string[] = []
    vi.spyOn(process.stderr, 'write').mockImplementation(text => {
      told.push(String(text))
      return true
    })
    return told
  }

  it('shows no progress in the first second, and then once a second', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 })
    const told = toldBy()
    const { progress } = processConsole()
    for (const [time, text] of [
      [0, 'a'],
      [999, 'b'],
      [1_000, 'c'],
      [1_001, 'd'],
      [1_999, 'e'],
      [2_000, 'f'],
      [9_000, 'g'],
    ] as const) {
      vi.setSystemTime(time)
      progress(text)
    }
    expect(told).toEqual(['coord: c\n', 'coord: f\n', 'coord: g\n'])
  })

  it('tells on standard error, with hidden characters as escapes', () => {
    const told = toldBy()
    processConsole().tell('a\u001b[31m\nb\u202e')
    expect(told).toEqual(['a\\x1b[31m\nb\\u{202e}\n'])
  })

  it('prints the answer as it is on standard output', async () => {
    const printed: string[] = []
    vi.spyOn(process.stdout, 'write').mockImplementation(((text: string, done: () => void) => {
      printed.push(text)
      done()
      return true
    }) as typeof process.stdout.write)
    await processConsole().print('a\u001b\n')
    expect(printed).toEqual(['a\u001b\n'])
  })

  it.each([
    [true, {}, 77, true],
    [true, { NO_COLOR: '1' }, 77, false],
    [true, { NO_COLOR: '' }, 77, true],
    [true, { TERM: 'dumb' }, 77, false],
    [false, {}, undefined, false],
  ])('at a terminal (%s) with %j: %s columns, colour %s', (isTTY, env, width, isColour) => {
    vi.stubEnv('NO_COLOR', undefined)
    vi.stubEnv('TERM', 'xterm')
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
    const before = { isTTY: process.stdout.isTTY, columns: process.stdout.columns }
    Object.assign(process.stdout, { isTTY, columns: 77 })
    const found = processConsole()
    Object.assign(process.stdout, before)
    expect([found.width, found.isColour]).toEqual([width, isColour])
  })
})

it('what an indexer reports is told as of coord, and its texts act on no terminal', () => {
  const console = keptConsole()
  const report = reportTo(console)
  report.progress?.(1_234)
  report.waiting?.()
  report.note?.('a\u001b\nb')
  expect(console.shown).toEqual([
    'indexing: 1,234 files read',
    expect.stringContaining('waiting for another indexer'),
  ])
  expect(console.told).toEqual(['coord: a\\x1b\\nb'])
})

describe('making a result known', () => {
  function bench(dataDir?: string) {
    const dir = tempFolder()
    const place = placeOf(join(dir, 'record'), join(dir, 'cache'), { dataDir: dataDir ?? join(dir, 'data') })
    mkdirSync(place.recordDir)
    const out = join(dir, 'out')
    mkdirSync(out)
    return { dir, place, out, console: keptConsole() }
  }

  it('one that is reached by two names is one, by its real path', () => {
    const { dir, place, out, console } = bench()
    symlinkSync(out, join(dir, 'link'))
    expect(makeKnown(place, 'scan', join(dir, 'link'), console)).toBe(true)
    expect(makeKnown(place, 'scan', out, console)).toBe(true)
    const folder = place.knownDir as string
    const found = listKnownResults(folder).map(({ name }) => readKnownResult(folder, name))
    expect(found).toEqual([{ kind: 'scan', path: out, since: expect.stringMatching(/Z$/) }])
    expect(console.told).toEqual([])
  })

  it('a note says why it is not, and nothing is written', () => {
    const none = bench()
    expect(makeKnown({ ...none.place, knownDir: null }, 'scan', none.out, none.console)).toBe(false)
    expect(none.console.told).toEqual([expect.stringContaining('there is no folder for data')])

    const inside = bench()
    const knownDir = join(inside.place.recordDir, 'known\u001b')
    expect(makeKnown({ ...inside.place, knownDir }, 'scan', inside.out, inside.console)).toBe(false)
    expect(inside.console.told).toEqual([expect.stringMatching(/known\\x1b lies in the record/)])
    expect(readdirSync(inside.place.recordDir)).toEqual([])

    const file = bench()
    writeFileSync(join(file.dir, 'data'), '')
    expect(makeKnown(file.place, 'scan', file.out, file.console)).toBe(false)
    expect(file.console.told).toEqual([
      expect.stringMatching(/coord query will not find this result: .*ENOTDIR|EEXIST/),
    ])

    const gone = bench()
    expect(makeKnown(gone.place, 'scan', join(gone.dir, 'nothing'), gone.console)).toBe(false)
    expect(gone.console.told).toEqual([expect.stringContaining('ENOENT')])
    expect(existsSync(gone.place.knownDir as string)).toBe(false)
  })
})
