import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type RowFormat, writeJsonDocument, writeRows } from '../../src/cli/output/rows-out.ts'
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
