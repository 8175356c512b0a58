import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeJson } from '../../src/hostile-text/escape-json.ts'

describe('case 8: JSON that acts on no terminal', () => {
  it.each([
    ['{"a":"b"}\n', '{"a":"b"}\n'],
    ['"Ä漢👍"', '"Ä漢👍"'],
    ['"\u007f\u009b"', '"\\u007f\\u009b"'],
    ['"\u202e\u2028"', '"\\u202e\\u2028"'],
    ['"\u{e0041}"', '"\\udb40\\udc41"'],
    ['"a"\u00ad', '"a"\\u00ad'],
  ])('%j is written %j', (json, written) => expect(escapeJson(json)).toBe(written))

  it('reads back as the value that it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        expect(JSON.parse(escapeJson(JSON.stringify(text)))).toBe(text)
      }),
    )
  })
})
