import { describe, expect, it } from 'vitest'
import { chainSummary } from '../../src/cli/output/chain-summary.ts'
import type { RunSummary } from '../../src/runner/run/run-summary.ts'

const step = {
  id: 'draft',
  status: 'succeeded',
  attempts: 1,
  agent: 'claude',
  family: 'Anthropic',
  elapsedMs: 12_345,
  reason: null,
} as const

function summary(more: Partial<RunSummary> = {}): RunSummary {
  return {
    runId: 'run-1',
    chain: 'write',
    status: 'succeeded',
    reason: null,
    outputs: {},
    steps: [step],
    warnings: [],
    modelCalls: 3,
    budgetRemaining: null,
    logPath: '/logs/run-1.jsonl',
    head: 'abc',
    isResumable: false,
    escalated: null,
    refused: false,
    ...more,
  }
}

const linesOf = (more: Partial<RunSummary>, width?: number) => chainSummary(summary(more), width).split('\n')

describe('rule.summary', () => {
  it('is a headline, the outputs, the steps, the log, the warnings and the budget', () => {
    const text = chainSummary(
      summary({
        status: 'partial',
        reason: 'two failed',
        outputs: { text: 'a\nb', none: null, list: [1], empty: '' },
        steps: [
          step,
          { ...step, id: 'check', status: 'failed', attempts: 2, elapsedMs: 60_000, reason: 'gate' },
          { ...step, id: 'wait', status: 'escalated', agent: null, family: null, attempts: 0, elapsedMs: 5 },
          { ...step, id: 'rest', status: 'not run', agent: null, family: null, attempts: 0, elapsedMs: 5 },
        ],
        warnings: ['first', 'second'],
        budgetRemaining: 0,
      }),
      undefined,
    )
    expect(text).toBe(`partial: write (two failed)

text:
  a
  b
none:
  (no output)
list:
  [
    1
  ]
empty:
  

step   result     attempts  agent               elapsed  reason
draft  succeeded         1  claude (Anthropic)  12.3 s
check  failed            2  claude (Anthropic)  60.0 s   gate
wait   escalated         0
rest   not run           0

audit log    /logs/run-1.jsonl
             last line abc
warnings     first
             second
model calls  3 made, 0 left of the budget
`)
  })

  it('leaves out what there is not', () => {
    expect(linesOf({})).toEqual([
      'succeeded: write',
      '',
      'step   result     attempts  agent               elapsed  reason',
      'draft  succeeded         1  claude (Anthropic)  12.3 s',
      '',
      'audit log    /logs/run-1.jsonl',
      '             last line abc',
      'warnings     none',
      'model calls  3 made, no budget set',
      '',
    ])
  })

  it('says how to go on: with a decision, without one, or not at all', () => {
    const escalated = { step: 'draft', reason: 'which?' }
    const decide = 'decide       coord chain resume run-1 --decide draft=retry|continue|halt'
    expect(linesOf({ escalated, isResumable: true }).slice(-2)).toEqual([decide, ''])
    expect(linesOf({ escalated }).slice(-2)).toEqual([decide, ''])
    expect(linesOf({ isResumable: true }).slice(-2)).toEqual(['go on        coord chain resume run-1', ''])
    expect(linesOf({}).join()).not.toContain('resume')
  })

  it('fits its table to the terminal', () => {
    const steps = [{ ...step, reason: 'a long reason, of many words, that goes on' }]
    for (const line of linesOf({ steps }, 60)) expect(line.length).toBeLessThanOrEqual(60)
    expect(linesOf({ steps }).join()).toContain('that goes on')
  })

  it('case 8: no text of a run reaches the terminal raw', () => {
    const hostile = '\x1b[2J\u202e'
    const text = chainSummary(
      summary({
        chain: `c${hostile}`,
        reason: `r${hostile}`,
        outputs: { [`o${hostile}`]: `v\n${hostile}`, deep: { a: hostile } },
        steps: [{ ...step, id: hostile, agent: hostile, reason: hostile }],
        warnings: [hostile, hostile],
        logPath: `/p${hostile}`,
      }),
      undefined,
    )
    expect(text).not.toMatch(/[^\n\x20-\x7e]/)
    expect(text.match(/\\x1b\[2J\\u\{202e\}/g)).toHaveLength(10)
  })
})
