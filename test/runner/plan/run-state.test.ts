import { describe, expect, test } from 'vitest'
import type { RunEvent } from '../../../src/runner/log/event.ts'
import { BEFORE_START, type RunState, stateAfter, stateOf } from '../../../src/runner/plan/run-state.ts'

const result = {
  ...{ status: 'succeeded' as const, reason: null, output: { text: 'x', value: 'x' }, attempts: 1 },
  ...{ elapsedMs: 5, agent: 'claude', family: 'Anthropic' as const },
}
/** A state in which every part holds something, of the step of an event and of another one. */
const BUSY: RunState = {
  results: new Map([['s0', result]]),
  inFlight: new Map([
    ['s1', 1],
    ['s2', 4],
  ]),
  refusals: new Map([
    ['s1', { count: 2, reason: 'last time' }],
    ['s2', { count: 1, reason: 'other' }],
  ]),
  halted: null,
  escalated: null,
  worktrees: [
    { step: 's1', path: '/w/1', base: 'b1' },
    { step: 's1', path: '/w/2', base: 'b2' },
  ],
  modelCalls: 3,
  warnings: ['first'],
  processes: [
    { step: 's1', what: 'step', pid: 10, identity: 'a' },
    { step: 's1', what: 'verification', pid: 11, identity: 'b' },
    { step: 's1', what: 'gate 0', pid: 12, identity: null },
    { step: 's1', what: 'gate 1', pid: 13, identity: null },
    { step: 's2', what: 'step', pid: 14, identity: 'c' },
    { step: 's2', what: 'gate 0', pid: 15, identity: 'd' },
  ],
}
const HALTED: RunState = { ...BUSY, halted: { reason: 'step s0: before', refused: false } }
const ESCALATED: RunState = { ...BUSY, escalated: { step: 's1', reason: 'asked', refused: true } }

const gate = (passed: boolean, on_fail: 'halt' | 'retry' | 'warn'): RunEvent => ({
  ...{ event: 'gate', step: 's1', attempt: 1, gate: 0, type: 'file_exists', name: 'there' },
  ...{ passed, on_fail, detail: 'what was found' },
})
const verification = (diverged: boolean): RunEvent => ({
  ...{ event: 'verification', step: 's1', agent: 'codex', family: 'OpenAI' },
  ...{ diverged, detail: 'the answers diverge', other: null },
})
const completed = (halts: boolean, refused: boolean): RunEvent => ({
  ...{ event: 'step_completed', step: 's1', status: 'failed', reason: 'no', output: { text: 't', value: 1 } },
  ...{ output_sha256: 'hash', attempts: 7, elapsed_ms: 80, agent: 'codex', family: 'OpenAI', halts, refused },
})
const withResult = (id: string, one: object) => new Map([...BUSY.results, [id, one]]) as RunState['results']
const CAME_TO = {
  ...{ status: 'failed', reason: 'no', output: { text: 't', value: 1 }, attempts: 7 },
  ...{ elapsedMs: 80, agent: 'codex', family: 'OpenAI' },
}
const failedBy = (reason: string, attempts: number) => ({
  ...{ status: 'failed', reason, output: null, attempts, elapsedMs: 0, agent: null, family: null },
})
const onlyS2 = new Map([['s2', 4]])
const decision = (what: 'retry' | 'continue' | 'halt', step = 's1'): RunEvent => ({
  ...{ event: 'decision', step, decision: what, by: 'option' },
})
const agentStarted: RunEvent = {
  ...{ event: 'agent_started', step: 's3', purpose: 'verification', pid: 20, identity: 'e' },
}
const answered = (step: string, purpose: 'step' | 'verification'): RunEvent => ({
  ...{ event: 'agent_answered', step, purpose, ok: true, exit: 0, bytes: 1, elapsed_ms: 1 },
  ...{ output_sha256: '', problem: null },
})
const called: RunEvent = {
  ...{ event: 'agent_called', step: 's1', purpose: 'step', agent: 'claude', family: 'Anthropic' },
  ...{ prompt_sha256: '', skill: null },
}
const started: RunEvent = {
  ...{ event: 'step_started', step: 's1', attempt: 3, input_sha256: '', agent: 'claude' },
  ...{ family: 'Anthropic', skill: null },
}
const failedAttempt = (step: string): RunEvent => ({
  ...{ event: 'attempt_failed', step, attempt: 1, reason: 'this time', retries_left: 0 },
})
const without = (...pids: number[]) => BUSY.processes.filter(({ pid }) => !pids.includes(pid))

describe('rule.auditLog: the state that an event leads to, and nothing else of it changes', () => {
  test.each<[string, RunState, RunEvent, Partial<RunState>]>([
    ['a step begins at its attempt', BUSY, started, { inFlight: new Map([...BUSY.inFlight, ['s1', 3]]) }],
    ['a step was cut off', BUSY, { event: 'step_cut_off', step: 's1', attempt: 1 }, { inFlight: onlyS2 }],
    [
      'a step ends and the run goes on',
      BUSY,
      completed(false, true),
      { inFlight: onlyS2, results: withResult('s1', CAME_TO) },
    ],
    [
      'a step ends and halts the run',
      BUSY,
      completed(true, false),
      {
        ...{ inFlight: onlyS2, results: withResult('s1', CAME_TO) },
        halted: { reason: 'step s1: no', refused: false },
      },
    ],
    [
      'a check halts the run',
      BUSY,
      completed(true, true),
      {
        ...{ inFlight: onlyS2, results: withResult('s1', CAME_TO) },
        halted: { reason: 'step s1: no', refused: true },
      },
    ],
    [
      'a second halt does not hide the first',
      HALTED,
      completed(true, true),
      { inFlight: onlyS2, results: withResult('s1', CAME_TO) },
    ],
    [
      'a step waits for a decision',
      BUSY,
      { event: 'escalated', step: 's1', reason: 'why', refused: true },
      { inFlight: onlyS2, escalated: { step: 's1', reason: 'why', refused: true } },
    ],
    [
      'the first that waits is asked about first',
      ESCALATED,
      { event: 'escalated', step: 's2', reason: 'why', refused: false },
      { inFlight: new Map([['s1', 1]]) },
    ],
    [
      'a second attempt fails',
      BUSY,
      failedAttempt('s1'),
      { refusals: new Map([...BUSY.refusals, ['s1', { count: 3, reason: 'this time' }]]) },
    ],
    [
      'a first attempt fails',
      BUSY,
      failedAttempt('s3'),
      { refusals: new Map([...BUSY.refusals, ['s3', { count: 1, reason: 'this time' }]]) },
    ],
    [
      'the person says retry',
      ESCALATED,
      decision('retry'),
      { escalated: null, refusals: new Map([['s2', { count: 1, reason: 'other' }]]) },
    ],
    [
      'the person says continue',
      ESCALATED,
      decision('continue'),
      { escalated: null, results: withResult('s1', failedBy('asked', 2)) },
    ],
    [
      'the person says halt',
      ESCALATED,
      decision('halt'),
      {
        ...{ escalated: null, results: withResult('s1', failedBy('asked', 2)) },
        halted: { reason: 'step s1: asked', refused: true },
      },
    ],
    [
      'a decision without its question goes by the last refusal',
      BUSY,
      decision('halt'),
      {
        results: withResult('s1', failedBy('last time', 2)),
        halted: { reason: 'step s1: last time', refused: false },
      },
    ],
    [
      'a decision about a step of which nothing is known',
      HALTED,
      decision('continue', 's3'),
      { results: withResult('s3', failedBy('failed', 0)) },
    ],
    [
      'a worktree is made',
      BUSY,
      { event: 'worktree_opened', step: 's3', path: '/w/3', base: 'b3' },
      { worktrees: [...BUSY.worktrees, { step: 's3', path: '/w/3', base: 'b3' }] },
    ],
    [
      'a worktree is removed',
      BUSY,
      { event: 'worktree_removed', step: 's1', path: '/w/1' },
      { worktrees: BUSY.worktrees.slice(1) },
    ],
    [
      'a worktree is kept, and that is told',
      BUSY,
      { event: 'worktree_kept', step: 's1', path: '/w/2', reason: 'changes' },
      { worktrees: BUSY.worktrees.slice(0, 1), warnings: ['first', 'worktree kept at /w/2: changes'] },
    ],
    ['an agent is called', BUSY, called, { modelCalls: 4 }],
    [
      'an agent starts',
      BUSY,
      agentStarted,
      {
        processes: [...BUSY.processes, { step: 's3', what: 'verification', pid: 20, identity: 'e' }],
      },
    ],
    ['the agent of a step answers', BUSY, answered('s1', 'step'), { processes: without(10) }],
    ['a verifier answers', BUSY, answered('s1', 'verification'), { processes: without(11) }],
    [
      'the command of a gate starts',
      BUSY,
      { event: 'command_started', step: 's3', gate: 2, pid: 21, identity: null },
      { processes: [...BUSY.processes, { step: 's3', what: 'gate 2', pid: 21, identity: null }] },
    ],
    [
      'the command of a gate ends',
      BUSY,
      { event: 'command_ended', step: 's1', gate: 1 },
      { processes: without(13) },
    ],
    [
      'the run is resumed',
      BUSY,
      { event: 'run_resumed', session_id: null, torn_bytes: 0, torn_sha256: null },
      { processes: [] },
    ],
    ['a gate passes', BUSY, gate(true, 'warn'), {}],
    ['a gate that halts fails', BUSY, gate(false, 'halt'), {}],
    ['a gate that retries fails', BUSY, gate(false, 'retry'), {}],
    [
      'a gate that warns fails',
      BUSY,
      gate(false, 'warn'),
      { warnings: ['first', 'step s1: gate there: what was found'] },
    ],
    ['a verifier agrees', BUSY, verification(false), {}],
    [
      'a verifier diverges',
      BUSY,
      verification(true),
      { warnings: ['first', 'step s1: the answers diverge'] },
    ],
    ['a warning', BUSY, { event: 'warning', step: 's1', text: 'look' }, { warnings: ['first', 'look'] }],
    ['an interruption', BUSY, { event: 'run_interrupted', signal: 'SIGINT' }, {}],
    ['what was left running is ended', BUSY, { event: 'orphan_ended', step: 's1', pid: 10 }, {}],
  ])('%s', (_, before, event, changes) => {
    const copy = structuredClone(before)
    expect(stateAfter(before, event)).toEqual({ ...before, ...changes })
    expect(before, 'the state before is left as it is').toEqual(copy)
  })

  test('events are taken one after the other, from nothing', () => {
    expect(stateOf([])).toEqual(BEFORE_START)
    const events = [called, failedAttempt('s1'), started, failedAttempt('s1'), called, called]
    expect(stateOf(events.map((event, index) => ({ ...event, seq: index + 1, at: '' })))).toEqual({
      ...BEFORE_START,
      modelCalls: 3,
      inFlight: new Map([['s1', 3]]),
      refusals: new Map([['s1', { count: 2, reason: 'this time' }]]),
    })
  })
})
