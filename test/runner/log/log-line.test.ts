import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from '../../../src/runner/log/canonical-json.ts'
import type { LoggedEvent } from '../../../src/runner/log/event.ts'
import { NO_LINE_BEFORE, openLine, sealLine } from '../../../src/runner/log/log-line.ts'
import { chainOfRunId, newRunId } from '../../../src/runner/log/run-id.ts'

const warning = (seq: number, more: object = {}): LoggedEvent =>
  ({ event: 'warning', step: null, text: 'x', seq, at: '2026-11-01T10:00:00.000Z', ...more }) as LoggedEvent
const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)])

describe('rule.auditLog: a line opens only as the next of its own log', () => {
  const PREV = 'a'.repeat(64)
  const line = sealLine(warning(2), PREV).text

  test('as it was sealed', () => {
    const sealed = sealLine(warning(2), PREV)
    expect(openLine(sealed.text, 2, PREV)).toEqual({ event: warning(2), hash: sealed.hash })
    const { hash, ...content } = JSON.parse(sealed.text)
    expect(content.prev).toBe(PREV)
    expect(hash).toBe(createHash('sha256').update(canonicalJson(content)).digest('hex'))
    expect(NO_LINE_BEFORE).toBe('0'.repeat(64))
  })

  test.each<[string, string, string]>([
    [
      'right in itself, behind another line',
      sealLine(warning(2), 'b'.repeat(64)).text,
      'it does not follow the line before',
    ],
    [
      'right in itself, at another place',
      sealLine(warning(3), PREV).text,
      'it is line 3 of a log, not line 2',
    ],
    ['with another text', line.replace('"text":"x"', '"text":"y"'), 'its content does not fit its own hash'],
    ['with another hash', line.replace(/"hash":"./, '"hash":"-'), 'its content does not fit its own hash'],
    ['with a field more', line.replace('{', '{"a":1,'), 'its content does not fit its own hash'],
    ['with a blank', line.replace(':', ': '), 'it is not written as this program writes it'],
    ['with a key twice', line.replace('{', '{"at":1,'), 'it is not written as this program writes it'],
    ['cut off', line.slice(0, -1), 'it is not JSON'],
    ['a number', '7', 'it is no event'],
    ['null', 'null', 'it is no event'],
    ['a text', '"x"', 'it is no event'],
  ])('not one %s', (_, text, broken) => {
    expect(openLine(text, 2, PREV)).toEqual({ broken })
  })

  test('400 levels deep, and not deeper', () => {
    expect(openLine(sealLine(warning(2, { v: deep(399) }), PREV).text, 2, PREV)).toHaveProperty('event')
    expect(openLine(sealLine(warning(2, { v: deep(400) }), PREV).text, 2, PREV)).toEqual({
      broken: 'it is not JSON',
    })
  })
})

test('canonical JSON: one text for each value, its keys in code-unit order at every depth', () => {
  expect(canonicalJson({ b: [{ z: 1, a: undefined, é: 2, Z: 3 }], a: null })).toBe(
    '{"a":null,"b":[{"Z":3,"z":1,"é":2}]}',
  )
  expect(canonicalJson({ 10: 1, 9: 2, __proto__x: 3 })).toBe('{"9":2,"10":1,"__proto__x":3}')
  expect(canonicalJson(JSON.parse('{"__proto__":{"a":1},"b":2}'))).toBe('{"__proto__":{"a":1},"b":2}')
  expect(canonicalJson(undefined)).toBe('null')
  expect(canonicalJson('\ud800')).toBe('"\\ud800"')
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), value => {
      const turned = Object.fromEntries(Object.entries(value).reverse())
      expect(canonicalJson(turned)).toBe(canonicalJson(value))
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})

test('a run id holds its chain and its time in UTC', () => {
  const at = new Date('2026-11-01T10:20:30.456Z')
  const ids = Array.from({ length: 50 }, () => newRunId('my-chain', at))
  for (const id of ids) expect(id).toMatch(/^my-chain_20261101T102030Z_[a-z0-9]{6}$/)
  expect(new Set(ids).size).toBe(50)
  expect(chainOfRunId(ids[0] as string)).toBe('my-chain')
})

test.each([
  '',
  'my-chain',
  'My_20261101T102030Z_abcdef',
  'a_20261101T102030Z_abcde',
  'a_20261101T102030Z_abcdefg',
  'a_20261101T102030_abcdef',
  'a_2026110T102030Z_abcdef',
  '../a_20261101T102030Z_abcdef',
  'a_20261101T102030Z_abcdef.jsonl',
  '1a_20261101T102030Z_abcdef',
])('%j is no run id', word => {
  expect(chainOfRunId(word)).toBeNull()
})
