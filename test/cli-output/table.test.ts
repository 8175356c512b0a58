import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { writeRows } from '../../src/cli/output/rows-out.ts'
import { layOutTable, type TableOptions } from '../../src/cli/output/table.ts'
import { displayWidth } from '../../src/hostile-text/display-width.ts'
import { hostileText, RAW } from './hostile-text.ts'

const COLUMNS = [
  { name: 'at', type: 'time' },
  { name: 'who', type: 'text' },
  { name: 'size', type: 'number' },
  { name: 'is_queued', type: 'boolean' },
  { name: 'text', type: 'text' },
] as const

const row = (more: Record<string, unknown>) => ({
  at: '2026-11-01T09:00:00.000Z',
  who: 'S1',
  size: 5,
  is_queued: true,
  text: 'hello',
  ...more,
})

async function table(rows: Record<string, unknown>[], options: TableOptions = {}): Promise<string[]> {
  const pieces: string[] = []
  await writeRows({ columns: COLUMNS, rows }, 'table', {
    utc: true,
    ...options,
    write: piece => void pieces.push(piece),
  })
  const output = pieces.join('')
  expect(output.endsWith('\n')).toBe(true)
  return output.slice(0, -1).split('\n')
}

test('columns are aligned by the width on a terminal, numbers on the right', async () => {
  const rows = [
    row({}),
    row({ who: '漢字👩‍👩‍👧', size: 1234, is_queued: null }),
    row({ who: null, text: 'e\u0301' }),
  ]
  expect(await table(rows)).toEqual([
    'at                    who     size  is_queued  text',
    '2026-11-01 09:00:00Z  S1         5  true       hello',
    '2026-11-01 09:00:00Z  漢字👩‍👩‍👧  1234             hello',
    '2026-11-01 09:00:00Z             5  true       e\u0301',
  ])
})

test('without rows there is a header', async () => {
  expect(await table([], { width: 80 })).toEqual(['at  who  size  is_queued  text'])
})

test('the widest text is cut first, with a mark', async () => {
  const lines = await table([row({ who: 'a-session-id', text: 'word '.repeat(30) })], { width: 70 })
  expect(lines).toEqual([
    'at                    who           size  is_queued  text',
    '2026-11-01 09:00:00Z  a-session-id     5  true       word word word w…',
  ])
  expect(displayWidth(lines[1] as string)).toBe(70)
})

test('without a width nothing is cut', async () => {
  const text = 'x'.repeat(10_000)
  expect((await table([row({ text })]))[1]).toContain(text)
})

test('case 8: any text, on any terminal: no line is wider, none holds a control', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ who: hostileText, text: hostileText }), { maxLength: 4 }),
      fc.integer({ min: 1, max: 120 }),
      async (texts, width) => {
        const lines = await table(texts.map(row), { width })
        expect(lines).toHaveLength(texts.length + 1)
        for (const line of lines) {
          expect(displayWidth(line)).toBeLessThanOrEqual(width)
          expect(line).not.toMatch(RAW)
        }
      },
    ),
  )
})

test('a text of megabytes is cut like any other', async () => {
  const lines = await table([row({ text: '👍\x1b'.repeat(1_000_000) })], { width: 100 })
  expect(displayWidth(lines[1] as string)).toBeLessThanOrEqual(100)
  expect(lines[1]).toMatch(/👍\\x1b👍.*…$/u)
})

describe('colour', () => {
  test('only where it is asked for', async () => {
    expect((await table([row({})])).join('')).not.toContain('\x1b')
    const [header, line] = (await table([row({ text: '\x1b[1m' })], { colour: true })) as [string, string]
    expect(header).toMatch(/^\x1b\[1mat .*\x1b\[22m$/)
    expect(line).not.toContain('\x1b')
  })
})

test('rows after the first thousand are written as they come, and stay in their columns', async () => {
  const written: string[] = []
  const rows = (function* () {
    for (let index = 0; index < 1500; index++) yield row({ text: 'short' })
    yield row({ text: 'far longer than what was measured', who: 'longer' })
  })()
  await writeRows({ columns: COLUMNS, rows }, 'table', {
    width: 80,
    utc: true,
    write: piece => void written.push(piece),
  })
  const lines = written.join('').trimEnd().split('\n')
  expect(lines).toHaveLength(1502)
  expect(lines.at(-1)).toBe('2026-11-01 09:00:00Z  lo…     5  true       far …')
  expect(written.length).toBeGreaterThan(1)
})

describe('where the columns do not fit', () => {
  const texts = (...names: string[]) => names.map(name => ({ name, type: 'text' }) as const)
  const linesOf = (
    columns: Parameters<typeof layOutTable>[0],
    row: Record<string, unknown>,
    width: number,
  ) => {
    const layout = layOutTable(columns, [row], { width, utc: true })
    return [layout.header(), layout.line(row)]
  }

  test('of the widest texts the last is cut first, each by one until all are equal', () => {
    const row = { a: 'a'.repeat(12), b: 'b'.repeat(12), c: 'c'.repeat(9) }
    expect(linesOf(texts('a', 'b', 'c'), row, 37)[1]).toBe('aaaaaaaaaaaa  bbbbbbbbbbbb  ccccccccc')
    expect(linesOf(texts('a', 'b', 'c'), row, 36)[1]).toBe('aaaaaaaaaaaa  bbbbbbbbbb…  ccccccccc')
    expect(linesOf(texts('a', 'b', 'c'), row, 32)[1]).toBe('aaaaaaaaa…  bbbbbbbb…  ccccccccc')
  })

  test('names of columns are cut and escaped like the texts below them', () => {
    expect(linesOf(texts('a_long_name', '\x1b[1m'), {}, 14)[0]).toBe('a_lon…  \\x1b[…')
    expect(layOutTable(texts('\x1b[1m'), []).header()).toBe('\\x1b[1m')
  })

  test('on a terminal of any width a column after a wide one is seen', () => {
    for (const width of [30, 80, 200, 250, 1000])
      expect(linesOf(texts('a', 'b'), { a: 'a'.repeat(2000), b: 'end' }, width)[1]).toMatch(/^a+… {2}end$/)
  })

  test('no text is narrower than six while the line is cut at its end', () => {
    const row = { a: 'a'.repeat(12), b: 'b'.repeat(12) }
    expect(linesOf(texts('a', 'b'), row, 14)).toEqual(['a       b', 'aaaaa…  bbbbb…'])
    expect(linesOf(texts('a', 'b'), row, 11)).toEqual(['a       b', 'aaaaa…  bb…'])
  })

  test('times, numbers and booleans are not cut, but the line is', () => {
    const columns = [
      { name: 'n', type: 'number' },
      { name: 'at', type: 'time' },
      { name: 't', type: 'text' },
    ] as const
    const row = { n: 123456789012, at: '2026-11-01T09:00:00.000Z', t: 'x'.repeat(30) }
    expect(linesOf(columns, row, 44)[1]).toBe('123456789012  2026-11-01 09:00:00Z  xxxxxxx…')
    expect(linesOf(columns, row, 30)[1]).toBe('123456789012  2026-11-01 09:0…')
    const layout = layOutTable(columns, [{ n: 1, at: null, t: '' }], { width: 60, utc: true })
    expect(layout.line(row)).toMatch(/^123456789012 {2}2026-11-01 09:00:00Z {2}/)
  })

  test('a later row that is wider than what was measured is cut to its column or at the end', () => {
    const layout = layOutTable(texts('name', 'b'), [{ name: 'x', b: 'y' }], { width: 20 })
    expect(layout.line({ name: 'longer', b: 'z' })).toBe('lon…  z')
    const whole = layOutTable(texts('name', 'b'), [{ name: 'x', b: 'y' }])
    expect(whole.line({ name: 'longer', b: 'z' })).toBe('longer  z')
  })
})

test('a value that is an object stands as JSON, a time that is none as it is', () => {
  const columns = [
    { name: 'o', type: 'text' },
    { name: 'at', type: 'time' },
    { name: 'b', type: 'boolean' },
  ] as const
  const row = { o: { a: [1] }, at: 5, b: true }
  const layout = layOutTable(columns, [row])
  expect([layout.header(), layout.line(row)]).toEqual(['o          at  b', '{"a":[1]}  5   true'])
})

test('times are local unless UTC is asked for', () => {
  const zoneBefore = process.env.TZ
  process.env.TZ = 'Asia/Kolkata'
  try {
    const columns = [{ name: 'at', type: 'time' }] as const
    const row = { at: '2026-11-01T09:00:00.000Z' }
    expect(layOutTable(columns, [row]).line(row)).toBe('2026-11-01 14:30:00')
    expect(layOutTable(columns, [row], { utc: true }).line(row)).toBe('2026-11-01 09:00:00Z')
  } finally {
    if (zoneBefore === undefined) delete process.env.TZ
    else process.env.TZ = zoneBefore
  }
})
