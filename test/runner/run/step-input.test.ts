import { describe, expect, test } from 'vitest'
import { inputOf } from '../../../src/runner/run/step-input.ts'
import { textDifference } from '../../../src/runner/run/text-difference.ts'
import type { Step } from '../../../src/runner/spec/chain-schema.ts'
import type { Reference } from '../../../src/runner/template/parse-template.ts'

describe('rule.crossCheck: a check is given what it checks, once', () => {
  const lookUp = (one: Reference) =>
    `<${one.of === 'step' ? `${one.id} ${one.what}` : one.name} ${one.fields}>`
  const [STEP, INPUT] = ['<s1 output >', '<word >']
  test.each<[string, object, unknown]>([
    ['a step without input', {}, undefined],
    ['its own input', { input: { a: '{{ steps.s1.output }}', b: [1] } }, { a: STEP, b: [1] }],
    ['what nothing names', { of: ['steps.s1'] }, { artifacts: { 'steps.s1': STEP } }],
    ['an input', { of: ['inputs.word'], input: { a: 1 } }, { a: 1, artifacts: { 'inputs.word': INPUT } }],
    [
      'both, in their order',
      { of: ['inputs.word', 'steps.s1'] },
      { artifacts: { 'inputs.word': INPUT, 'steps.s1': STEP } },
    ],
    ['not what its instruction holds', { of: ['steps.s1'], instruction: '{{ steps.s1.output }}' }, undefined],
    [
      'not what its input holds',
      { of: ['steps.s1', 'inputs.word'], input: { a: '{{ inputs.word }}' } },
      { a: INPUT, artifacts: { 'steps.s1': STEP } },
    ],
    [
      'an input of the name of a step',
      { of: ['inputs.s1'], instruction: '{{ steps.s1.output }}' },
      { artifacts: { 'inputs.s1': '<s1 >' } },
    ],
  ])('%s', (_, step, expected) => {
    expect(inputOf({ id: 's2', ...step } as Step, lookUp)).toEqual(expected)
  })
})

describe('rule.resumeRefuses: the lines in which two texts differ', () => {
  const lines = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => `${from + at}`)
  test.each<[string, string[], string[], string[]]>([
    ['none', ['a', 'b'], ['a', 'b'], []],
    ['one in the middle', ['a', 'b', 'c'], ['a', 'x', 'c'], ['2: - b', '2: + x']],
    ['the first', ['a', 'b'], ['x', 'b'], ['1: - a', '1: + x']],
    ['the last', ['a', 'b'], ['a', 'x'], ['2: - b', '2: + x']],
    ['one more', ['a', 'b'], ['a', 'x', 'b'], ['2: + x']],
    ['one less', ['a', 'x', 'b'], ['a', 'b'], ['2: - x']],
    ['the same line once more', ['a', 'a'], ['a', 'a', 'a'], ['3: + a']],
    ['the same line once less', ['a', 'a', 'a'], ['a', 'a'], ['3: - a']],
    [
      'two places',
      ['a', 'b', 'c', 'd'],
      ['a', 'x', 'c', 'y'],
      ['2: - b', '3: - c', '4: - d', '2: + x', '3: + c', '4: + y'],
    ],
    ['20 lines', ['a'], ['a', ...lines(2, 21)], lines(2, 21).map(one => `${one}: + ${one}`)],
    [
      '21 lines',
      ['a', ...lines(2, 22)],
      ['a'],
      [...lines(2, 21).map(one => `${one}: - ${one}`), 'and 1 more lines'],
    ],
  ])('%s', (_, before, after, told) => {
    expect(textDifference(before.join('\n'), after.join('\n'))).toEqual(told)
  })
})
