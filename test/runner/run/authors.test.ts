import { describe, expect, test } from 'vitest'
import type { Family } from '../../../src/runner/agents/family.ts'
import { type Authors, authorsOfCheck, authorsOfGate } from '../../../src/runner/run/authors.ts'
import type { Chain, Gate, Step } from '../../../src/runner/spec/chain-schema.ts'
import { chainOf } from '../support/bench.ts'

const WROTE: Record<string, Family> = { s1: 'Anthropic', s2: 'OpenAI', s3: 'Google' }
const familyOfStep = (id: string) => WROTE[id] ?? 'unknown'
const chain = chainOf([{}, {}, {}, {}], {
  inputs: [
    { name: 'report', type: 'path' },
    { name: 'word', type: 'string' },
    { name: 'constructor', type: 'path' },
  ],
}) as Chain

describe('rule.verifierIndependence: who wrote what is checked', () => {
  const check = (more: object): Step => ({ id: 's4', kind: 'cross_check', ...more }) as Step
  test.each<[string, object, Authors, Authors]>([
    ['nothing', {}, {}, {}],
    ['a step that it names', { of: ['steps.s1'] }, {}, { 'steps.s1': 'Anthropic' }],
    [
      'several',
      { of: ['steps.s1', 'steps.s2'], instruction: '{{ steps.s3.output.a }}' },
      {},
      { 'steps.s1': 'Anthropic', 'steps.s2': 'OpenAI', 'steps.s3': 'Google' },
    ],
    [
      'the steps of its input, however deep',
      { input: { a: [{ b: 'x {{ steps.s2.output }}' }] } },
      {},
      { 'steps.s2': 'OpenAI' },
    ],
    ['whether a step succeeded is written by nobody', { instruction: '{{ steps.s2.success }}' }, {}, {}],
    [
      'a file that nobody is known to have written',
      { of: ['inputs.report'] },
      {},
      { 'inputs.report': 'unknown' },
    ],
    [
      'a file that a template names alone',
      { instruction: '{{ inputs.report }}' },
      {},
      { 'inputs.report': 'unknown' },
    ],
    [
      'a file that somebody wrote',
      { of: ['inputs.report'], instruction: '{{ inputs.report }}' },
      { report: 'xAI' },
      { 'inputs.report': 'xAI' },
    ],
    ['a word that a template names', { instruction: '{{ inputs.word }}' }, {}, {}],
    [
      'a word that is said to be of a family',
      { instruction: '{{ inputs.word }}' },
      { word: 'Zhipu' },
      { 'inputs.word': 'Zhipu' },
    ],
    ['a word that is looked at', { of: ['inputs.word'] }, {}, { 'inputs.word': 'unknown' }],
    ['a word of a person', { of: ['inputs.word'] }, { word: 'person' }, { 'inputs.word': 'person' }],
    [
      'a name that every object has',
      { of: ['inputs.constructor'], instruction: '{{ inputs.constructor }}' },
      {},
      { 'inputs.constructor': 'unknown' },
    ],
    ['a step that has not run', { of: ['steps.s9'] }, {}, { 'steps.s9': 'unknown' }],
  ])('%s', (_, more, given, authors) => {
    expect(authorsOfCheck(chain, check(more), familyOfStep, given)).toEqual(authors)
  })

  test.each<[string, object, Authors, Authors]>([
    ['the answer of its step', {}, {}, { 'steps.s2': 'OpenAI' }],
    [
      'and what its templates name',
      { instruction: '{{ steps.s1.output }}', input: { a: '{{ inputs.report }}' } },
      { report: 'Google' },
      { 'steps.s2': 'OpenAI', 'steps.s1': 'Anthropic', 'inputs.report': 'Google' },
    ],
    ['not what the step was given', { instruction: 'Good?' }, { report: 'Google' }, { 'steps.s2': 'OpenAI' }],
  ])('of a gate: %s', (_, more, given, authors) => {
    const gate = { type: 'ai_cross_check', on_fail: 'halt', ...more } as Gate
    const step = { id: 's2', instruction: '{{ inputs.report }} {{ steps.s3.output }}' } as Step
    expect(authorsOfGate(chain, step, gate, familyOfStep, given)).toEqual(authors)
  })
})
