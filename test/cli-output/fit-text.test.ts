import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutToWidth, fitText, padText } from '../../src/cli/output/fit-text.ts'
import { displayWidth } from '../../src/hostile-text/display-width.ts'
import { escapeText } from '../../src/hostile-text/escape-text.ts'
import { hostileText } from './hostile-text.ts'

const width = fc.integer({ min: 0, max: 20 })

describe('a text fitted to a width', () => {
  it('is whole where it fits, and else fills the width as far as whole characters do', () => {
    fc.assert(
      fc.property(hostileText, width, (text, width) => {
        const fitted = fitText(text, width)
        const whole = escapeText(text)
        if (displayWidth(whole) <= width) expect(fitted).toBe(whole)
        else {
          expect(displayWidth(fitted)).toBeLessThanOrEqual(width)
          expect(fitted.endsWith('…')).toBe(width > 0)
          expect(whole.startsWith(fitted.slice(0, -1))).toBe(true)
        }
      }),
    )
  })

  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['漢字', 4, '漢字'],
    ['漢字', 3, '漢…'],
    ['漢字漢', 4, '漢…'],
    ['漢字漢', 5, '漢字…'],
    ['ab', 1, '…'],
    ['ab', 0, ''],
    ['', 0, ''],
    ['a\nb', 3, 'a\\…'],
  ])('%j in %i columns: %j', (text, columns, shown) => expect(fitText(text, columns)).toBe(shown))

  it('without a width is whole and escaped', () => {
    expect(fitText(`${'x'.repeat(10_000)}\x1b`)).toBe(`${'x'.repeat(10_000)}\\x1b`)
  })

  it('is whole also where a character of the eye is many of the memory', () => {
    const family = '👨‍👩‍👧'
    expect(fitText(family.repeat(3), 6)).toBe(family.repeat(3))
    expect(fitText(family.repeat(4), 6)).toBe(`${family.repeat(2)}…`)
  })

  it('says that it is cut where more stood than was looked at, and cuts no pair in two', () => {
    const marks = (number: number) => `a${'\u0301'.repeat(number - 1)}`
    for (let number = 40; number < 60; number++) {
      const fitted = fitText(`${marks(number)}${'🎉'.repeat(100)}`, 5)
      expect(fitted).not.toMatch(/\\u|\p{Cs}/u)
      expect(fitted.endsWith('…')).toBe(true)
    }
    expect(fitText(marks(500), 5)).toMatch(/^a\u0301+…$/)
    expect(fitText(marks(48), 5)).toBe(marks(48))
  })
})

it('cutting keeps characters of the eye whole', () => {
  expect(cutToWidth('e\u0301e\u0301e\u0301', 2)).toBe('e\u0301…')
  expect(cutToWidth('👨‍👩‍👧x', 2)).toBe('…')
  expect(cutToWidth('x', -1)).toBe('')
})

it('padding counts columns of the terminal', () => {
  expect(padText('漢', 5, 'left')).toBe('漢   ')
  expect(padText('漢', 5, 'right')).toBe('   漢')
  expect(padText('e\u0301', 3, 'left')).toBe('e\u0301  ')
  expect(padText('abc', 2, 'right')).toBe('abc')
})
