import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { Problem } from '../../../src/problem/problem.ts'
import type { Finding } from '../../../src/scan/extract/extract.ts'
import { loadExtracts } from '../../../src/scan/merge/load-extracts.ts'
import { spotReader } from '../../../src/scan/merge/spot-reader.ts'
import { extractWith, foundOf, provisionalOf, sha, traceOf } from '../../support/scan-items.ts'

const message = (seq: number, words = `words ${seq}`): Finding => ({
  is: 'message',
  ...foundOf({ seq, words, keys: [`k${seq}`] }),
})

describe('what is read again of an extract', () => {
  it('words of more extracts than may be open at once, in any order', () => {
    const extracts = Array.from({ length: 70 }, (_, at) => extractWith([message(0), message(1, `of ${at}`)]))
    const { items } = loadExtracts(extracts, sha)
    const before = readdirSync('/dev/fd').length
    const spots = spotReader()
    const opened = () => readdirSync('/dev/fd').length - before
    const words = [...items, ...items.toReversed()].map(item => {
      const { words } = spots.found(item)
      expect(opened()).toBeLessThanOrEqual(64)
      return words
    })
    const expected = extracts.flatMap((_, at) => ['words 0', `of ${at}`])
    expect(words).toEqual([...expected, ...expected.toReversed()])
    expect(opened()).toBe(64)
    spots.close()
    expect(opened()).toBe(0)
    expect(spots.found(items[0] as (typeof items)[0]).words).toBe('words 0')
    spots.close()
    expect(opened()).toBe(0)
  })

  it('words that only the whole holds', () => {
    const provisional = { messages: [provisionalOf({ words: 'waits', keys: ['q'] })], traces: [] }
    const { items } = loadExtracts([extractWith([], { provisional })], sha)
    expect(spotReader().found(items[0] as (typeof items)[0])).toMatchObject({ words: 'waits' })
  })

  it('traces: of a line, of the whole, none; one that was abandoned since says so', () => {
    const traced = { lastWords: 'x', end: 'done' } as const
    const extract = extractWith(
      [
        ...[0, 1, 2, 3].map(seq => message(seq)),
        { is: 'trace', seq: 0, trace: traceOf(traced) },
        { is: 'trace', seq: 1, trace: traceOf(traced) },
        { is: 'abandoned', seq: 1 },
      ],
      {
        provisional: {
          messages: [],
          traces: [
            [3, traceOf({ end: 'local' })],
            [2, traceOf({ end: 'error' })],
          ],
        },
      },
    )
    const { items } = loadExtracts([extract], sha)
    const spots = spotReader()
    expect(items.map(item => spots.trace(item))).toEqual([
      traceOf(traced),
      { ...traceOf(traced), end: 'abandoned' },
      traceOf({ end: 'error' }),
      traceOf({ end: 'local' }),
    ])
    expect(spots.trace({ ...(items[0] as (typeof items)[0]), trace: null })).toBeNull()
    spots.close()
  })

  it.each<[string, (text: string) => string | null]>([
    ['gone', () => null],
    ['shorter', text => text.slice(0, 9)],
    ['no JSON', text => `x${text.slice(1)}`],
    ['of another message', text => text.replace('"seq":0', '"seq":1')],
    ['of no message', text => text.replace('"seq":0', '"sEq":0')],
    ['of other words', text => text.replace('words 0', 'wordz 0')],
  ])('rule.personsWords: where what another scan left is %s, nothing is told', (_, change) => {
    const extract = extractWith([message(0)])
    const { items } = loadExtracts([extract], sha)
    const changed = change(readFileSync(extract.path, 'utf8'))
    rmSync(extract.path)
    if (changed !== null) writeFileSync(extract.path, changed)
    const spots = spotReader()
    let error: unknown
    try {
      spots.found(items[0] as (typeof items)[0])
    } catch (thrown) {
      error = thrown
    }
    expect(error).toBeInstanceOf(Problem)
    expect(error).toMatchObject({ kind: 'environment', hint: 'run it again' })
    spots.close()
  })
})
