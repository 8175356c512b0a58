import { createHash } from 'node:crypto'
import { appendFileSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DamagedArchive, isCompressed, openFile } from '../../../src/scan/transcripts/file-chunks.ts'
import { comparable } from '../../../src/scan/transcripts/history.ts'
import {
  keyOf,
  momentOf,
  momentOfNumber,
  objectOf,
  objectsOf,
  pick,
  textOf,
} from '../../../src/scan/transcripts/json-row.ts'
import { parseRow } from '../../../src/scan/transcripts/parse-row.ts'
import { LONGEST_LINE, readLines } from '../../../src/scan/transcripts/read-lines.ts'
import { tempFolder } from '../../support/temp-folder.ts'

function linesOf(chunks: Buffer[], begin = { offset: 0, lines: 0 }) {
  const lines = readLines(chunks, begin)
  const found: unknown[] = []
  for (let next = lines.next(); ; next = lines.next()) {
    if (next.done) return { found, rest: next.value }
    const { number, offset, length, bytes } = next.value
    found.push([number, offset, length, bytes?.toString('latin1') ?? null])
  }
}

describe('lines', () => {
  it('end at LF alone, wherever the content is cut and from wherever it is read on', () => {
    const byte = fc.constantFrom(0x0a, 0x0a, 0x0d, 0x61, 0xe2, 0x80, 0xa8, 0x00)
    fc.assert(
      fc.property(
        fc.array(byte, { maxLength: 40 }),
        fc.array(fc.nat(40), { maxLength: 6 }),
        (bytes, cuts) => {
          const content = Buffer.from(bytes)
          const ends = [...new Set([0, ...cuts, content.length])].filter(at => at <= content.length)
          ends.sort((a, b) => a - b)
          const chunks = ends.slice(1).map((end, at) => content.subarray(ends[at], end))
          const texts = content.toString('latin1').split('\n')
          const rest = texts.pop() ?? ''
          let offset = 0
          const expected = texts.map((text, at) => {
            const line = [at + 1, offset, text.length, text]
            offset += text.length + 1
            return line
          })
          expect(linesOf(chunks)).toEqual({ found: expected, rest: rest.length })
          const half = Math.floor(expected.length / 2)
          const begin = { offset: (expected[half]?.[1] as number) ?? offset, lines: half }
          expect(linesOf(chunks, begin)).toEqual({ found: expected.slice(half), rest: rest.length })
        },
      ),
      { numRuns: 300 },
    )
  })

  it('that are longer than a string may be have no bytes; those after them are read', () => {
    const chunk = Buffer.alloc(1 << 20, 'x')
    const many = Array<Buffer>(LONGEST_LINE >> 20).fill(chunk)
    const { found, rest } = linesOf([...many, Buffer.from('y\nz\n'), Buffer.from('w')])
    expect([LONGEST_LINE, rest]).toEqual([256 << 20, 1])
    expect(found).toEqual([
      [1, 0, LONGEST_LINE + 1, null],
      [2, LONGEST_LINE + 2, 1, 'z'],
    ])
  })
})

describe('a line as a row', () => {
  it.each<[string, Buffer, unknown]>([
    ['an object', Buffer.from('{"a":"ż"}'), { row: { a: 'ż' } }],
    ['after a byte order mark', Buffer.from('\ufeff{"a":1}'), { row: { a: 1 } }],
    ['with CR', Buffer.from('{"a":1}\r'), { row: { a: 1 } }],
    ['a list', Buffer.from('[1]'), { reason: 'not a JSON object' }],
    ['null', Buffer.from('null'), { reason: 'not a JSON object' }],
    ['a text', Buffer.from('"a"'), { reason: 'not a JSON object' }],
    ['torn', Buffer.from('{"a":'), { reason: 'not JSON' }],
    ['empty', Buffer.from(''), { reason: 'not JSON' }],
    ['half a character', Buffer.from('{"a":"ż"}').subarray(0, 7), { reason: 'not UTF-8' }],
    ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), { reason: 'not UTF-8' }],
  ])('%s', (_, bytes, expected) => {
    expect(parseRow(bytes)).toEqual(expected)
  })

  it('its values by kind', () => {
    const values = [null, 7, 'a', [], [{ a: 1 }, null, [2], 'x'], { a: 1 }, undefined]
    expect(values.map(objectOf)).toEqual([...Array(5).fill(undefined), { a: 1 }, undefined])
    expect(values.map(textOf)).toEqual([undefined, undefined, 'a', ...Array(4).fill(undefined)])
    expect(values.map(objectsOf)).toEqual([[], [], [], [], [{ a: 1 }], [], []])
    expect(pick({ a: null, b: 0, c: undefined, d: 1 }, 'a', 'b', 'c', 'e')).toEqual({ a: null, b: 0 })
    expect(keyOf('__proto__') in {}).toBe(false)
  })

  it.each<[unknown, string | null]>([
    ['2026-03-01T10:00:00Z', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01T12:00:00.5+02:00', '2026-03-01T10:00:00.500Z'],
    ['2026-03-01T10:00Z', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01', null],
    ['x2026-03-01T10:00:00Z', null],
    ['2026-13-01T10:00:00Z', null],
    [1_772_359_200_000, null],
    [null, null],
  ])('its time: %j', (value, at) => {
    expect(momentOf(value)).toBe(at)
  })

  it.each<[unknown, number | undefined, string | null]>([
    [1_500, undefined, '1970-01-01T00:00:01.500Z'],
    [1.5, 1_000, '1970-01-01T00:00:01.500Z'],
    [0, undefined, '1970-01-01T00:00:00.000Z'],
    ['1', undefined, null],
    [1e300, undefined, null],
    [Number.NaN, undefined, null],
  ])('its time as a number: %j × %j', (value, unit, at) => {
    expect(momentOfNumber(value, unit)).toBe(at)
  })
})

it.each([
  ['!ls', 'ls'],
  ['!!ls', '!ls'],
  ['a!b', 'a!b'],
  [' a \n b ', 'a b'],
  ['a[Pasted text #1 +2 lines]b [Pasted text #22]c', 'a b c'],
  ['[Pasted text #x]', '[Pasted text #x]'],
  ['[Pasted text #1\n]', '[Pasted text #1 ]'],
])('what of a listed prompt can stand in a transcript: %j', (words, expected) => {
  expect(comparable(words)).toBe(expected)
})

describe('a file as it was when it was opened', () => {
  const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
  const file = (bytes: Buffer, name = 'a.jsonl') => {
    const path = join(tempFolder(), name)
    writeFileSync(path, bytes)
    return path
  }
  const content = Buffer.from(Array.from({ length: (2 << 20) + 7 }, (_, at) => at % 251))

  it('what is appended is of the next reading; what is cut off is missing', () => {
    const path = file(content)
    const opened = openFile(path)
    appendFileSync(path, 'more')
    expect([opened.size, Buffer.concat([...opened.chunks()]).equals(content), opened.sha256()]).toEqual([
      ...[content.length, true, sha(content)],
    ])
    opened.close()
    const cut = openFile(path)
    truncateSync(path, 5)
    expect(Buffer.concat([...cut.chunks()])).toEqual(content.subarray(0, 5))
    cut.close()
  })

  it('between two bytes, with the hash of what lies there', () => {
    const opened = openFile(file(content), 100, 10)
    expect([opened.size, Buffer.concat([...opened.chunks()])]).toEqual([100, content.subarray(10, 100)])
    expect(opened.sha256()).toBe(sha(content.subarray(10, 100)))
    opened.close()
    const whole = openFile(file(content), 1e12)
    expect(whole.size).toBe(content.length)
    whole.close()
  })

  it('the hash is of all of it, also where a reader stopped, and the same when it is asked again', () => {
    const opened = openFile(file(content))
    for (const _ of opened.chunks()) break
    expect([opened.sha256(), opened.sha256()]).toEqual([sha(content), sha(content)])
    opened.close()
  })

  it('what was handed out stays as it was while more is read', () => {
    const opened = openFile(file(content))
    const chunks = [...opened.chunks()]
    expect(chunks.length).toBeGreaterThan(2)
    expect(Buffer.concat(chunks).equals(content)).toBe(true)
    opened.close()
  })

  it('is closed where it is no regular file', () => {
    const open = readdirSync('/dev/fd').length
    expect(() => openFile(tempFolder())).toThrow(expect.objectContaining({ code: 'not a regular file' }))
    expect(readdirSync('/dev/fd')).toHaveLength(open)
  })

  it('a packed one that is cut or none at all is damaged', () => {
    for (const bytes of [Buffer.from('no archive'), Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x04])]) {
      const opened = openFile(file(bytes, 'a.jsonl.zst'))
      expect(() => [...opened.chunks()]).toThrow(DamagedArchive)
      expect(opened.sha256()).toBe(sha(bytes))
      opened.close()
    }
    expect([isCompressed('a.zst'), isCompressed('a.zst.jsonl')]).toEqual([true, false])
  })
})
