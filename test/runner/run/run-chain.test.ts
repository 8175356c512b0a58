import { hash } from 'node:crypto'
import { existsSync, readdirSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from '../../../src/runner/log/canonical-json.ts'
import { isLinux, onlyWhere } from '../../support/only-where.ts'
import { type Bench, bench, chainOf, eventsOf, statuses } from '../support/bench.ts'

const SESSION = '01234567-89ab-4cde-8f01-23456789abcd'

/** Runs a chain up to its first event of a kind, as an interrupted one. */
async function upTo(here: Bench, kind: string, chain: object, more: Parameters<Bench['run']>[1] = {}) {
  const cancel = new AbortController()
  return here.run(chain, {
    ...more,
    signal: cancel.signal,
    onEvent: event => event.event === kind && cancel.abort('SIGINT'),
  })
}

describe('rule.auditLog: what a run begins with', () => {
  test('stands in its first line', async () => {
    const here = bench()
    const report = here.write(join(here.place.project, 'r.md'), 'text')
    here.place.env.CLAUDE_CODE_SESSION_ID = SESSION
    const inputs = [
      { name: 'b', type: 'path' },
      { name: 'a', type: 'integer', default: 3 },
    ]
    const ran = await here.run(chainOf([{}, {}], { inputs, budget: { max_model_calls: 9 } }), {
      inputs: { b: 'r.md' },
      authors: { b: 'OpenAI' },
      jobs: 2,
    })
    expect(ran.events[0]).toMatchObject({
      ...{ event: 'run_started', seq: 1, run_id: ran.summary.runId, chain: 'sample', chain_version: '1.0.0' },
      ...{ inputs: { a: 3, b: report }, files: { b: hash('sha256', 'text') }, authors: { b: 'OpenAI' } },
      inputs_sha256: hash('sha256', canonicalJson({ a: 3, b: report })),
      ...{ primary: 'claude', primary_family: 'Anthropic', project: here.place.project, jobs: 2 },
      ...{ log_path: ran.summary.logPath, max_model_calls: 9, session_id: SESSION, program: 'test' },
    })
    expect(ran.events.at(-1)).toMatchObject({ event: 'chain_complete', model_calls: 2, budget_remaining: 7 })
    expect(ran.summary).toMatchObject({ chain: 'sample', reason: null, budgetRemaining: 7, refused: false })
  })

  test.each([undefined, '', 'no session', `../${SESSION}`])('%j is no session', async id => {
    const here = bench()
    if (id !== undefined) here.place.env.CLAUDE_CODE_SESSION_ID = id
    const { events } = await here.run(chainOf([{ run_if: false }]))
    expect(events[0]).toMatchObject({ session_id: null, max_model_calls: null })
  })

  onlyWhere(isLinux, 'looks into /proc')(
    'the log is closed as the run ends, and nothing is left beside it',
    async () => {
      const here = bench()
      const open = (path: string) =>
        readdirSync('/proc/self/fd').filter(fd => {
          try {
            return readlinkSync(`/proc/self/fd/${fd}`).startsWith(realpathSync(dirname(path)))
          } catch {
            return false
          }
        }).length
      const whole = await here.run(chainOf([{ run_if: false }]))
      expect(open(whole.summary.logPath)).toBe(0)
      const path = whole.summary.logPath
      expect(readdirSync(dirname(path))).toEqual([basename(path)])
      const cut = await upTo(here, 'step_completed', chainOf([{}, {}]))
      expect([cut.summary.isResumable, open(cut.summary.logPath)]).toEqual([true, 0])
      await here.resume(cut.summary.logPath)
      expect(open(cut.summary.logPath)).toBe(0)
      expect(readdirSync(dirname(path)).filter(name => !name.endsWith('.jsonl'))).toEqual([])
    },
  )
})

describe('rule.summary: how a run ends', () => {
  test('interrupted when all has ended, or when it has halted, it is complete', async () => {
    for (const [chain, status] of [
      [chainOf([{}]), 'succeeded'],
      [chainOf([{ retry: 0 }, {}]), 'halted'],
    ] as const) {
      const here = bench()
      here.rules(status === 'halted' ? { exit: 1 } : {})
      const ran = await upTo(here, 'step_completed', chain)
      expect(ran.summary).toMatchObject({ status, isResumable: false })
      expect(ran.events.at(-1)?.event).toBe('chain_complete')
    }
  })

  test('what stops the log ends what is at work, and is what is told', async () => {
    const here = bench()
    here.rules({ when: 'part 1', hang: true }, {})
    const fails = here.run(chainOf([{}, {}]), {
      jobs: 2,
      onEvent(event) {
        if (event.event === 'step_completed') throw new Error('first')
      },
    })
    await expect(fails).rejects.toThrow('first')
    for (const { pid } of here.calls()) expect(() => process.kill(pid, 0)).toThrow()
  })

  test('a step that did not run, was left out or blocked has no agent, no attempt and no time', async () => {
    const here = bench()
    here.rules({ when: 'part 1', exit: 1 }, {})
    const steps = [
      { on_failure: 'continue' },
      { instruction: '{{ steps.s1.output }}' },
      { run_if: false, instruction: '{{ steps.s1.output }}' },
      { instruction: '{{ steps.s3.output }}' },
      { run_if: '{{ steps.s1.output }} == null' },
    ]
    const before = Date.now()
    const ran = await here.run(chainOf(steps))
    expect(statuses(ran)).toBe('failed blocked skipped blocked succeeded')
    const none = { attempts: 0, agent: null, family: null, elapsedMs: 0 }
    expect(ran.summary.steps).toMatchObject([
      { attempts: 2, agent: 'claude', family: 'Anthropic' },
      { ...none, reason: 'it reads the output of s1, which failed' },
      { ...none, reason: 'run_if does not hold' },
      { ...none, reason: 'it reads the output of s3, which skipped' },
      { attempts: 1, reason: null },
    ])
    expect(ran.summary.steps[0]?.elapsedMs).toBeLessThanOrEqual(Date.now() - before)
    expect(ran.summary.reason).toBe('3 of 5 steps failed or could not run')
  })

  test('one that waits for a decision says so, with what it has tried', async () => {
    const here = bench()
    here.rules({ exit: 1 })
    const ran = await here.run(chainOf([{ on_failure: 'escalate', retry: 2 }, {}], { outputs: { ok: true } }))
    expect(ran.summary).toMatchObject({
      ...{ status: 'halted', reason: 'step s1: agent claude: exit 1', outputs: {}, isResumable: true },
      ...{ refused: false, escalated: { step: 's1', reason: 'agent claude: exit 1' } },
      steps: [{ status: 'escalated', attempts: 3, reason: 'agent claude: exit 1' }, { status: 'not run' }],
    })
    const again = bench()
    again.rules({ say: '' })
    const asked = await again.run(chainOf([{ on_failure: 'escalate' }, {}]))
    expect(asked.summary.refused).toBe(true)
    expect(eventsOf(asked.events, 'escalated')).toMatchObject([{ refused: true }])
  })
})

describe('rule.resume: what a resumed run takes with it', () => {
  const check = { kind: 'cross_check', of: ['inputs.word'], instruction: 'So?' }
  const inputs = [{ name: 'word', type: 'string', default: 'x' }]

  test('its authors, its number of jobs and its project, unless another number is given', async () => {
    const here = bench()
    here.rules({ agent: 'codex', say: 'VERDICT: agree' }, {})
    const three = chainOf([{}, check, {}], { inputs })
    const first = await upTo(here, 'agent_called', three, { authors: { word: 'person' }, jobs: 3 })
    const most = (events: { event: string }[]) => {
      let [now, top] = [0, 0]
      for (const { event } of events) {
        if (event === 'step_started') now += 1
        if (event === 'step_completed') now -= 1
        top = Math.max(top, now)
      }
      return top
    }
    here.place.env.CLAUDE_CODE_SESSION_ID = SESSION
    const ran = await here.resume(first.summary.logPath, { jobs: 1 })
    expect(statuses(ran)).toBe('succeeded succeeded succeeded')
    const from = ran.events.findIndex(event => event.event === 'run_resumed')
    expect(most(ran.events.slice(from))).toBe(1)
    expect(ran.events[from]).toMatchObject({ session_id: SESSION, torn_bytes: 0, torn_sha256: null })
    const other = bench()
    other.rules({ agent: 'codex', say: 'VERDICT: agree' }, { waitFor: 'go' })
    const cut = await upTo(other, 'agent_called', three, { authors: { word: 'person' }, jobs: 2 })
    const going = await other.resume(cut.summary.logPath, {
      onEvent: event => event.event === 'step_completed' && writeFileSync(join(other.agents, 'go'), ''),
    })
    expect(most(going.events.slice(going.events.findIndex(event => event.event === 'run_resumed')))).toBe(2)
  })

  test('what was cut off is told, and nothing is told of what was not running', async () => {
    const here = bench()
    const first = await upTo(here, 'agent_answered', chainOf([{}, {}]))
    const ran = await here.resume(first.summary.logPath)
    expect(eventsOf(ran.events, 'step_cut_off')).toMatchObject([{ step: 's1', attempt: 1 }])
    expect(eventsOf(ran.events, 'orphan_ended')).toEqual([])
    expect(ran.summary.warnings).toEqual([])
  })

  test('a retry that was cut off is the same attempt again, told why the one before it was refused', async () => {
    const here = bench()
    here.rules({ times: 1, say: '' }, {})
    const cancel = new AbortController()
    const first = await here.run(chainOf([{ retry: 1 }, {}]), {
      signal: cancel.signal,
      onEvent: event => event.event === 'step_started' && event.attempt === 2 && cancel.abort('SIGINT'),
    })
    const ran = await here.resume(first.summary.logPath)
    expect(eventsOf(ran.events, 'step_started').map(one => `${one.step} ${one.attempt}`)).toEqual([
      ...['s1 1', 's1 2', 's1 2', 's2 1'],
    ])
    expect(here.calls()[1]?.prompt).toContain('was refused: the answer is empty')
    expect(ran.summary.steps[0]).toMatchObject({ status: 'succeeded', attempts: 2 })
    const hashes = eventsOf(ran.events, 'step_started').map(one => one.input_sha256)
    expect(new Set(hashes.slice(0, 3)).size).toBe(1)
    expect(hashes[3]).not.toBe(hashes[0])
  })

  test('a refused one changes nothing, and leaves no lock that is in the way', async () => {
    const here = bench()
    const first = await upTo(here, 'step_completed', chainOf([{}, {}]))
    await expect(here.resume(first.summary.logPath, { decisions: { s1: 'halt' } })).rejects.toThrow(
      /no decision/,
    )
    expect(statuses(await here.resume(first.summary.logPath))).toBe('succeeded succeeded')
    expect(existsSync(`${first.summary.logPath}.lock`)).toBe(false)
  })
})
