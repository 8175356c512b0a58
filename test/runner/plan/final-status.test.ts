import { describe, expect, test } from 'vitest'
import type { StepStatus } from '../../../src/runner/log/event.ts'
import { finalStatus } from '../../../src/runner/plan/final-status.ts'
import { BEFORE_START, type RunState, type StepResult } from '../../../src/runner/plan/run-state.ts'
import type { Chain } from '../../../src/runner/spec/chain-schema.ts'
import { chainOf } from '../support/bench.ts'

const ended = (...statuses: StepStatus[]): RunState => ({
  ...BEFORE_START,
  results: new Map(statuses.map((status, index) => [`s${index + 1}`, { status } as StepResult])),
})

describe('rule.summary: what a run came to', () => {
  test.each<[StepStatus[], string, string | null]>([
    [['succeeded', 'succeeded'], 'succeeded', null],
    [['succeeded', 'skipped'], 'succeeded', null],
    [['skipped', 'skipped'], 'succeeded', null],
    [['failed', 'succeeded'], 'partial', '1 of 2 steps failed or could not run'],
    [['succeeded', 'blocked'], 'partial', '1 of 2 steps failed or could not run'],
    [['failed', 'blocked', 'succeeded'], 'partial', '2 of 3 steps failed or could not run'],
    [['failed', 'failed'], 'failed', '2 of 2 steps failed or could not run'],
    [['failed', 'blocked', 'skipped'], 'failed', '2 of 3 steps failed or could not run'],
    [['skipped', 'blocked'], 'failed', '1 of 2 steps failed or could not run'],
    [['skipped', 'failed'], 'failed', '1 of 2 steps failed or could not run'],
  ])('%j', (statuses, status, reason) => {
    const chain = chainOf(statuses.map(() => ({}))) as Chain
    expect(finalStatus(chain, ended(...statuses))).toEqual({ status, reason })
  })

  test.each<[StepStatus[]]>([[['succeeded', 'succeeded']], [['succeeded', 'failed']], [['failed']]])(
    'halted, whatever its steps came to: %j',
    statuses => {
      const state = { ...ended(...statuses), halted: { reason: 'step s2: why', refused: true } }
      expect(finalStatus(chainOf([{}, {}, {}]) as Chain, state)).toEqual({
        status: 'halted',
        reason: 'step s2: why',
      })
    },
  )
})
