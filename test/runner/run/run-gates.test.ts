import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { agentCommand, bench, chainOf, eventsOf, statuses } from '../support/bench.ts'

const shell = (script: string, more: object = {}) => ({
  type: 'bash_exit_code',
  shell: 'sh',
  script,
  on_fail: 'halt',
  ...more,
})
const good = { type: 'ai_cross_check', instruction: 'Good? {{ steps.s1.output }}', on_fail: 'halt' }

describe('rule.gatePolicy: gates in their order', () => {
  test('each is logged with its place, its name and the attempt, up to the one that ends the attempt', async () => {
    const here = bench()
    here.rules({ say: 'fine' })
    const gates = [
      shell('true', { name: 'first' }),
      shell('exit 1', { on_fail: 'warn' }),
      shell('test -e again || { touch again; exit 1; }', { on_fail: 'retry' }),
      shell('touch last', { name: 'last' }),
    ]
    const ran = await here.run(chainOf([{ gates }, {}]))
    expect(statuses(ran)).toBe('succeeded succeeded')
    expect(
      eventsOf(ran.events, 'gate').map(
        one => `${one.attempt} ${one.gate} ${one.name} ${one.passed} ${one.on_fail}`,
      ),
    ).toEqual([
      ...['1 0 first true halt', '1 1 bash_exit_code false warn', '1 2 bash_exit_code false retry'],
      ...[
        '2 0 first true halt',
        '2 1 bash_exit_code false warn',
        '2 2 bash_exit_code true retry',
        '2 3 last true halt',
      ],
    ])
    expect(ran.summary.steps[0]).toMatchObject({ attempts: 2 })
    expect(here.calls()[1]?.prompt).toContain('refused: gate bash_exit_code: the sh script: exit 1, not 0')
    expect(eventsOf(ran.events, 'command_started').map(one => one.gate)).toEqual([0, 1, 2, 0, 1, 2, 3])
    expect(eventsOf(ran.events, 'command_ended').map(one => one.gate)).toEqual([0, 1, 2, 0, 1, 2, 3])
  })

  test('retry that is used up goes by on_failure, halt does not', async () => {
    for (const [on_fail, status, calls] of [
      ['retry', 'failed succeeded', 3],
      ['halt', 'failed not run', 1],
    ] as const) {
      const here = bench()
      const ran = await here.run(
        chainOf([{ on_failure: 'continue', gates: [shell('exit 1', { on_fail, name: 'no' })] }, {}]),
      )
      expect([statuses(ran), here.calls().length]).toEqual([status, calls])
      expect(eventsOf(ran.events, 'step_completed')[0]).toMatchObject({
        ...{ refused: true, halts: on_fail === 'halt', reason: 'gate no: the sh script: exit 1, not 0' },
        ...{ output: null, output_sha256: null, agent: 'claude', family: 'Anthropic' },
      })
      expect(ran.summary.refused).toBe(on_fail === 'halt')
    }
  })
})

describe('rule.gates: what a gate sees', () => {
  test('the answer of its own step, the folder of the project and the environment without a repository', async () => {
    const here = bench()
    here.rules({ when: 'part 1', say: 'one' }, { say: 'two' })
    Object.assign(here.place.env, { GIT_DIR: 'x', MINE: 'mine' })
    const see = (to: string) =>
      shell(`echo "$(pwd -P) $MINE [$GIT_DIR] $OWN $OTHER" > ${to}`, {
        env: { OWN: '{{ steps.s2.output }}', OTHER: '{{ steps.s1.output }}' },
      })
    const ran = await here.run(chainOf([{}, { gates: [see('seen')] }]))
    expect(statuses(ran)).toBe('succeeded succeeded')
    expect(readFileSync(join(here.place.project, 'seen'), 'utf8')).toBe(
      `${here.place.project} mine [] two one\n`,
    )
  })

  test('what its command says holds no secret', async () => {
    const here = bench()
    here.place.env.API_KEY = 'hunter2-hunter2'
    const { summary } = await here.run(chainOf([{ gates: [shell('echo "$API_KEY" >&2; exit 1')] }, {}]))
    expect(summary.reason).toBe(
      'step s1: gate bash_exit_code: the sh script: exit 1, not 0: [redacted API_KEY]',
    )
  })

  test('rule.verifierIndependence: who verifies is of another family than who answered, not only than the primary', async () => {
    const here = bench()
    const families = { claude: 'Anthropic', codex: 'OpenAI', grok: 'xAI' }
    here.settings({
      agents: Object.fromEntries(
        Object.entries(families).map(([name, family]) => [name, agentCommand(name, here.agents, family)]),
      ),
    })
    here.rules({ agent: 'grok', say: 'VERDICT: pass' }, { agent: 'codex', say: 'VERDICT: agree' }, {})
    const gate = { ...good, instruction: 'Good?' }
    const check = { kind: 'cross_check', of: ['steps.s1'], instruction: 'So?', gates: [gate] }
    const ran = await here.run(chainOf([{}, check]))
    expect(statuses(ran)).toBe('succeeded succeeded')
    expect(eventsOf(ran.events, 'routed')).toMatchObject([
      { purpose: 'step', agent: 'codex', authors: { 'steps.s1': 'Anthropic' } },
      {
        purpose: 'gate',
        agent: 'grok',
        excluded: ['Anthropic', 'OpenAI'],
        authors: { 'steps.s2': 'OpenAI' },
      },
    ])
    expect(eventsOf(ran.events, 'agent_called').map(one => `${one.purpose} ${one.agent}`)).toEqual([
      'step claude',
      'step codex',
      'gate grok',
    ])
  })

  test('a person is no family that is logged as an author', async () => {
    const here = bench()
    here.rules({ agent: 'codex', say: 'VERDICT: pass' }, {})
    const gate = { ...good, instruction: 'Good? {{ inputs.word }}' }
    const inputs = [{ name: 'word', type: 'string', default: 'x' }]
    const ran = await here.run(chainOf([{ gates: [gate] }, {}], { inputs }), { authors: { word: 'person' } })
    expect(eventsOf(ran.events, 'routed')).toMatchObject([
      { excluded: ['Anthropic'], authors: { 'steps.s1': 'Anthropic' } },
    ])
    expect(eventsOf(ran.events, 'routed')[0]?.authors).not.toHaveProperty('inputs.word')
  })
})

test('rule.interrupt: what a gate came to as the person interrupts does not count', async () => {
  const here = bench()
  const cancel = new AbortController()
  const ran = await here.run(chainOf([{ gates: [shell('true'), shell('touch after')] }, {}]), {
    signal: cancel.signal,
    onEvent: event => event.event === 'command_ended' && cancel.abort('SIGINT'),
  })
  expect([eventsOf(ran.events, 'gate'), ran.summary.isResumable]).toEqual([[], true])
  expect(existsSync(join(here.place.project, 'after'))).toBe(false)
})

describe('rule.verification: how often and with what', () => {
  const verified = (more: object = {}) => chainOf([{ instruction: 'Say it.', verification: {}, ...more }, {}])

  test.each<[string, object, number, string]>([
    ['once more unless the step says otherwise', {}, 2, 'halted'],
    ['as often as the step says', { retry: 2 }, 3, 'halted'],
    ['never', { retry: 0 }, 1, 'halted'],
  ])('%s', async (_, more, times, status) => {
    const here = bench()
    // An answer that is refused for its form is one that could not be compared.
    here.rules({ agent: 'codex', say: '' }, {})
    const ran = await here.run(verified(more))
    const attempts = ('retry' in more ? (more.retry as number) : 1) + 1
    expect([ran.summary.status, here.calls('codex').length]).toEqual([status, times * attempts])
    expect(ran.summary.reason).toBe('step s1: verification: agent codex: the answer is empty')
    expect(ran.summary.refused).toBe(true)
  })

  test('after one that failed the next one counts', async () => {
    for (const first of [{ exit: 1 }, { say: '' }]) {
      const here = bench()
      here.rules({ agent: 'codex', times: 1, ...first }, { agent: 'codex', say: 'other' }, { say: 'one' })
      const ran = await here.run(verified())
      expect(statuses(ran)).toBe('succeeded succeeded')
      expect([here.calls('codex').length, here.calls('claude').length]).toEqual([2, 2])
      expect(eventsOf(ran.events, 'verification')).toMatchObject([
        {
          step: 's1',
          agent: 'codex',
          family: 'OpenAI',
          diverged: true,
          other: 'other',
          detail: expect.stringMatching(/^codex \(OpenAI\): /),
        },
      ])
    }
  })

  test('it has the time of the step, and a retried step is verified by what is asked, not by why it was refused', async () => {
    const here = bench()
    here.rules({ agent: 'codex', hang: true }, {})
    const ran = await here.run(verified({ retry: 0, timeout: '1s' }))
    expect(ran.summary.reason).toBe('step s1: verification: agent codex: no answer within 1 s')
    const again = bench()
    again.rules({ agent: 'claude', times: 1, say: '' }, {})
    await again.run(verified())
    expect(again.calls('claude')[1]?.prompt).toContain('refused')
    expect(again.calls('codex').map(one => one.prompt)).toEqual(['Say it.\n'])
  })
})
