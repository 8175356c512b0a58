import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Extract, Finding } from '../../../src/scan/extract/extract.ts'
import { LostExtract } from '../../../src/scan/merge/findings-of.ts'
import { loadExtracts } from '../../../src/scan/merge/load-extracts.ts'
import {
  extractWith,
  foundOf,
  itemOf,
  placeOf,
  provisionalOf,
  sha,
  traceOf,
} from '../../support/scan-items.ts'
import { second } from '../../support/transcripts.ts'

const message = (seq: number, more: Parameters<typeof foundOf>[0] = {}): Finding => ({
  is: 'message',
  ...foundOf({ seq, keys: [`k${seq}`], ...more }),
})
const load = (...extracts: Extract[]) => loadExtracts(extracts, sha)

describe('what is loaded of an extract', () => {
  it('a message without its words, and where it is read again', () => {
    const words = 'żółć '.repeat(9)
    const also: Finding = { is: 'also', seq: 0, line: 2, offset: 3, row: 'r2' }
    const extract = extractWith([
      also,
      message(0, { words, line: 7, offset: 5, saysNothing: true }),
      also,
      { ...also, line: 4 },
    ])
    const { items, keys, sends, badLines } = load(extract)
    expect({ keys, sends, badLines }).toEqual({ keys: [['k0']], sends: [], badLines: [] })
    const { spot, ...item } = items[0] as NonNullable<(typeof items)[0]>
    const {
      extract: _,
      provisional: __,
      spot: ___,
      ...expected
    } = itemOf({
      ...{ id: sha('claude-code\nk0').slice(0, 16), saysNothing: true, sha256: sha(words) },
      place: placeOf({ line: 7, offset: 5, row: 'r1' }),
      also: [2, 4].map(line => placeOf({ line, offset: 3, row: 'r2' })),
    })
    expect(item).toMatchObject({ ...expected, provisional: null })
    const line = readFileSync(extract.path).subarray(
      spot?.position,
      (spot?.position ?? 0) + (spot?.length ?? 0),
    )
    expect(JSON.parse(line.toString())).toMatchObject({ is: 'message', words })
  })

  it('what is found later of each of several messages', () => {
    const { items, keys } = load(
      extractWith(
        [
          message(0),
          message(1, { cwd: null }),
          { is: 'key', seq: 1, key: 'late' },
          { is: 'abandoned', seq: 0 },
          { is: 'trace', seq: 1, trace: traceOf() },
          { is: 'key', seq: 7, key: 'of none' },
        ],
        {
          provisional: {
            messages: [],
            traces: [
              [1, traceOf()],
              [0, traceOf()],
              [9, traceOf()],
            ],
          },
        },
      ),
    )
    expect(keys).toEqual([['k0'], ['k1', 'late']])
    expect(items.map(({ isAbandoned, cwd, saysNothing }) => [isAbandoned, cwd, saysNothing])).toEqual([
      [true, '/home/dev/shed', false],
      [false, null, false],
    ])
    expect(items[0]?.trace).toEqual({ provisional: traceOf() })
    expect(items[1]?.trace).toMatchObject({ length: expect.any(Number) })
    expect(items.map(({ id }) => id)).toEqual(
      ['k0', 'k1'].map(key => sha(`claude-code\n${key}`).slice(0, 16)),
    )
  })

  it('the first key alone and the program make the id', () => {
    const idOf = (product: string, ...keys: string[]) =>
      load(extractWith([message(0, { keys })], { product })).items[0]?.id
    expect(idOf('x', 'a', 'b')).toBe(idOf('x', 'a'))
    expect(new Set([idOf('x', 'a'), idOf('y', 'a'), idOf('x', 'b')]).size).toBe(3)
  })

  it('sends with the hash of their words, lines that are no rows, with the file of each', () => {
    const send = { msgId: 'm', session: 's', at: second(1), line: 4, offset: 50, row: 'q' }
    const extract = extractWith([
      { is: 'send', words: 'count', ...send },
      { is: 'bad-line', line: 9, reason: 'not JSON' },
    ])
    const { sends, badLines, items } = load(extract)
    expect(items).toEqual([])
    expect(sends).toEqual([
      {
        ...{ msgId: 'm', session: 's', at: second(1), sha256: sha('count') },
        place: placeOf({ line: 4, offset: 50, row: 'q' }),
      },
    ])
    expect(badLines).toEqual([{ file: '/t/a.jsonl', line: 9, reason: 'not JSON' }])
  })

  it('what a copied transcript sent is not sent twice', () => {
    const send = { msgId: 'm', words: 'count', at: null, line: 1, offset: 0, row: 'q' }
    const copy = extractWith([{ is: 'send', session: 'copy', ...send }], {
      derivedFrom: ['first'],
      file: '/b',
    })
    const first = extractWith([{ is: 'send', session: 'first', ...send }])
    expect(load(copy, first).sends.map(({ session }) => session)).toEqual(['first'])
  })

  it('words that hold only while nothing follows stand in no line', () => {
    const messages = [
      provisionalOf({ words: 'waits', keys: ['q', 'r'], also: [{ line: 3, offset: 9, row: null }] }),
      provisionalOf({ words: 'taken back', keys: ['t'], isAbandoned: true }),
    ]
    const extract = extractWith([message(0)], { provisional: { messages, traces: [] } })
    const { items, keys } = load(extract)
    expect(keys).toEqual([['k0'], ['q', 'r'], ['t']])
    expect(items.slice(1)).toMatchObject([
      {
        ...{ sha256: sha('waits'), spot: null, trace: null, isAbandoned: false, seq: -1 },
        also: [placeOf({ line: 3, offset: 9 })],
        provisional: { words: 'waits' },
      },
      { sha256: sha('taken back'), isAbandoned: true, also: [] },
    ])
  })

  it('nothing of a file that is no transcript', () => {
    const extract = extractWith([message(0), { is: 'bad-line', line: 1, reason: 'x' }], { product: null })
    expect(load(extract)).toEqual({ items: [], keys: [], sends: [], badLines: [] })
  })

  it('findings over several pieces, and one that is longer than a piece', () => {
    const long = 'ż'.repeat(1 << 20)
    const findings = [0, 1, 2, 3].map(seq => message(seq, { words: seq === 2 ? long : 'x'.repeat(700_000) }))
    expect(load(extractWith(findings)).items.map(({ sha256 }) => sha256)).toEqual(
      [0, 1, 2, 3].map(seq => sha(seq === 2 ? long : 'x'.repeat(700_000))),
    )
  })
})

describe('an extract that is not what it was', () => {
  it.each<[string, (path: string) => void]>([
    ['gone', path => rmSync(path)],
    ['cut short', path => writeFileSync(path, readFileSync(path).subarray(0, 20))],
    ['without a line', path => writeFileSync(path, readFileSync(path, 'utf8').replace(/^.*\n/, ''))],
    ['with another word', path => writeFileSync(path, readFileSync(path, 'utf8').replace('count', 'cOunt'))],
    [
      'with a line that is no JSON',
      path => writeFileSync(path, readFileSync(path, 'utf8').replace('{', 'x')),
    ],
  ])('%s: that is said, and of which one', (_, damage) => {
    const good = extractWith([message(0)])
    const bad = extractWith([message(0), message(1)])
    damage(bad.path)
    const open = readdirSync('/dev/fd').length
    let error: unknown
    try {
      load(good, bad)
    } catch (thrown) {
      error = thrown
    }
    expect(error).toBeInstanceOf(LostExtract)
    expect((error as LostExtract).extract).toBe(bad)
    expect(readdirSync('/dev/fd')).toHaveLength(open)
  })
})
