import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { chainProgress } from '../../src/cli/output/chain-progress.ts'
import { displayWidth } from '../../src/hostile-text/display-width.ts'
import type { LoggedEvent, RunEvent } from '../../src/runner/log/event.ts'

const CLEAR = '\r\x1b[2K'
const NOW = Date.parse('2026-11-01T10:00:00.000Z')

beforeEach(() => void vi.useFakeTimers({ now: NOW }))
afterEach(() => void vi.useRealTimers())

/** An event that happened so many seconds ago. */
function event(what: Partial<RunEvent> & { event: RunEvent['event'] }, ago = 0): LoggedEvent {
  return { seq: 1, at: new Date(Date.now() - ago * 1000).toISOString(), ...what } as LoggedEvent
}

const started = (step: string, attempt = 1, ago = 0) =>
  event({ event: 'step_started', step, attempt, agent: 'claude', skill: null }, ago)
const completed = (step: string) =>
  event({ event: 'step_completed', step, status: 'succeeded', reason: null })

function progress(columns: number | null, steps = ['one', 'two', 'three']) {
  const written: string[] = []
  const shown = chainProgress(steps, text => written.push(text), columns === null ? null : { columns })
  return { ...shown, take: () => written.splice(0).join('') }
}

describe('a line for each thing that happened', () => {
  const gate = { event: 'gate', step: 'two', name: 'tests', detail: 'exit 1' } as const
  it.each<[Partial<RunEvent> & { event: RunEvent['event'] }, string]>([
    [
      { event: 'step_started', step: 'one', attempt: 1, agent: 'claude', skill: null },
      'step 1/3 one: claude',
    ],
    [
      {
        event: 'step_started',
        step: 'three',
        attempt: 1,
        agent: 'a',
        skill: { reference: 'p:s@1', path: '', sha256: '' },
      },
      'step 3/3 three: p:s@1',
    ],
    [
      { event: 'step_started', step: 'one', attempt: 3, agent: 'claude', skill: null },
      'step 1/3 one: retry 2',
    ],
    [{ event: 'attempt_failed', step: 'two', reason: 'no JSON' }, 'step 2/3 two: refused: no JSON'],
    [{ ...gate, passed: true, on_fail: 'halt' }, 'step 2/3 two: gate tests passed: exit 1'],
    [{ ...gate, passed: false, on_fail: 'warn' }, 'step 2/3 two: gate tests warning: exit 1'],
    [{ ...gate, passed: false, on_fail: 'halt' }, 'step 2/3 two: gate tests failed, halt: exit 1'],
    [{ ...gate, passed: false, on_fail: 'retry' }, 'step 2/3 two: gate tests failed, retry: exit 1'],
    [{ event: 'verification', step: 'two', detail: 'the same' }, 'step 2/3 two: the same'],
    [{ event: 'step_completed', step: 'two', status: 'succeeded', reason: null }, 'step 2/3 two: succeeded'],
    [
      { event: 'step_completed', step: 'two', status: 'blocked', reason: 'no one' },
      'step 2/3 two: blocked: no one',
    ],
    [{ event: 'worktree_kept', step: 'two', path: '/w', reason: 'changes' }, 'worktree kept at /w: changes'],
    [{ event: 'step_cut_off', step: 'two', attempt: 1 }, 'step 2/3 two: was cut off and begins again'],
    [
      { event: 'orphan_ended', step: 'two', pid: 77 },
      'step 2/3 two: ended what the crash had left running (process 77)',
    ],
    [{ event: 'escalated', step: 'two', reason: 'which?' }, 'step 2/3 two: escalated: which?'],
    [{ event: 'warning', step: null, text: 'beware' }, 'warning: beware'],
  ])('%j', (what, line) => {
    const shown = progress(null)
    shown.event(event(what))
    expect(shown.take()).toBe(`${line}\n`)
  })

  it.each<RunEvent['event']>(['run_started', 'agent_called', 'agent_answered', 'chain_complete', 'decision'])(
    'nothing for %s',
    name => {
      const shown = progress(null)
      shown.event(event({ event: name, step: 'one' } as never))
      expect(shown.take()).toBe('')
    },
  )

  it('case 8: hostile texts stand escaped, in the line and in the live one', () => {
    const shown = progress(200, ['\x1b[2J'])
    shown.event(started('\x1b[2J'))
    shown.event(event({ event: 'warning', step: null, text: 'a\nb\u202e' }))
    expect(shown.take().replaceAll(CLEAR, '')).toBe(
      'step 1/1 \\x1b[2J: claude\nstep 1/1 \\x1b[2J 0 swarning: a\\nb\\u{202e}\nstep 1/1 \\x1b[2J 0 s',
    )
  })

  it('without a terminal there is no live line, whatever time passes', () => {
    const shown = progress(null)
    shown.event(started('one'))
    shown.take()
    vi.advanceTimersByTime(5_000)
    shown.pause()
    shown.end()
    expect(shown.take()).toBe('')
  })
})

describe('rule.progress: the live line', () => {
  it('comes after each line, takes its own place, and is drawn again twice a second', () => {
    const shown = progress(80)
    shown.event(started('one', 1, 12.4))
    expect(shown.take()).toBe(`${CLEAR}step 1/3 one: claude\n${CLEAR}step 1/3 one 12 s`)
    vi.advanceTimersByTime(499)
    expect(shown.take()).toBe('')
    vi.advanceTimersByTime(1)
    expect(shown.take()).toBe(`${CLEAR}step 1/3 one 12 s`)
    vi.advanceTimersByTime(500)
    expect(shown.take()).toBe(`${CLEAR}step 1/3 one 13 s`)
  })

  it('counts from the first attempt of a step and tells the retry', () => {
    const shown = progress(80)
    shown.event(started('two', 1, 60))
    shown.event(started('two', 2, 10))
    expect(shown.take()).toMatch(/step 2\/3 two 60 s, retry 1$/)
  })

  it('names all steps at work, and none that is completed or escalated', () => {
    const shown = progress(80)
    for (const step of ['one', 'two', 'three']) shown.event(started(step))
    expect(shown.take()).toMatch(/2Kstep 1\/3 one 0 s · step 2\/3 two 0 s · step 3\/3 three 0 s$/)
    shown.event(completed('two'))
    expect(shown.take()).toMatch(/2Kstep 1\/3 one 0 s · step 3\/3 three 0 s$/)
    shown.event(event({ event: 'escalated', step: 'one', reason: 'r' }))
    expect(shown.take()).toMatch(/2Kstep 3\/3 three 0 s$/)
    shown.event(completed('three'))
    expect(shown.take()).toBe(`${CLEAR}step 3/3 three: succeeded\n`)
    vi.advanceTimersByTime(2_000)
    expect(shown.take()).toBe('')
  })

  it('a step that begins again after its end counts anew', () => {
    const shown = progress(80)
    shown.event(started('one', 1, 60))
    shown.event(completed('one'))
    shown.event(started('one', 1, 5))
    expect(shown.take()).toMatch(/step 1\/3 one 5 s$/)
  })

  it('is narrower than the terminal, so that it never wraps', () => {
    const shown = progress(16)
    shown.event(started('one'))
    shown.event(started('two'))
    const live = shown.take().split(CLEAR).at(-1) as string
    expect([displayWidth(live), live]).toEqual([15, 'step 1/3 one 0…'])
  })

  it('is taken away for a question and comes back with the next event', () => {
    const shown = progress(80)
    shown.event(started('one'))
    shown.take()
    shown.pause()
    expect(shown.take()).toBe(CLEAR)
    vi.advanceTimersByTime(3_000)
    expect(shown.take()).toBe('')
    shown.event(event({ event: 'agent_called', step: 'one', agent: 'a' }))
    expect(shown.take()).toBe(`${CLEAR}step 1/3 one 3 s`)
  })

  it('is gone at the end, for ever', () => {
    const shown = progress(80)
    shown.event(started('one'))
    shown.take()
    shown.end()
    expect(shown.take()).toBe(CLEAR)
    vi.advanceTimersByTime(3_000)
    expect(shown.take()).toBe('')
    expect(vi.getTimerCount()).toBe(0)
  })
})
