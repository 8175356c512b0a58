import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RunEvent } from '../../src/runner/log/event.ts'
import { dependenciesOf } from '../../src/runner/plan/dependencies.ts'
import { allEnded, nextSteps } from '../../src/runner/plan/next-steps.ts'
import { BEFORE_START, type RunState, stateAfter } from '../../src/runner/plan/run-state.ts'
import type { Chain } from '../../src/runner/spec/chain-schema.ts'
import { chainOf } from './support/bench.ts'

/** Chains in which each step may need any before it. */
const chains = fc.array(fc.array(fc.nat(), { maxLength: 3 }), { minLength: 1, maxLength: 9 }).map(
  all =>
    chainOf(
      all.map((needs, index) => ({
        needs: index === 0 ? [] : [...new Set(needs.map(number => `s${(number % index) + 1}`))],
      })),
    ) as Chain,
)

const started = (step: string): RunEvent => ({
  ...{
    event: 'step_started',
    step,
    attempt: 1,
    input_sha256: '',
    agent: 'claude',
    family: 'Anthropic',
    skill: null,
  },
})
const ended = (step: string, halts = false): RunEvent => ({
  ...{ event: 'step_completed', step, status: halts ? 'failed' : 'succeeded', reason: null, output: null },
  ...{ output_sha256: null, attempts: 1, elapsed_ms: 0, agent: null, family: null, halts, refused: false },
})

describe('rule.parallel: the planner', () => {
  test('begins each step once, when what it needs has ended, and never more than there are jobs', () => {
    fc.assert(
      fc.property(chains, fc.integer({ min: 1, max: 4 }), fc.array(fc.nat()), (chain, jobs, choices) => {
        const dependencies = dependenciesOf(chain)
        const begun: string[] = []
        let state: RunState = BEFORE_START
        for (let turn = 0; !allEnded(chain, state); turn++) {
          const next = nextSteps(chain, dependencies, state, jobs)
          for (const step of next) {
            for (const other of dependencies.get(step)?.waitsFor ?? [])
              expect(state.results.has(other)).toBe(true)
            begun.push(step)
            state = stateAfter(state, started(step))
          }
          const atWork = [...state.inFlight.keys()]
          expect(atWork.length).toBeGreaterThan(0)
          expect(atWork.length).toBeLessThanOrEqual(jobs)
          state = stateAfter(state, ended(atWork[(choices[turn] ?? 0) % atWork.length] as string))
        }
        const declared = chain.steps.map(step => step.id)
        expect([...begun].sort()).toEqual([...declared].sort())
        if (jobs === 1) expect(begun).toEqual(declared)
      }),
    )
  })

  test('begins nothing once the run is halted, or while a decision is awaited', () => {
    const chain = chainOf([{}, {}, {}]) as Chain
    const plan = (state: RunState) => nextSteps(chain, dependenciesOf(chain), state, 4)
    expect(plan(BEFORE_START)).toEqual(['s1', 's2', 's3'])
    expect(plan(stateAfter(BEFORE_START, ended('s1', true)))).toEqual([])
    const waiting = stateAfter(BEFORE_START, { event: 'escalated', step: 's1', reason: 'x', refused: false })
    expect(plan(waiting)).toEqual([])
    const again = stateAfter(waiting, { event: 'decision', step: 's1', decision: 'retry', by: 'option' })
    expect(plan(again)).toEqual(['s1', 's2', 's3'])
  })
})
