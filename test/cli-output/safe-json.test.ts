import fc from 'fast-check'
import { expect, test } from 'vitest'
import { safeJson } from '../../src/cli/output/safe-json.ts'
import { hostileText, RAW } from './hostile-text.ts'

test('case 8: JSON keeps any text exactly and shows none of it raw', () => {
  fc.assert(
    fc.property(hostileText, text => {
      const json = safeJson({ [text]: [text] })
      expect(json).not.toMatch(RAW)
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify({ [text]: [text] })))
      expect((JSON.parse(safeJson(text)) as string) === text).toBe(true)
    }),
  )
})

test('indentation and what people read stay as they are', () => {
  expect(safeJson({ a: 'Ä 漢 👨‍👩‍👧' }, 2)).toBe('{\n  "a": "Ä 漢 👨‍👩‍👧"\n}')
  expect(safeJson('\u{E0041}\u202e')).toBe('"\\udb40\\udc41\\u202e"')
  expect(safeJson(undefined)).toBe('null')
})
