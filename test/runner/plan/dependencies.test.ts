import { expect, test } from 'vitest'
import { dependenciesOf, referencesOfStep } from '../../../src/runner/plan/dependencies.ts'
import { allEnded, nextSteps } from '../../../src/runner/plan/next-steps.ts'
import { BEFORE_START, type RunState, type StepResult } from '../../../src/runner/plan/run-state.ts'
import type { Chain } from '../../../src/runner/spec/chain-schema.ts'
import { chainOf } from '../support/bench.ts'

const command = (more: object) => ({ type: 'bash_exit_code', argv: ['true'], on_fail: 'warn', ...more })

test.each<[string, object, waitsFor: string[], reads: string[]]>([
  ['nothing', {}, [], []],
  ['needs', { needs: ['s2', 's1'] }, ['s2', 's1'], []],
  ['of, with an input beside', { kind: 'cross_check', of: ['inputs.a', 'steps.s1'] }, ['s1'], ['s1']],
  ['an output in the instruction', { instruction: '{{ steps.s1.output.a }}' }, ['s1'], ['s1']],
  ['a success in the instruction', { instruction: 'It is {{ steps.s1.success }}' }, ['s1'], []],
  ['an input', { instruction: '{{ inputs.a }}' }, [], []],
  ['an output deep in the input', { input: { a: [{ b: '{{ steps.s2.output }}' }] } }, ['s2'], ['s2']],
  [
    'the base of a worktree',
    { isolation: { type: 'worktree', base: '{{ steps.s1.output }}' } },
    ['s1'],
    ['s1'],
  ],
  ['a condition asks without reading', { run_if: '{{ steps.s1.output }} == 1' }, ['s1'], []],
  [
    'both sides and every part of a condition',
    { run_if: 'not {{ steps.s3.success }} and 1 == {{ steps.s1.output }} or {{ steps.s2.success }}' },
    ['s3', 's1', 's2'],
    [],
  ],
  ['a condition that is none', { run_if: '{{ steps.s1.success }} and' }, [], []],
  ['a condition that is a word', { run_if: true }, [], []],
  ['a gate', { gates: [command({ args: ['{{ steps.s2.output }}'] })] }, ['s2'], ['s2']],
  [
    'the second gate',
    { gates: [command({}), command({ env: { A: '{{ steps.s3.output }}' } })] },
    ['s3'],
    ['s3'],
  ],
  ['a gate that asks for success', { gates: [command({ args: ['{{ steps.s2.success }}'] })] }, ['s2'], []],
  ['its own answer in a gate', { gates: [command({ args: ['{{ steps.s4.output }}'] })] }, [], []],
  [
    'the same step by several ways, once',
    {
      needs: ['s1'],
      instruction: '{{ steps.s1.output }} {{ steps.s1.output }}',
      input: { a: '{{ steps.s1.output }}' },
    },
    ['s1'],
    ['s1'],
  ],
])('rule.parallel: what a step waits for and reads: %s', (_, step, waitsFor, reads) => {
  const chain = chainOf([{}, {}, {}, step]) as Chain
  expect(dependenciesOf(chain).get('s4')).toEqual({ waitsFor, reads })
  expect([...dependenciesOf(chain).keys()]).toEqual(['s1', 's2', 's3', 's4'])
})

test('what an agent is given is in the instruction, the input and the base of its worktree', () => {
  const step = {
    ...{ instruction: '{{ inputs.a }}', input: { x: '{{ inputs.b }}' }, run_if: '{{ inputs.d }}' },
    ...{ isolation: { type: 'worktree', base: '{{ inputs.c }}' } },
  }
  const [found] = (chainOf([step, {}]) as Chain).steps
  expect(referencesOfStep(found as Chain['steps'][number])).toMatchObject([
    { name: 'a' },
    { name: 'b' },
    { name: 'c' },
  ])
})

const stateOf = (results: string[], inFlight: string[] = [], more: Partial<RunState> = {}): RunState => ({
  ...BEFORE_START,
  results: new Map(results.map(id => [id, { status: 'failed' } as StepResult])),
  inFlight: new Map(inFlight.map(id => [id, 1])),
  ...more,
})
const ESCALATED = { escalated: { step: 's1', reason: '', refused: false } }
const HALTED = { halted: { reason: '', refused: false } }

test.each<[string, RunState, jobs: number, string[]]>([
  ['the first of all', stateOf([]), 1, ['s1']],
  ['one after the other, whatever it waits for', stateOf(['s1']), 1, ['s2']],
  ['none beside one at work', stateOf([], ['s1']), 1, []],
  ['as many as there are jobs', stateOf([]), 2, ['s1', 's2']],
  ['a job is taken', stateOf([], ['s1']), 2, ['s2']],
  ['both jobs are taken', stateOf([], ['s1', 's2']), 2, []],
  ['more at work than jobs, as a run resumed with fewer has', stateOf([], ['s1', 's3', 's2']), 2, []],
  ['not what waits for one at work', stateOf([], ['s1']), 9, ['s2', 's4', 's5', 's6']],
  ['what waited for one that has ended, even failed', stateOf(['s1'], ['s2']), 9, ['s3', 's4', 's5', 's6']],
  ['all have ended', stateOf(['s1', 's2', 's3', 's4', 's5', 's6']), 9, []],
  ['none once halted', stateOf(['s1'], [], HALTED), 9, []],
  ['none once halted, with one job', stateOf(['s1'], [], HALTED), 1, []],
  ['none while a decision is awaited', stateOf([], [], ESCALATED), 9, []],
])('rule.parallel: the next steps: %s', (_, state, jobs, next) => {
  const chain = chainOf([{}, {}, { needs: ['s1'] }, {}, {}, {}]) as Chain
  expect(nextSteps(chain, dependenciesOf(chain), state, jobs)).toEqual(next)
  expect(allEnded(chain, state)).toBe(state.results.size === 6)
})
