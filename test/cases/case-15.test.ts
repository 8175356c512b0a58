import { closeSync, openSync, truncateSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { LONGEST_LINE, readLines } from '../../src/scan/transcripts/read-lines.ts'
import { tempFolder } from '../support/temp-folder.ts'
import {
  append,
  claude,
  codex,
  lines,
  messageOf,
  personsWords,
  scan,
  scanContent,
  write,
} from '../support/transcripts.ts'

/** The bytes of a transcript with a piece put between its first prompt and its last. */
function around(piece: Buffer | string): Buffer {
  const s = claude()
  s.typed('before')
  const before = lines(s.rows.splice(0))
  s.typed('after')
  return Buffer.concat([Buffer.from(before), Buffer.from(piece as string), Buffer.from(lines(s.rows))])
}

describe('case 15: JSONL as it is found on disks', () => {
  test.each([
    ['U+2028', '\u2028'],
    ['U+2029', '\u2029'],
    ['U+0085', '\u0085'],
    ['an escaped CR and LF', 'a\r\nb'],
    ['NUL and other control characters', '\0\u0001\u001b[2J'],
    ['U+FEFF', '\ufeff'],
    ['a lone surrogate', 'x\ud800y\udfff'],
    ['U+10FFFF', '\u{10ffff}'],
  ])('%s belongs to the words and ends no line', (_, text) => {
    const s = claude()
    s.typed(`one${text}two`)
    s.typed('after')
    const outcome = scanContent(s.rows)
    expect(personsWords(outcome)).toEqual([`one${text}two`, 'after'])
    expect(outcome.sources[0]?.counts).toMatchObject({ lines: 2, malformed: 0, unfinishedBytes: 0 })
    expect(messageOf(outcome, 'after').message.source).toMatchObject({
      line: 2,
      offset: Buffer.byteLength(lines(s.rows.slice(0, 1))),
    })
  })

  test('U+2028 stands in the file as it is, and lines may end in CR LF', () => {
    const s = claude()
    s.typed('one\u2028two')
    s.typed('after')
    const text = lines(s.rows)
    expect(text).toContain('\u2028')
    expect(personsWords(scanContent(text.replaceAll('\n', '\r\n')))).toEqual(['one\u2028two', 'after'])
  })

  const torn = JSON.stringify(claude().typed('torn')).slice(0, 90)
  test.each<[string, Buffer | string, string]>([
    ['a torn line', `${torn}\n`, 'not JSON'],
    ['a torn line and its whole copy in one line', `${torn}${torn}\n`, 'not JSON'],
    ['a line of NUL, as after a power cut', `${'\0'.repeat(5_000)}\n`, 'not JSON'],
    ['an empty line', '\n', 'not JSON'],
    ['a list', '[{"type":"user"}]\n', 'not a JSON object'],
    ['null', 'null\n', 'not a JSON object'],
    ['a number', '7\n', 'not a JSON object'],
    ['bytes that are no UTF-8', Buffer.from('{"type":"user","x":"\xff\xfe"}\n', 'latin1'), 'not UTF-8'],
    ['a character that is cut', Buffer.from('{"x":"\xe2\x82"}\n', 'latin1'), 'not UTF-8'],
    ['UTF-16', Buffer.concat([Buffer.from('{"type":"user"}', 'utf16le'), Buffer.from('\n')]), 'not JSON'],
    ['brackets 100,000 deep without an end', `${'['.repeat(100_000)}\n`, 'not JSON'],
  ])('%s in the middle is told and counted, and what follows is read', (_, piece, reason) => {
    const outcome = scanContent(around(piece))
    expect(personsWords(outcome)).toEqual(['before', 'after'])
    expect(outcome.sources[0]?.counts).toMatchObject({ lines: 3, malformed: 1 })
    expect(outcome.exclusions).toMatchObject([{ line: 2, reason: expect.stringContaining(reason) }])
  })

  test('a mark of byte order before a line', () => {
    const s = claude()
    s.typed('first')
    s.typed('second')
    const bom = Buffer.from('\ufeff')
    const [one, two] = s.rows.map(row => Buffer.from(lines([row]))) as [Buffer, Buffer]
    expect(personsWords(scanContent(Buffer.concat([bom, one, bom, two])))).toEqual(['first', 'second'])
  })

  test('a last line without LF is not read until it is whole, wherever it was cut', () => {
    const s = claude()
    s.typed('first')
    s.typed('żółć 🪣 last')
    const bytes = Buffer.from(lines(s.rows))
    const start = Buffer.byteLength(lines(s.rows.slice(0, 1)))
    for (const cut of [start + 1, bytes.indexOf('🪣') + 2, bytes.length - 2, bytes.length - 1]) {
      const folder = tempFolder()
      const cacheDir = join(folder, 'cache')
      const path = write(folder, 't.jsonl', bytes.subarray(0, cut))
      const first = scan([path], { cacheDir })
      expect(personsWords(first)).toEqual(['first'])
      expect(first.sources[0]?.counts).toMatchObject({ lines: 1, malformed: 0, unfinishedBytes: cut - start })
      append(path, bytes.subarray(cut))
      const second = scan([path], { cacheDir })
      expect(personsWords(second)).toEqual(['first', 'żółć 🪣 last'])
      expect(second.sources[0]?.counts).toMatchObject({ lines: 2, malformed: 0, unfinishedBytes: 0 })
      expect(messageOf(second, 'żółć 🪣 last').message.source).toMatchObject({ line: 2, offset: start })
    }
  })

  test('a file that is nothing but an unfinished line is not called empty', () => {
    const s = claude()
    s.typed('first')
    const { exclusions } = scanContent(lines(s.rows).trimEnd())
    expect(exclusions).toMatchObject([{ reason: 'no whole line yet' }])
    expect(scanContent('').exclusions).toMatchObject([{ reason: 'empty' }])
  })

  test('a line of 60 MB', () => {
    const s = claude()
    s.typed('before')
    s.call('Bash', { command: 'cat' })
    const path = join(tempFolder(), 't.jsonl')
    const fd = openSync(path, 'w')
    writeSync(fd, lines(s.rows))
    writeSync(fd, '{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"')
    const piece = Buffer.alloc(1 << 20, 'x')
    for (let at = 0; at < 60; at++) writeSync(fd, piece)
    writeSync(fd, '"}]}}\n')
    const words = 'word '.repeat(4_000_000)
    s.rows.splice(0)
    s.typed(words)
    s.typed('after')
    writeSync(fd, lines(s.rows))
    closeSync(fd)
    const before = process.memoryUsage().rss
    const outcome = scan([path])
    expect(personsWords(outcome).map(text => text.length)).toEqual([6, words.length, 5])
    expect(messageOf(outcome, words).message.words === words).toBe(true)
    expect(outcome.sources[0]?.counts).toMatchObject({ lines: 5, malformed: 0 })
    // The line, its text and its object at once, with room for what was not collected yet.
    expect(process.memoryUsage().rss - before).toBeLessThan(1_200 << 20)
  })

  test('a line that is too long is passed over without being held; lines before and after are read', () => {
    const chunk = Buffer.alloc(1 << 20, 0x20)
    const most = Math.ceil(LONGEST_LINE / chunk.length) + 40
    function* chunks() {
      yield Buffer.from('{"a":1}\n')
      for (let at = 0; at < most; at++) yield chunk
      yield Buffer.from('\n{"b":2}\nrest')
    }
    const read: [number, number, number, string | null][] = []
    const generator = readLines(chunks(), { offset: 0, lines: 0 })
    let next = generator.next()
    for (; !next.done; next = generator.next()) {
      const { number, offset, length, bytes } = next.value
      read.push([number, offset, length, bytes === null ? null : bytes.toString()])
    }
    const long = most * chunk.length
    expect(read).toEqual([
      [1, 0, 7, '{"a":1}'],
      [2, 8, long, null],
      [3, 9 + long, 7, '{"b":2}'],
    ])
    expect(next.value).toBe(4)
  })

  test('such a line in a transcript is told as longer than the limit', () => {
    const s = claude()
    s.typed('before')
    const path = write(tempFolder(), 't.jsonl', s.rows)
    // A hole in the file takes no room on the disk and reads as NUL.
    truncateSync(path, Buffer.byteLength(lines(s.rows)) + LONGEST_LINE + 1)
    s.rows.splice(0)
    s.typed('after')
    append(path, `\n${lines(s.rows)}`)
    const outcome = scan([path])
    expect(personsWords(outcome)).toEqual(['before', 'after'])
    expect(outcome.exclusions).toMatchObject([{ line: 2, reason: 'longer than 256 MiB' }])
  })

  test('the rows of Codex likewise', () => {
    const t = codex()
    t.turn('user')
    t.typed('before\u2028')
    const first = lines(t.rows.splice(0))
    t.typed('after')
    const outcome = scanContent(`${first}${torn}\n\0\0\n${lines(t.rows)}{"unfinished`)
    expect(personsWords(outcome)).toEqual(['before\u2028', 'after'])
    expect(outcome.sources[0]?.counts).toMatchObject({ malformed: 2, unfinishedBytes: 12 })
  })
})
