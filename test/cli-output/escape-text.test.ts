import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeLines, escapeText } from '../../src/hostile-text/escape-text.ts'
import { HOSTILE, hostileText, RAW } from './hostile-text.ts'

test.each([
  ['\x1b[31m', '\\x1b[31m'],
  ['a\nb\tc\r', 'a\\nb\\tc\\r'],
  ['\0\x07\x7f\x9b', '\\x00\\x07\\x7f\\x9b'],
  ['\u061c\u200e\u202e\u2069', '\\u{61c}\\u{200e}\\u{202e}\\u{2069}'],
  ['\u2028\ufeff\u00ad', '\\u{2028}\\u{feff}\\xad'],
  ['\ud800x\udc00', '\\u{d800}x\\u{dc00}'],
  ['\u{E0041}', '\\u{e0041}'],
  ['\u3164\u115f', '\\u{3164}\\u{115f}'],
])('case 8: %j is shown as %s', (text, shown) => expect(escapeText(text)).toBe(shown))

test.each(['plain', 'Ä漢字 🎉', '👨‍👩‍👧', 'می‌خواهم', '❤\ufe0f', 'C:\\new', 'e\u0301', '\u0600\u0661'])(
  '%s stays as it is',
  text => {
    expect(escapeText(text)).toBe(text)
  },
)

test('case 8: nothing of any text reaches a terminal as a control', () => {
  for (const text of HOSTILE) expect(escapeText(text)).not.toMatch(RAW)
  fc.assert(fc.property(hostileText, text => !RAW.test(escapeText(text))))
})

test('escaping twice changes nothing, and escaping lines keeps line feeds only', () => {
  fc.assert(
    fc.property(hostileText, text => {
      expect(escapeText(escapeText(text))).toBe(escapeText(text))
      expect(escapeLines(text).split('\n').map(escapeText).join('\\n')).toBe(escapeText(text))
    }),
  )
})
