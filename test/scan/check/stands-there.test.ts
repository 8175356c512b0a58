import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, test } from 'vitest'
import { holdsBeginning, holdsWords, listsWords } from '../../../src/scan/check/find-words.ts'
import { linesAt } from '../../../src/scan/check/lines-at.ts'
import { standsThere } from '../../../src/scan/check/stands-there.ts'
import { LONGEST_LINE } from '../../../src/scan/transcripts/read-lines.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { scan, write } from '../../support/transcripts.ts'

const rows = [
  { uuid: 'a1', text: 'mend the fence' },
  { uuid: 'b2', text: 'paint it' },
  { display: '!ls [Pasted text #1 +2 lines] -l' },
]
const file = () => write(tempFolder(), 'a.jsonl', rows)
const offsetOf = (number: number) =>
  rows.slice(0, number).reduce((sum, row) => sum + JSON.stringify(row).length + 1, 0)

test.each<[string, number, string | null, string, boolean]>([
  ['the first line', 0, 'a1', 'mend the fence', true],
  ['a later line', offsetOf(1), 'b2', 'paint it', true],
  ['no id of a row', offsetOf(1), null, 'paint it', true],
  ['what a list names', offsetOf(2), null, 'ls -l', true],
  ['other words', 0, 'a1', 'paint it', false],
  ['another row', 0, 'b2', 'mend the fence', false],
  ['a part of the row’s id', 0, 'a', 'mend the fence', false],
  ['the middle of a line', offsetOf(1) + 1, null, 'paint it', false],
  ['the end of a line', offsetOf(1) - 1, null, 'mend the fence', false],
  ['the end of the file', offsetOf(3), null, 'ls -l', false],
  ['beyond it', offsetOf(3) + 9, null, 'ls -l', false],
])('whether a row still stands there: %s', (_, offset, row, words, expected) => {
  expect(standsThere({ file: file(), line: 1, offset, row }, words)).toBe(expected)
})

it.each<[string, string | Buffer]>([
  [
    'is not UTF-8',
    Buffer.concat([Buffer.from('{"text":"'), Buffer.from([0xff]), Buffer.from('mend it"}\n')]),
  ],
  ['is torn', '{"text":"mend it"\n'],
  ['is a list', '["mend it"]\n'],
])('no row stands in a line that %s', (_, content) => {
  const place = { file: write(tempFolder(), 'a.jsonl', content), line: 1, offset: 0, row: null }
  expect(standsThere(place, 'mend it')).toBe(false)
})

it('none stands in a file that is gone or a folder', () => {
  for (const gone of [join(tempFolder(), 'none.jsonl'), tempFolder()])
    expect(standsThere({ file: gone, line: 1, offset: 0, row: null }, '')).toBe(false)
})

it('of a packed file the place is one in what it holds unpacked', () => {
  const corpus = readFileSync(join(import.meta.dirname, '../../corpus/cx-64-compressed.jsonl.zst'))
  const packed = write(tempFolder(), 'rollout.jsonl.zst', corpus)
  const { messages } = scan([packed])
  const later = messages.map(({ message }) => message).filter(({ source }) => source.offset > 0)
  expect(later.length).toBeGreaterThan(0)
  for (const { source, words } of later) {
    expect(standsThere(source, words)).toBe(true)
    expect(standsThere({ ...source, offset: source.offset + 1 }, words)).toBe(false)
  }
})

it.each<[string, unknown, string, boolean]>([
  ['in the quotes of a list of answers', { c: 'answered: "Which?"="say \\"yes\\""' }, 'say "yes"', true],
  ['in JSON after blanks', { c: ' \n{"a":"one\\ttwo"}' }, 'one\ttwo', true],
  ['in a list of JSON', { c: '["one\\ttwo"]' }, 'one\ttwo', true],
  ['in a JSON text', { c: '"one\\ttwo"' }, 'one\ttwo', true],
  ['in pieces, one of them empty', { c: ['one', 'two'] }, 'one\n\ntwo', true],
  ['in pieces in another order', { c: ['two', 'one'] }, 'one\ntwo', true],
  ['in JSON as deep as is looked', { a: nested(4) }, 'x\ty', true],
  ['in JSON deeper than is looked', { a: nested(5) }, 'x\ty', false],
])('words %s', (_, row, words, found) => {
  expect(holdsWords(row, words)).toBe(found)
})

function nested(depth: number): string {
  return depth === 0 ? 'x\ty' : JSON.stringify([nested(depth - 1)])
}

it('of a list of typed prompts no more than its marks is left out', () => {
  const row = { display: '!a [Pasted text #1 +2 lines] b [Pasted text #12] c' }
  expect(listsWords(row, 'a b c')).toBe(true)
  expect(listsWords(row, 'a b  c')).toBe(true)
  expect(listsWords(row, 'a b')).toBe(false)
  expect(listsWords({ display: 'a!b' }, 'ab')).toBe(false)
  expect(listsWords({ display: 'a [Pasted image #1] b' }, 'a b')).toBe(false)
  expect(listsWords({ content: ['one', 'two'] }, 'one\ntwo')).toBe(true)
})

it('a shortened form is one of more than 64 characters, all of which it begins with', () => {
  const words = `${'x'.repeat(63)}yz`
  expect(holdsBeginning({ c: words.slice(0, 64) }, words)).toBe(true)
  expect(holdsBeginning({ c: words.slice(0, 63) }, words)).toBe(false)
  expect(holdsBeginning({ c: words.slice(0, 64) }, words.slice(0, 64))).toBe(false)
  expect(holdsBeginning({ c: ` ${words}` }, words)).toBe(false)
})

it('lines are numbered wherever they begin, and the last needs no end', () => {
  const content = Buffer.from('one\n\nthree')
  const found = (...offsets: number[]) =>
    [...linesAt([content], offsets)].map(({ number, offset, bytes }) => [number, offset, String(bytes)])
  expect(found(0, 4, 5)).toEqual([
    [1, 0, 'one'],
    [2, 4, ''],
    [3, 5, 'three'],
  ])
  expect(found(2, 5)).toEqual([[3, 5, 'three']])
  expect(found(10, 99)).toEqual([])
  expect([...linesAt([Buffer.from('one\n')], [4])]).toEqual([])
  expect([...linesAt([], [0])]).toEqual([])
})

it('a line that is longer than a string may be has no bytes, and those after it are found', () => {
  const many = Array<Buffer>(LONGEST_LINE >> 20).fill(Buffer.alloc(1 << 20, 'x'))
  const found = [...linesAt([...many, Buffer.from('y\nz\n')], [0, LONGEST_LINE + 2])]
  expect(found.map(({ number, bytes }) => [number, bytes && String(bytes)])).toEqual([
    [1, null],
    [2, 'z'],
  ])
})
