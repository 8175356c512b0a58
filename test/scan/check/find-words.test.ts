import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { holdsBeginning, holdsWords, listsWords } from '../../../src/scan/check/find-words.ts'
import { linesAt } from '../../../src/scan/check/lines-at.ts'
import { anyText } from '../../support/any-text.ts'

describe('words in a row', () => {
  it.each([
    ['in a string', { message: { content: 'say: mend it now' } }, 'mend it', true],
    ['in an array', { content: [{ text: 'a' }, { text: 'mend it' }] }, 'mend it', true],
    ['in JSON inside a string', { input: '{"prompt":"mend \\"it\\""}' }, 'mend "it"', true],
    ['in JSON in JSON', { a: JSON.stringify({ b: JSON.stringify({ c: 'a\nb' }) }) }, 'a\nb', true],
    [
      'a command with arguments',
      { c: '<command-name>/fix</command-name><command-args>the gate</command-args>' },
      '/fix the gate',
      true,
    ],
    [
      'a command without',
      { c: '<command-name>fix</command-name>\n<command-args></command-args>' },
      '/fix',
      true,
    ],
    [
      'two text blocks',
      { content: [{ text: 'one\ntwo' }, { image: 1 }, { text: 'three' }] },
      'one\ntwo\nthree',
      true,
    ],
    ['around a pasted block', { content: 'see\n<pasted>x</pasted>\nand say' }, 'see\nand say', true],
    ['not there', { content: 'mend the fence' }, 'mend the hedge', false],
    ['in a key', { 'mend it': 1 }, 'mend it', false],
    ['another command', { c: '<command-name>/fix</command-name>' }, '/fix it', false],
    ['a piece that is not there', { content: ['one', 'three'] }, 'one\ntwo\nthree', false],
  ])('%s', (_, row, words, found) => {
    expect(holdsWords(row, words)).toBe(found)
  })

  test('whatever stands in a string is found, and nothing that no string holds', () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, (before, words, after) => {
        const row = JSON.parse(JSON.stringify({ a: [{ b: before + words + after }] }))
        expect(holdsWords(row, words)).toBe(true)
        expect(holdsWords(row, `${words} no string holds this`)).toBe(false)
      }),
    )
  })

  test('a row that is nested deeper than the call stack is looked through', () => {
    let row: unknown = 'deep words'
    for (let depth = 0; depth < 20_000; depth++) row = [row]
    expect(holdsWords(row, 'deep words')).toBe(true)
  })

  test('a list of typed prompts may mark what was pasted', () => {
    expect(listsWords({ display: 'see [Pasted text #1 +3 lines]' }, 'see')).toBe(true)
    expect(listsWords({ display: '!ls' }, 'ls')).toBe(true)
    expect(listsWords({ display: 'see this' }, 'see')).toBe(false)
  })

  test('a shortened form begins with many of the same characters', () => {
    const words = 'x'.repeat(64) + 'y'.repeat(64)
    expect(holdsBeginning({ content: `${words.slice(0, 70)}…[cut]` }, words)).toBe(true)
    expect(holdsBeginning({ content: 'xxx' }, words)).toBe(false)
    expect(holdsBeginning({ content: 'short' }, 'short')).toBe(false)
  })
})

test('lines are found by their offset, whatever pieces they come in', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'binary' }), { maxLength: 8 }),
      fc.array(fc.nat(7)),
      fc.integer({ min: 1, max: 9 }),
      (texts, picked, piece) => {
        const lines = texts.map(text => Buffer.from(text.replaceAll('\n', ' ')))
        const content = Buffer.concat(lines.flatMap(line => [line, Buffer.from('\n')]))
        const offsets = lines.map((_, index) =>
          lines.slice(0, index).reduce((sum, line) => sum + line.length + 1, 0),
        )
        const wanted = [...new Set(picked.filter(index => index < lines.length))].sort((a, b) => a - b)
        const chunks = Array.from({ length: Math.ceil(content.length / piece) }, (_, index) =>
          content.subarray(index * piece, (index + 1) * piece),
        )
        const found = [
          ...linesAt(
            chunks,
            wanted.map(index => offsets[index] as number),
          ),
        ]
        expect(found.map(({ number }) => number - 1)).toEqual(wanted)
        expect(found.map(({ bytes }) => bytes?.toString('hex'))).toEqual(
          wanted.map(index => lines[index]?.toString('hex')),
        )
      },
    ),
  )
})
