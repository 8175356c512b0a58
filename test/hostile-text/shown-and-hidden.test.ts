import { describe, expect, it } from 'vitest'
import { displayWidth } from '../../src/hostile-text/display-width.ts'
import { escapeLines, escapeText, hiddenCharacters } from '../../src/hostile-text/escape-text.ts'

type Ranges = readonly (readonly [first: number, last: number])[]

/** From the lists of Unicode, not from the program's own: what acts or hides. */
const HIDDEN: Ranges = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180e, 0x180e],
  [0x200b, 0x200b],
  [0x200e, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x13430, 0x1343f],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe00ff],
  [0xe01f0, 0xe0fff],
]

/** Of the same kinds by name, and needed: joiners, variation selectors, signs that have a shape. */
const SHOWN: Ranges = [
  [0x20, 0x7e],
  [0xa0, 0xac],
  [0xae, 0x34e],
  [0x600, 0x605],
  [0x6dd, 0x6dd],
  [0x70f, 0x70f],
  [0x890, 0x891],
  [0x8e2, 0x8e2],
  [0x180b, 0x180d],
  [0x180f, 0x180f],
  [0x200c, 0x200d],
  [0x2010, 0x2027],
  [0x202f, 0x205f],
  [0x3000, 0x3163],
  [0xfe00, 0xfe0f],
  [0xfffc, 0xfffd],
  [0x110bd, 0x110bd],
  [0x110cd, 0x110cd],
  [0x1f300, 0x1f6ff],
  [0xe0100, 0xe01ef],
]

function* characters(ranges: Ranges): Generator<string> {
  for (const [first, last] of ranges)
    for (let code = first; code <= last; code++) yield String.fromCodePoint(code)
}

const namesOf = (texts: string[]) => texts.map(text => text.codePointAt(0)?.toString(16))

describe('case 8: each character', () => {
  it('that acts or hides is an escape, wherever it stands', () => {
    const raw = [...characters(HIDDEN)].filter(
      one => escapeText(one).includes(one) || escapeText(`a${one}b${one}`).includes(one),
    )
    expect(namesOf(raw)).toEqual([])
  })

  it('that is read, or that another needs, stays', () => {
    expect(namesOf([...characters(SHOWN)].filter(one => escapeText(one) !== one))).toEqual([])
  })

  it('of several lines too: the line feed alone stays', () => {
    const raw = [...characters(HIDDEN)].filter(one => escapeLines(`a${one}b`).includes(one))
    expect(raw).toEqual(['\n'])
    expect(escapeLines('a\r\nb\n\tc')).toBe('a\\r\nb\n\\tc')
  })

  it('is left alone where it is named as one to leave', () => {
    expect('\n\t\x1b'.replace(hiddenCharacters('\\n\\t'), '.')).toBe('\n\t.')
    expect('\n\t\x1b\u200d'.replace(hiddenCharacters(), '.')).toBe('...\u200d')
  })

  it.each([
    ['\n', '\\n'],
    ['\r', '\\r'],
    ['\t', '\\t'],
    ['\0', '\\x00'],
    ['\x0b', '\\x0b'],
    ['\xad', '\\xad'],
    ['\u034f', '\\u{34f}'],
    ['\u{e0041}', '\\u{e0041}'],
    ['\ud83c', '\\u{d83c}'],
  ])('%j is written %s', (text, shown) => expect(escapeText(text)).toBe(shown))

  it('half of a pair is hidden, a whole pair is not', () => {
    expect(escapeText('🎉\ud83c🎉\udf89')).toBe('🎉\\u{d83c}🎉\\u{df89}')
  })
})

describe('the columns of a terminal that a text takes', () => {
  it.each([
    ['', 0],
    ['plain', 5],
    ['~ ~', 3],
    ['Ä', 1],
    ['e\u0301', 1],
    ['漢字', 4],
    ['a漢', 3],
    ['漢a', 3],
    ['👨‍👩‍👧', 2],
    ['\\x1b[31m', 8],
    ['ｱ', 1],
    ['Ａ', 2],
  ])('%j: %i', (text, columns) => expect(displayWidth(text)).toBe(columns))
})
