import { describe, expect, test } from 'vitest'
import { compareOutputs } from '../../../src/runner/answer/compare-outputs.ts'
import { jsonSchemaCheck } from '../../../src/runner/answer/json-schema-check.ts'
import { readAnswer } from '../../../src/runner/answer/read-answer.ts'
import { verdictOf } from '../../../src/runner/answer/verdict.ts'
import { withinTime } from '../../../src/runner/answer/within-time.ts'
import type { JsonSchema, OutputSchema } from '../../../src/runner/spec/chain-schema.ts'

const JSON_N = { type: 'json' as const, schema: { type: 'object', required: ['n'] } }
const LINES = { type: 'jsonl' as const }
const LINES_N = { type: 'jsonl' as const, schema: { type: 'object', required: ['n'] } }
const anchor = (output_anchor: string) => ({ type: 'structured-text' as const, output_anchor })
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

describe('rule.outputSchema: an answer in its form', () => {
  test.each<[OutputSchema | undefined, string, object]>([
    [undefined, '  hello\n', { text: 'hello', value: 'hello' }],
    [{ type: 'text' }, '```\nx\n```', { text: '```\nx\n```', value: '```\nx\n```' }],
    [JSON_N, '{"n": 1}', { text: '{"n": 1}', value: { n: 1 } }],
    [JSON_N, '```json\n{"n": 1}\n```', { text: '```json\n{"n": 1}\n```', value: { n: 1 } }],
    [JSON_N, '\n```\n{"n": "```"}```\n', { value: { n: '```' } }],
    [{ type: 'json', schema: true }, 'null', { text: 'null', value: null }],
    [{ type: 'json', schema: true }, deep(200), { text: deep(200) }],
    [LINES, '1\n\n{"a": 2}\n  \n"x"', { value: [1, { a: 2 }, 'x'] }],
    [LINES, '```jsonl\n1\n2\n```', { value: [1, 2] }],
    [LINES, '1\r\n2', { value: [1, 2] }],
    [LINES_N, '{"n": 1}\n{"n": 2}', { value: [{ n: 1 }, { n: 2 }] }],
    [
      anchor('^It is (?<word>\\w+)$'),
      'so:\nIt is good\nend',
      { fields: { word: 'good' }, value: 'so:\nIt is good\nend' },
    ],
    [anchor('(?<a>x)|(?<b>y)'), 'y x', { fields: { a: '', b: 'y' } }],
    [anchor('^.$'), '\u{1f600}', { fields: {} }],
  ])('%j of %j', (form, answer, output) => {
    expect(readAnswer(form, answer)).toMatchObject({ output })
  })

  test.each<[OutputSchema | undefined, string, RegExp]>([
    [undefined, '', /^the answer is empty$/],
    [undefined, ' \n\t', /^the answer is empty$/],
    [JSON_N, ' ', /^the answer is empty$/],
    [JSON_N, 'n = 1', /^the answer is not JSON: /],
    [JSON_N, 'so: ```json\n{"n": 1}\n```', /^the answer is not JSON/],
    [JSON_N, '```json\n{"n": 1}\n``` as asked', /^the answer is not JSON/],
    [JSON_N, '{"n": 1} {"n": 2}', /^the answer is not JSON/],
    [JSON_N, '{"m": 1}', /^the answer does not fit its schema: the value must have required property 'n'/],
    [JSON_N, '[1]', /must be object/],
    [{ type: 'json', schema: true }, deep(201), /more than 200 levels deep/],
    [{ type: 'json', schema: { type: 'objet' } }, '1', /^no JSON Schema: /],
    [LINES, '1\n\nx', /^line 3 is not JSON: /],
    [LINES_N, '{"n": 1}\n\n{"m": 2}\n{"k": 3}', /^line 3: the answer does not fit/],
    [LINES_N, '7', /^line 1: /],
    [anchor('^good$'), 'Good', /^nothing in the answer fits the output_anchor \^good\$$/],
    [anchor('^good$'), 'it is good', /^nothing in the answer/],
    [anchor('a.b'), 'a\nb', /^nothing in the answer/],
  ])('%j refuses %j', (form, answer, refused) => {
    expect(readAnswer(form, answer)).toEqual({ refused: expect.stringMatching(refused) })
  })
})

describe('rule.crossCheck: the verdict of an answer', () => {
  const text = (said: string) => verdictOf({ text: said, value: said }, ['agree', 'diverge'])
  test.each([
    ['VERDICT: agree', 'agree'],
    ['verdict: DIVERGE', 'diverge'],
    ['so\n  > **VERDICT:** agree\nbye', 'agree'],
    ['# VERDICT: _agree_', 'agree'],
    ['- VERDICT:agree', 'agree'],
    ['VERDICT: agree\nVERDICT: diverge', 'diverge'],
    ['VERDICT: diverge\nVERDICT: agree.', 'agree'],
    ['VERDICT: agree\nVERDICT: maybe', null],
    ['the VERDICT: agree', null],
    ['VERDICT agree', null],
    ['VERDICT: agreed', null],
    ['VERDICT: not agree', null],
    ['agree', null],
    ['', null],
  ])('%j is %s', (said, verdict) => {
    expect(text(said)).toBe(verdict)
  })

  test.each<[unknown, string | null]>([
    [{ verdict: 'agree' }, 'agree'],
    [{ verdict: 'Diverge' }, 'diverge'],
    [{ verdict: 'other' }, null],
    [{ verdict: null }, null],
    [{ verdict: ['agree'] }, 'agree'],
    [null, 'diverge'],
    [{ other: 1 }, 'diverge'],
    ['{}', 'diverge'],
  ])('of JSON the field goes before a line: %j is %s', (value, verdict) => {
    expect(verdictOf({ text: 'VERDICT: diverge', value }, ['agree', 'diverge'])).toBe(verdict)
  })
})

describe('rule.verification: two answers compared', () => {
  const of = (value: unknown, fields?: Record<string, unknown>) => ({
    ...{ text: JSON.stringify(value), value },
    ...(fields ? { fields } : {}),
  })
  test.each<[object, object, string[] | undefined, boolean, RegExp]>([
    [of(' a  b\n'), of('a b'), undefined, false, /^the verifier answers the same$/],
    [of('a b'), of('ab'), undefined, true, /^the answers diverge: "a b" and "ab"$/],
    [of('a'), of('A'), undefined, true, /diverge/],
    [of({ a: 1, b: 2 }), of({ b: 2, a: 1 }), undefined, false, /the same/],
    [of([1, 2]), of([2, 1]), undefined, true, /diverge: \[1,2\] and \[2,1\]/],
    [of(1), of('1'), undefined, true, /diverge: 1 and "1"/],
    [of({ a: 1, b: 2 }), of({ a: 1, b: 3 }), ['a'], false, /^the verifier agrees on a$/],
    [of({ a: 1, b: 2 }), of({ a: 1, b: 3 }), ['a', 'b'], true, /^the answers diverge: b is 2 and 3$/],
    [of({ a: 1, b: 2 }), of({ a: 9, b: 3 }), ['a', 'b'], true, /: a is 1 and 9; b is 2 and 3$/],
    [of({ a: { b: 1 } }), of({ a: { b: 2 } }), ['a.b'], true, /a\.b is 1 and 2/],
    [of({ a: null }), of({}), ['a'], false, /agrees/],
    [of({ a: 0 }), of({}), ['a'], true, /a is 0 and null/],
    [of(null), of({ a: 1 }), ['a.b'], false, /agrees/],
    [of('t', { w: 'x' }), of('u', { w: 'x' }), ['w'], false, /agrees on w/],
    [of('t', { w: 'x' }), of('t', { w: 'y' }), ['w'], true, /w is "x" and "y"/],
    [of('x'.repeat(158)), of('y'), undefined, true, /: "x{158}" and "y"$/],
    [of('x'.repeat(159)), of('y'), undefined, true, /: "x{159}… and "y"$/],
  ])('%j and %j on %j diverge: %s', (first, second, fields, diverged, detail) => {
    expect(compareOutputs(first as never, second as never, fields)).toEqual({
      diverged,
      detail: expect.stringMatching(detail),
    })
  })
})

describe('rule.bounded: what others wrote is checked within bounds', () => {
  const check = (schema: JsonSchema, ...values: unknown[]) => {
    const made = jsonSchemaCheck(schema)
    return 'mistake' in made ? made.mistake : made.firstMisfit(values)
  }
  test.each<[JsonSchema, unknown[], unknown]>([
    [true, [1], null],
    [{}, [], null],
    [{ type: 'number' }, [1, 2, 'x', 'y'], { index: 2, what: 'the value must be number' }],
    [{ properties: { a: { type: 'number' } } }, [{ a: 'x' }], { index: 0, what: '/a must be number' }],
    [
      { properties: {}, type: 'object', additionalProperties: false },
      [{ b: 1 }],
      { index: 0, what: 'the value must NOT have additional properties (b)' },
    ],
    [
      { required: ['a', 'b'], type: 'object' },
      [{}],
      { index: 0, what: expect.stringMatching(/'a'; .*'b'$/) },
    ],
    [{ required: [...'abcde'], type: 'object' }, [{}], { index: 0, what: expect.stringMatching(/'e'$/) }],
    [
      { required: [...'abcdefg'], type: 'object' },
      [{}],
      { index: 0, what: expect.stringMatching(/'e'; and 2 more$/) },
    ],
    [{ type: 'string', format: 'date' }, ['2026-02-30'], { index: 0, what: expect.stringContaining('date') }],
    [{ type: 'string', format: 'date' }, ['2026-02-28'], null],
    [{ prefixItems: [{ type: 'number' }] }, [[1]], null],
    [{ minlength: 1 }, [], expect.stringContaining('minlength')],
    [{ $ref: 'https://example.invalid/x.json' }, [], expect.stringContaining('example.invalid')],
    [{ $async: true }, [], '"$async" waits for nothing here'],
  ])('%j of %j', (schema, values, expected) => {
    expect(check(schema, ...values)).toEqual(expected)
  })

  test('a pattern that takes for ever, and what is too deep, come to an end', () => {
    const slow = () => /^(a+)+$/.test(`${'a'.repeat(40)}!`)
    expect(withinTime(slow, 50)).toEqual({ problem: 'it could not be checked within 0.05 s' })
    const down = (): number => 1 + down()
    expect(withinTime(down)).toEqual({ problem: 'it is too deep to be checked' })
    expect(withinTime(() => 7)).toEqual({ result: 7 })
    expect(() =>
      withinTime(() => {
        throw new TypeError('a fault')
      }),
    ).toThrow('a fault')
  })
})
