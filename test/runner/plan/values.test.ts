import { expect, test } from 'vitest'
import type { Output } from '../../../src/runner/log/event.ts'
import { BEFORE_START, type RunState, type StepResult } from '../../../src/runner/plan/run-state.ts'
import { valuesIn } from '../../../src/runner/plan/values.ts'
import { parseReference, type Reference } from '../../../src/runner/template/parse-template.ts'
import { NoValue } from '../../../src/runner/template/render.ts'

const result = (status: StepResult['status'], output: Output | null) => ({ status, output }) as StepResult
const state: RunState = {
  ...BEFORE_START,
  results: new Map([
    ['text', result('succeeded', { text: 'hello', value: 'hello' })],
    ['json', result('succeeded', { text: '{}', value: { a: { b: [10, 20] }, zero: 0, no: null } })],
    ['groups', result('succeeded', { text: 'raw', value: 'raw', fields: { word: 'found' } })],
    ['failed', result('failed', null)],
    ['late', result('failed', { text: 'said', value: 'said' })],
    ['skipped', result('skipped', null)],
    ['blocked', result('blocked', null)],
  ]),
}
const inputs = { topic: 'bees', nothing: null, list: ['x', { y: 1 }] }
const own = { id: 'own', output: { text: 'mine', value: 'mine', fields: { part: 'p' } } }

test.each<[string, unknown]>([
  ['inputs.topic', 'bees'],
  ['inputs.nothing', null],
  ['inputs.list', ['x', { y: 1 }]],
  ['inputs.list.0', 'x'],
  ['inputs.list.1.y', 1],
  ['steps.text.output', 'hello'],
  ['steps.json.output', { a: { b: [10, 20] }, zero: 0, no: null }],
  ['steps.json.output.a.b.1', 20],
  ['steps.json.output.a', { b: [10, 20] }],
  ['steps.json.output.zero', 0],
  ['steps.json.output.no', null],
  ['steps.groups.output', 'raw'],
  ['steps.groups.output.word', 'found'],
  ['steps.text.success', true],
  ['steps.failed.success', false],
  ['steps.late.success', false],
  ['steps.late.output', 'said'],
  ['steps.skipped.success', false],
  ['steps.blocked.success', false],
  ['steps.never.success', false],
  ['steps.own.success', true],
  ['steps.own.output', 'mine'],
  ['steps.own.output.part', 'p'],
])('rule.templates: %s stands for its value', (expression, value) => {
  expect(valuesIn(inputs, state, own)(parseReference(expression) as Reference)).toEqual(value)
})

test.each<[string, string]>([
  ['inputs.topic.length', 'input topic has no length'],
  ['inputs.list.2', 'input list has no 2'],
  ['inputs.list.map', 'input list has no map'],
  ['inputs.nothing.a', 'input nothing has no a'],
  ['steps.failed.output', 'step failed has no output'],
  ['steps.skipped.output.a', 'step skipped has no output'],
  ['steps.never.output', 'step never has no output'],
  ['steps.json.output.b', 'the output of step json has no b'],
  ['steps.json.output.a.c.d', 'the output of step json has no a.c.d'],
  ['steps.json.output.no.a', 'the output of step json has no no.a'],
  ['steps.json.output.toString', 'the output of step json has no toString'],
  ['steps.groups.output.other', 'the output of step groups has no other'],
  ['steps.own.output.other', 'the output of step own has no other'],
])('rule.templates: %s stands for nothing, which is no empty value', (expression, message) => {
  const look = () => valuesIn(inputs, state, own)(parseReference(expression) as Reference)
  expect(look).toThrow(NoValue)
  expect(look).toThrow(message)
})

test('its own answer is known to the gates of a step alone', () => {
  const reference = parseReference('steps.own.output') as Reference
  expect(() => valuesIn(inputs, state)(reference)).toThrow('step own has no output')
  expect(valuesIn(inputs, state)(parseReference('steps.own.success') as Reference)).toBe(false)
})
