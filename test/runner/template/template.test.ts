import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { OutputSchema, Step } from '../../../src/runner/spec/chain-schema.ts'
import { didYouMean, fieldMistake, groupsOf } from '../../../src/runner/template/answer-fields.ts'
import { holds, parseCondition, referencesOf } from '../../../src/runner/template/condition.ts'
import {
  parseReference,
  parseText,
  type Reference,
  referencesIn,
} from '../../../src/runner/template/parse-template.ts'
import { asText, NoValue, render, renderToText } from '../../../src/runner/template/render.ts'
import { anyText } from '../../support/any-text.ts'

const step = (id: string, what: 'output' | 'success', ...fields: string[]) => ({
  of: 'step',
  id,
  what,
  fields,
})

describe('rule.templates: what a template is', () => {
  test.each<[string, object | null]>([
    ['inputs.a', { of: 'input', name: 'a', fields: [] }],
    ['inputs._a-1.b.0.c-d', { of: 'input', name: '_a-1', fields: ['b', '0', 'c-d'] }],
    ['steps.a.output', step('a', 'output')],
    ['steps.a-b.output.x.y', step('a-b', 'output', 'x', 'y')],
    ['steps.a.success', step('a', 'success')],
    ['steps.a.success.x', null],
    ['steps.a.outputs', null],
    ['steps.a', null],
    ['steps.a.output.', null],
    ['steps.a.output..x', null],
    ['steps.a.output[0]', null],
    ['steps.1a.output', null],
    ['inputs', null],
    ['inputs.', null],
    ['inputs.a b', null],
    ['inputs.a\n', null],
    ['xinputs.a', null],
    ['xsteps.a.output', null],
    ['env.HOME', null],
    ['', null],
  ])('%j', (expression, reference) => {
    expect(parseReference(expression)).toEqual(reference)
  })

  test.each<[string, object]>([
    ['', { parts: [{ literal: '' }] }],
    ['a } b', { parts: [{ literal: 'a } b' }] }],
    [
      'a {{inputs.x}} b',
      { parts: [{ literal: 'a ' }, { at: 2, source: '{{inputs.x}}' }, { literal: ' b' }] },
    ],
    ['{{ inputs.x }}{{ inputs.y }}', { parts: [{ at: 0 }, { at: 14, source: '{{ inputs.y }}' }] }],
    ['ab {{ inputs.x', { mistake: 'a template is not closed: }} is missing', at: 3 }],
    ['}} {{ inputs.x', { mistake: 'a template is not closed: }} is missing', at: 3 }],
    ['{{ inputs.x }} {{ no }} {{', { mistake: 'no template: {{ no }}', at: 15 }],
    ['{{ {{ inputs.x }} }}', { mistake: 'no template: {{ {{ inputs.x }}', at: 0 }],
  ])('the parts of %j', (text, parsed) => {
    const found = parseText(text)
    expect(found).toMatchObject(parsed)
    if ('parts' in found && 'parts' in parsed) expect(found.parts).toHaveLength((parsed.parts as []).length)
  })

  test('references are found at every depth, with their place', () => {
    expect(
      referencesIn({ a: ['{{ inputs.x }} {{ inputs.y }}', { b: '{{ no }}' }], c: 1, d: null }),
    ).toMatchObject([
      { path: ['a', 0], reference: { name: 'x' } },
      { path: ['a', 0], reference: { name: 'y' } },
      { path: ['a', 1, 'b'], mistake: 'no template: {{ no }}' },
    ])
  })
})

describe('rule.templates: what they are filled with', () => {
  const values: Record<string, unknown> = {
    t: 'text',
    n: 3,
    l: [1, 'a'],
    o: { a: null },
    z: null,
    f: false,
    u: undefined,
  }
  const lookUp = (reference: Reference) => {
    if (reference.of === 'input' && reference.name in values) return values[reference.name]
    throw new NoValue('none')
  }
  test.each<[unknown, unknown]>([
    ['{{ inputs.n }}', 3],
    ['{{ inputs.l }}', [1, 'a']],
    ['{{ inputs.z }}', null],
    ['{{ inputs.f }}', false],
    [' {{ inputs.n }}', ' 3'],
    ['{{ inputs.n }}{{ inputs.t }}', '3text'],
    ['a {{ inputs.l }} {{ inputs.o }} b', 'a [1,"a"] {"a":null} b'],
    ['<{{ inputs.z }}{{ inputs.u }}{{ inputs.f }}>', '<false>'],
    [
      { a: ['{{ inputs.n }}', 1, null], b: { c: 'x{{ inputs.n }}' } },
      { a: [3, 1, null], b: { c: 'x3' } },
    ],
    [true, true],
    ['', ''],
  ])('%j comes to %j', (value, filled) => {
    expect(render(value, lookUp)).toEqual(filled)
    if (typeof value === 'string') expect(renderToText(value, lookUp)).toBe(asText(filled))
  })

  test('what is filled in is never looked at again', () => {
    fc.assert(
      fc.property(anyText, text => {
        for (const value of [text, `{{ inputs.n }}${text}`]) {
          expect(render('{{ inputs.x }}', () => value)).toBe(value)
          expect(render('a{{ inputs.x }}{{ inputs.y }}', () => value)).toBe(`a${value}${value}`)
        }
      }),
    )
  })

  test('what is not there is told, and a text that is no template too', () => {
    expect(() => render({ a: ['x {{ inputs.no }}'] }, lookUp)).toThrow(NoValue)
    expect(() => render('{{ no }}', lookUp)).toThrow('no template')
    expect([asText(undefined), asText(null), asText(0), asText('"')]).toEqual(['', '', '0', '"'])
  })
})

describe('rule.runIf: conditions', () => {
  const VALUES: Record<string, unknown> = {
    ...{
      yes: true,
      no: false,
      zero: 0,
      one: 1,
      three: 3,
      text: 'word',
      t3: '3',
      empty: '',
      blank: ' ',
      nil: null,
    },
    ...{
      falsy: ' False ',
      nay: 'NO',
      nought: '0',
      list: [],
      full: [0],
      object: {},
      half: 0.5,
      neg: -2,
      quote: "it's",
    },
  }
  const lookUp = (reference: Reference) => VALUES[reference.of === 'input' ? reference.name : reference.id]
  test.each<[string, boolean]>([
    ['true', true],
    ['false', false],
    ['null', false],
    ['0', false],
    ['1', true],
    ["''", false],
    ["'x'", true],
    ...(['yes', 'one', 'three', 'text', 't3', 'full', 'object', 'half', 'neg'] as const).map(
      (name): [string, boolean] => [`{{ inputs.${name} }}`, true],
    ),
    ...(['no', 'zero', 'empty', 'blank', 'nil', 'falsy', 'nay', 'nought', 'list', 'missing'] as const).map(
      (name): [string, boolean] => [`{{ inputs.${name} }}`, false],
    ),
    ['{{ steps.yes.success }}', true],
    ["{{ inputs.text }} == 'word'", true],
    ['{{ inputs.text }} == "word"', true],
    ["{{ inputs.text }} != 'word'", false],
    ["{{ inputs.text }} == 'Word'", false],
    ["{{ inputs.text }} != 'other'", true],
    ['{{ inputs.t3 }} == 3', true],
    ["{{ inputs.three }} == '3'", true],
    ['{{ inputs.t3 }} == 3.0', true],
    ["{{ inputs.yes }} == 'true'", true],
    ['{{ inputs.half }} == 0.5', true],
    ['{{ inputs.neg }} == -2', true],
    ['{{ inputs.nil }} == null', true],
    ["{{ inputs.nil }} == 'null'", false],
    ["{{ inputs.nil }} == ''", false],
    ['{{ inputs.list }} == {{ inputs.list }}', true],
    ["{{ inputs.list }} == ''", false],
    ['{{ inputs.no }} == false', true],
    ['{{ inputs.zero }} == false', false],
    ['1=={{ inputs.one }}', true],
    ['{{ inputs.quote }} == "it\'s"', true],
    ['not false', true],
    ['not not true', true],
    ['not not not true', false],
    ['not 1 == 2', true],
    ['true and true and false', false],
    ['true and true', true],
    ['false or false or true', true],
    ['false or false', false],
    ['true or true and false', true],
    ['false and true or true', true],
    ['true and not false', true],
    ["'a and b' == 'a and b'", true],
  ])('%s: %s', (text, expected) => {
    const parsed = parseCondition(text)
    expect(parsed).toHaveProperty('condition')
    if ('condition' in parsed) expect(holds(parsed.condition, lookUp)).toBe(expected)
  })

  test.each<[string, string, number]>([
    ['', 'run_if ends too soon', 0],
    ['true and', 'run_if ends too soon', 8],
    ['not', 'run_if ends too soon', 3],
    ['1 ==', 'run_if ends too soon', 4],
    ['true  false', 'run_if does not understand false', 6],
    ['1 > 0', 'run_if does not understand >', 2],
    ['1 = 1', 'run_if does not understand =', 2],
    ['(true)', 'run_if does not understand (', 0],
    ['yes', 'run_if does not understand yes', 0],
    ['True', 'run_if does not understand True', 0],
    ['toString', 'run_if does not understand toString', 0],
    ['1 == 1 == 1', 'run_if does not understand ==', 7],
    ['and true', 'run_if does not understand and', 0],
    ['true AND true', 'run_if does not understand AND', 5],
    ['{{ env.HOME }}', 'run_if does not understand {{ env.HOME }}', 0],
    ["'open", "run_if does not understand '", 0],
    ['1.2.3', 'run_if does not understand 1', 0],
    ['true1', 'run_if does not understand t', 0],
    ['true.x', 'run_if does not understand t', 0],
    ['1a', 'run_if does not understand 1', 0],
  ])('%j is none', (text, mistake, at) => {
    expect(parseCondition(text)).toEqual({ mistake, at })
  })

  test('every reference of it is found, in order', () => {
    const parsed = parseCondition(
      '{{ inputs.a }} or not {{ inputs.b }} == {{ inputs.c }} and 1 != {{ inputs.d }} or {{ inputs.e }}',
    )
    if ('mistake' in parsed) throw new Error(parsed.mistake)
    expect(referencesOf(parsed.condition).map(one => one.of === 'input' && one.name)).toEqual([...'abcde'])
  })
})

describe('rule.templatesChecked: fields that an answer cannot have', () => {
  const closed = { type: 'object', properties: { title: {}, count: {} }, additionalProperties: false }
  test.each<[OutputSchema | undefined, string[], RegExp | null, RegExp?]>([
    [undefined, [], null],
    [undefined, ['a'], /answer of step "s" is text and has no field "a"/, /declare its output_schema/],
    [{ type: 'text' }, ['a'], /is text/],
    [{ type: 'structured-text', output_anchor: '(?<a>x)(?<b_1>y)' }, ['b_1'], null],
    [
      { type: 'structured-text', output_anchor: '(?<a>x)(?<b>y)' },
      ['c'],
      /no group named "c"/,
      /^groups: a, b$/,
    ],
    [{ type: 'structured-text', output_anchor: '(?<a>x)' }, ['a', 'b'], /no group named "a"/],
    [{ type: 'structured-text', output_anchor: '(?<=a)(?:x)' }, ['a'], /no group/, /^name a group/],
    [{ type: 'jsonl' }, ['0'], null],
    [{ type: 'jsonl' }, ['12', 'a'], null],
    [{ type: 'jsonl' }, ['a'], /is a list; "a" is no number/, /\.0/],
    [{ type: 'jsonl' }, ['1a'], /no number/],
    [{ type: 'json', schema: closed }, ['title'], null],
    [{ type: 'json', schema: closed }, ['title', 'x'], null],
    [{ type: 'json', schema: closed }, ['titel'], /has no field "titel"/, /^did you mean "title"\?$/],
    [{ type: 'json', schema: closed }, ['zzzzzz'], /has no field/, /^fields: title, count$/],
    [{ type: 'json', schema: { ...closed, additionalProperties: true } }, ['x'], null],
    [{ type: 'json', schema: { properties: { a: {} } } }, ['x'], null],
    [{ type: 'json', schema: { additionalProperties: false } }, ['x'], null],
    [{ type: 'json', schema: true }, ['x'], null],
  ])('%j, %j', (output_schema, fields, message, hint) => {
    const found = fieldMistake(
      { id: 's', output_schema } as Step,
      step('s', 'output', ...fields) as Reference,
    )
    if (message === null) expect(found).toBeNull()
    else expect(found).toEqual([expect.stringMatching(message), expect.stringMatching(hint ?? /./)])
  })

  test('groups and near names', () => {
    expect(groupsOf('(?<a>x)(?<!b)(?<c_2>(?<d>y))(z)')).toEqual(['a', 'c_2', 'd'])
    expect([didYouMean('titel', ['title'], 'all'), didYouMean('q', ['title'], 'all')]).toEqual([
      'did you mean "title"?',
      'all',
    ])
  })
})
