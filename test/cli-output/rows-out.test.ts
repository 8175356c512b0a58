import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type RowFormat, writeJsonDocument, writeRows } from '../../src/cli/output/rows-out.ts'
import { csvCell, tsvCell } from '../../src/cli/output/separated.ts'
import { hostileText, RAW } from './hostile-text.ts'

const COLUMNS = [
  { name: 'at', type: 'time' },
  { name: 'text', type: 'text' },
  { name: 'size', type: 'number' },
  { name: 'is_queued', type: 'boolean' },
] as const

async function written(rows: Record<string, unknown>[], format: RowFormat): Promise<string> {
  const pieces: string[] = []
  const count = await writeRows({ columns: COLUMNS, rows }, format, {
    write: piece => void pieces.push(piece),
  })
  expect(count).toBe(rows.length)
  return pieces.join('')
}

const row = (text: string | null, size: number | null = 5) => ({
  at: '2026-11-01T09:00:00.000Z',
  text,
  size,
  is_queued: false,
})

/** Reads CSV as RFC 4180 has it. */
function parseCsv(csv: string): string[][] {
  const lines: string[][] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y
  let line: string[] = []
  while (cell.lastIndex < csv.length) {
    const at = cell.lastIndex
    const match = cell.exec(csv)
    if (!match) throw new Error(`no cell at ${at}: ${JSON.stringify(csv.slice(at, at + 40))}`)
    line.push(match[1]?.replaceAll('""', '"') ?? (match[2] as string))
    if (match[3] === ',') continue
    lines.push(line)
    line = []
  }
  return lines
}

describe('CSV', () => {
  test('is RFC 4180 with a header, times as in the record', async () => {
    expect(await written([row('a, "b"\nc'), row(null, null), row('')], 'csv')).toBe(
      'at,text,size,is_queued\r\n' +
        '2026-11-01T09:00:00.000Z,"a, ""b""\nc",5,false\r\n' +
        '2026-11-01T09:00:00.000Z,,,false\r\n' +
        '2026-11-01T09:00:00.000Z,"",5,false\r\n',
    )
  })

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '＝1', '＋1', '－1', '＠x', '\t=1', '\r=1', '\n=1'])(
    'case 14: a cell beginning with %j is safe to open',
    async text => {
      const cell = parseCsv(await written([row(text)], 'csv'))[1]?.[1]
      expect(cell?.startsWith("'")).toBe(true)
      const tsv = (await written([row(text)], 'tsv')).split('\n')[1]?.split('\t')[1]
      expect(tsv?.startsWith("'")).toBe(true)
    },
  )

  test('case 14: a number stays a number, and its column does not open the door to texts', async () => {
    expect(await written([row('x', -5)], 'csv')).toContain(',x,-5,')
    const hostile = { ...row('x'), size: '=1' as unknown as number }
    expect(await written([hostile], 'csv')).toContain(",'=1,")
  })

  test('case 8: any text leaves no control but line feeds inside quotes, and no second cell', async () => {
    await fc.assert(
      fc.asyncProperty(hostileText, hostileText, async (one, two) => {
        const cells = parseCsv(await written([row(one), row(two)], 'csv'))
        expect(cells.map(line => line.length)).toEqual([4, 4, 4])
        for (const cell of cells.flat()) {
          expect(cell.replaceAll('\n', '')).not.toMatch(RAW)
          expect(cell).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/)
        }
      }),
    )
  })
})

test('case 8: any text is one cell of TSV without a control', async () => {
  expect(await written([row('a\tb\nc'), row(null)], 'tsv')).toBe(
    'at\ttext\tsize\tis_queued\n2026-11-01T09:00:00.000Z\ta\\tb\\nc\t5\tfalse\n2026-11-01T09:00:00.000Z\t\t5\tfalse\n',
  )
  await fc.assert(
    fc.asyncProperty(hostileText, async text => {
      const lines = (await written([row(text)], 'tsv')).split('\n')
      expect(lines).toHaveLength(3)
      const cells = (lines[1] as string).split('\t')
      expect(cells).toHaveLength(4)
      for (const cell of cells) expect(cell).not.toMatch(RAW)
    }),
  )
})

test('case 8: NDJSON is one exact object a line, with no control in it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(hostileText, { maxLength: 4 }), async texts => {
      const lines = (
        await written(
          texts.map(text => row(text)),
          'ndjson',
        )
      ).split('\n')
      expect(lines.pop()).toBe('')
      for (const line of lines) expect(line).not.toMatch(RAW)
      expect(lines.map(line => (JSON.parse(line) as { text: string }).text)).toEqual(texts)
    }),
  )
})

test('a JSON document is written row by row', async () => {
  const documentOf = async (rows: Record<string, unknown>[]) => {
    const pieces: string[] = []
    await writeJsonDocument(
      { freshness: { files: 1 }, columns: ['text'] },
      rows,
      piece => void pieces.push(piece),
    )
    return JSON.parse(pieces.join(''))
  }
  expect(await documentOf([])).toEqual({ freshness: { files: 1 }, columns: ['text'], rows: [] })
  expect(await documentOf([{ text: '\u202e' }, { text: null }])).toEqual({
    freshness: { files: 1 },
    columns: ['text'],
    rows: [{ text: '\u202e' }, { text: null }],
  })
})

test('a slow reader holds the rows back', async () => {
  let asked = 0
  let isWriting = false
  const rows = (async function* () {
    for (; asked < 400; asked++) {
      expect(isWriting).toBe(false)
      yield row('x'.repeat(1000))
    }
  })()
  const write = async () => {
    isWriting = true
    await new Promise(resolve => setImmediate(resolve))
    isWriting = false
  }
  expect(await writeRows({ columns: COLUMNS, rows }, 'ndjson', { write })).toBe(400)
})

describe('a cell', () => {
  const text = { name: 'c', type: 'text' } as const
  const number = { name: 'c', type: 'number' } as const

  test.each([
    ['a;b', '"a;b"'],
    ['a,b', '"a,b"'],
    ['a"b', '"a""b"'],
    ['a\nb', '"a\nb"'],
    [' a', '" a"'],
    ['a ', '"a "'],
    ['\u00a0a', '"\u00a0a"'],
    ['', '""'],
    ['a b', 'a b'],
    ['a\tb', 'a\\tb'],
    ['a-1', 'a-1'],
    [-5, "'-5"],
    [5, '5'],
    [true, 'true'],
    [['=1', 2], '"[""=1"",2]"'],
    [{ a: 'x' }, '"{""a"":""x""}"'],
    [null, ''],
    [undefined, ''],
  ])('of CSV, of a column of texts: %j', (value, cell) => expect(csvCell(value, text)).toBe(cell))

  test.each([
    ['a;b', 'a;b'],
    ['a"b', 'a"b'],
    ['', ''],
    ['a\tb\nc\rd', 'a\\tb\\nc\\rd'],
    [{ a: 'x' }, '{"a":"x"}'],
    [-5, "'-5"],
  ])('of TSV, of a column of texts: %j', (value, cell) => expect(tsvCell(value, text)).toBe(cell))

  test('of a column of numbers: a number as it is, a text of its look guarded', () => {
    for (const cell of [csvCell, tsvCell]) {
      expect(cell(-5.5, number)).toBe('-5.5')
      expect(cell('-5.5', number)).toBe("'-5.5")
    }
  })
})

test('names of columns are cells like others', async () => {
  const columns = [
    { name: '=a;b', type: 'text' },
    { name: 'c\t', type: 'text' },
  ] as const
  const header = async (format: RowFormat) => {
    const pieces: string[] = []
    await writeRows({ columns, rows: [] }, format, { write: piece => void pieces.push(piece) })
    return pieces.join('')
  }
  expect(await header('csv')).toBe('"\'=a;b",c\\t\r\n')
  expect(await header('tsv')).toBe("'=a;b\tc\\t\n")
})

describe('how much is written at a time', () => {
  const writesOf = async (format: RowFormat, rows: Iterable<Record<string, unknown>>, width?: number) => {
    const pieces: string[] = []
    await writeRows({ columns: COLUMNS, rows }, format, { width, write: piece => void pieces.push(piece) })
    return pieces
  }

  test('nothing is written where there is nothing', async () => {
    expect(await writesOf('ndjson', [])).toEqual([])
  })

  test('small rows go out together, in pieces of 64 KiB', async () => {
    const pieces = await writesOf('ndjson', Array(2000).fill(row('x'.repeat(100))))
    const line = (pieces[0] as string).indexOf('\n') + 1
    for (const piece of pieces.slice(0, -1)) {
      expect(piece.length).toBeGreaterThanOrEqual(65_536)
      expect(piece.length).toBeLessThan(65_536 + line)
    }
    expect(pieces.join('')).toHaveLength(2000 * line)
  })

  test('a table is measured by its first thousand rows', async () => {
    const rows = (longAt: number) =>
      Array.from({ length: 1100 }, (_, index) => row(index === longAt ? 'x'.repeat(50) : 'x'))
    const headerOf = async (longAt: number) => (await writesOf('table', rows(longAt))).join('').split('\n')[0]
    const narrow = (await headerOf(1000))?.length
    expect((await headerOf(999))?.length).toBe((narrow as number) + 50 - 'text'.length)
    expect((await headerOf(1050))?.length).toBe(narrow)
  })

  test('a table of large texts is measured by fewer, and what is known goes out', async () => {
    let asked = 0
    let askedAtFirstWrite = 0
    const rows = (function* () {
      for (; asked < 100; asked++) yield row('x'.repeat(1_000_000))
    })()
    const write = () => {
      askedAtFirstWrite ||= asked
    }
    await writeRows({ columns: COLUMNS, rows }, 'table', { width: 80, write })
    await writeRows({ columns: COLUMNS, rows: [] }, 'table', { write })
    expect(asked).toBe(100)
    asked = 0
    askedAtFirstWrite = 0
    const wide = (function* () {
      for (; asked < 20; asked++) yield row('x'.repeat(1_000_000))
    })()
    let lines = 0
    await writeRows({ columns: COLUMNS, rows: wide }, 'table', {
      write: piece => {
        lines += piece.split('\n').length - 1
        write()
      },
    })
    expect(askedAtFirstWrite).toBe(4)
    expect(lines).toBe(21)
  })
})

test('case 8: the head of a JSON document is safe too, and its rows stand on lines of their own', async () => {
  const pieces: string[] = []
  const count = await writeJsonDocument({ 'a\u202e': '\u009b' }, [{ a: 1 }, { a: 2 }], piece => {
    pieces.push(piece)
  })
  expect(count).toBe(2)
  expect(pieces.join('')).toBe('{"a\\u202e":"\\u009b","rows":[\n{"a":1},\n{"a":2}\n]}\n')
})
