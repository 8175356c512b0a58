import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { liveLine } from '../../src/cli/output/chain-progress.ts'
import { agentCommand, bench, chainOf, eventsOf, type Rule, statuses } from './support/bench.ts'

const JSON_FORM = {
  type: 'json',
  schema: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } },
}

describe('rule.outputSchema: an answer fits the declared form or the step has failed', () => {
  test.each<[string, object, string, boolean, unknown]>([
    ['text', { type: 'text' }, ' some words \n', true, 'some words'],
    ['text that is empty', { type: 'text' }, ' \n', false, /the answer is empty/],
    ['json', JSON_FORM, '{"n": 1}', true, { n: 1 }],
    ['json in a fence', JSON_FORM, '```json\n{"n": 1}\n```\n', true, { n: 1 }],
    ['json with words around', JSON_FORM, 'Here: {"n": 1}', false, /is not JSON/],
    ['json of another shape', JSON_FORM, '{"n": "one"}', false, /\/n must be integer/],
    ['json without a field', JSON_FORM, '{}', false, /required property 'n'/],
    ['jsonl', { type: 'jsonl', schema: { type: 'integer' } }, '1\n2\n\n3', true, [1, 2, 3]],
    ['jsonl with a bad line', { type: 'jsonl' }, '1\nx\n', false, /line 2 is not JSON/],
    [
      'jsonl of another shape',
      { type: 'jsonl', schema: { type: 'integer' } },
      '1\n"a"',
      false,
      /line 2: .*must be integer/,
    ],
    [
      'structured-text',
      { type: 'structured-text', output_anchor: '^RESULT: (?<word>\\w+)$' },
      'so\nRESULT: good\n',
      true,
      'so\nRESULT: good',
    ],
    [
      'structured-text without its anchor',
      { type: 'structured-text', output_anchor: '^RESULT: (?<word>\\w+)$' },
      'good',
      false,
      /output_anchor/,
    ],
  ])('%s', async (_, output_schema, say, fits, expected) => {
    const here = bench()
    here.rules({ say })
    const ran = await here.run(
      chainOf([{ output_schema, retry: 0 }], { outputs: { it: '{{ steps.s1.output }}' } }),
    )
    expect(ran.summary.status).toBe(fits ? 'succeeded' : 'halted')
    if (fits) expect(ran.summary.outputs.it).toEqual(expected)
    else expect(ran.summary.reason).toMatch(expected as RegExp)
  })

  test('a named group of an anchor is a field of the output', async () => {
    const here = bench()
    here.rules({ when: 'part 1', say: 'x\nRESULT: good' })
    const output_schema = { type: 'structured-text', output_anchor: '^RESULT: (?<word>\\w+)$' }
    await here.run(chainOf([{ output_schema }, { instruction: 'It is {{ steps.s1.output.word }}!' }]))
    expect(here.calls()[1]?.prompt).toContain('It is good!')
  })
})

describe('rule.retryBudget: a step is tried again as often as it says, one time unless it says', () => {
  test.each([
    [undefined, 2],
    [0, 1],
    [3, 4],
  ])('retry %s makes %i attempts', async (retry, attempts) => {
    const here = bench()
    here.rules({ say: '{}' })
    const ran = await here.run(
      chainOf([{ output_schema: JSON_FORM, ...(retry === undefined ? {} : { retry }) }]),
    )
    expect(here.calls()).toHaveLength(attempts)
    expect(ran.summary).toMatchObject({
      status: 'halted',
      refused: true,
      steps: [{ attempts, status: 'failed' }],
    })
    expect(eventsOf(ran.events, 'attempt_failed').map(event => event.retries_left)).toEqual(
      Array.from({ length: attempts }, (_, index) => attempts - 1 - index),
    )
  })

  test('the next attempt is told why the last one was refused', async () => {
    const here = bench()
    here.rules({ times: 1, say: '{"n": "one"}' }, { say: '{"n": 1}' })
    const ran = await here.run(chainOf([{ output_schema: JSON_FORM }]))
    expect(ran.summary).toMatchObject({ status: 'succeeded', steps: [{ attempts: 2 }] })
    expect(here.calls()[0]?.prompt).not.toContain('refused')
    expect(here.calls()[1]?.prompt).toMatch(/An answer before this one was refused: .*\/n must be integer/)
  })
})

describe('rule.onFailure: what a failed step does to the chain', () => {
  const causes: [string, Rule, object, boolean][] = [
    ['an agent that exits with an error', { when: 'part 1', exit: 3, stderr: 'out of tokens' }, {}, false],
    ['an answer over the limit', { when: 'part 1', say: 'x'.repeat(1000), repeat: 1100 }, {}, false],
    ['an agent that hangs', { when: 'part 1', hang: true }, { timeout: '1s' }, false],
    ['an answer that does not fit', { when: 'part 1', say: '{}' }, { output_schema: JSON_FORM }, true],
  ]
  const reasons = [
    /exit 3: out of tokens/,
    /an answer over 1 MiB/,
    /no answer within 1 s/,
    /required property/,
  ]
  test.each(causes.map((cause, index) => [...cause, reasons[index] as RegExp] as const))(
    '%s: halt stops, continue goes on, escalate waits',
    async (_, rule, more, refused, reason) => {
      for (const [on_failure, steps, status] of [
        ['halt', 'failed not run', 'halted'],
        ['continue', 'failed succeeded', 'partial'],
        ['escalate', 'escalated not run', 'halted'],
      ] as const) {
        const here = bench()
        here.rules(rule, {})
        const ran = await here.run(chainOf([{ retry: 0, on_failure, ...more }, {}]))
        expect([on_failure, statuses(ran), ran.summary.status]).toEqual([on_failure, steps, status])
        expect(JSON.stringify(ran.summary)).toMatch(reason)
        expect(ran.summary.isResumable).toBe(on_failure === 'escalate')
        if (on_failure !== 'continue') expect(ran.summary.refused).toBe(refused)
        expect(ran.events.at(-1)?.event).toBe(on_failure === 'escalate' ? 'escalated' : 'chain_complete')
      }
    },
  )

  test('halt is what a step does that says nothing', async () => {
    const here = bench()
    here.rules({ exit: 1 })
    expect(statuses(await here.run(chainOf([{}, {}])))).toBe('failed not run')
  })

  test('all failed is failed, not partial', async () => {
    const here = bench()
    here.rules({ exit: 1 })
    const ran = await here.run(chainOf([{ on_failure: 'continue' }, { on_failure: 'continue' }]))
    expect(ran.summary.status).toBe('failed')
  })

  test('a step that reads the output of a failed one does not run, and neither is its output made up', async () => {
    const here = bench()
    here.rules({ when: 'part 1', exit: 1 }, {})
    const ran = await here.run(
      chainOf(
        [
          { on_failure: 'continue' },
          { instruction: 'Go on from {{ steps.s1.output }}' },
          { run_if: 'not {{ steps.s1.success }}', instruction: 'Say what went wrong.' },
        ],
        { outputs: { it: '{{ steps.s2.output }}', ok: '{{ steps.s1.success }}' } },
      ),
    )
    expect(statuses(ran)).toBe('failed blocked succeeded')
    expect(ran.summary).toMatchObject({ status: 'partial', outputs: { it: null, ok: false } })
    expect(ran.summary.warnings).toEqual(['output it: step s2 has no output'])
  })
})

describe('rule.escalate: a person decides about an escalated step', () => {
  const escalating = chainOf([{ retry: 0, on_failure: 'escalate' }, {}])

  test.each([
    ['retry', 'succeeded succeeded', 'succeeded'],
    ['continue', 'failed succeeded', 'partial'],
    ['halt', 'failed not run', 'halted'],
  ] as const)('at the terminal: %s', async (decision, steps, status) => {
    const here = bench()
    here.rules({ times: 1, exit: 1 }, {})
    const asked: string[] = []
    const decide = async (step: string, reason: string) => {
      asked.push(`${step}: ${reason}`)
      return decision
    }
    const ran = await here.run(escalating, { decide })
    expect([statuses(ran), ran.summary.status, ran.summary.isResumable]).toEqual([steps, status, false])
    expect(asked).toEqual([expect.stringMatching(/^s1: agent claude: exit 1/)])
    expect(eventsOf(ran.events, 'decision')).toMatchObject([{ decision, by: 'terminal' }])
  })

  test.each([
    ['retry', 'succeeded succeeded', 'succeeded'],
    ['continue', 'failed succeeded', 'partial'],
    ['halt', 'failed not run', 'halted'],
  ] as const)('later, as the run is resumed: %s', async (decision, steps, status) => {
    const here = bench()
    here.rules({ times: 1, exit: 1 }, {})
    const first = await here.run(escalating)
    expect(first.summary).toMatchObject({ isResumable: true, escalated: { step: 's1' } })
    await expect(here.resume(first.summary.logPath)).rejects.toThrow('step s1 waits for a decision')
    const ran = await here.resume(first.summary.logPath, { decisions: { s1: decision } })
    expect([statuses(ran), ran.summary.status]).toEqual([steps, status])
    expect(eventsOf(ran.events, 'decision')).toMatchObject([{ decision, by: 'option' }])
  })
})

describe('rule.runIf: a step runs where its condition holds', () => {
  test.each<[string | boolean, boolean]>([
    [true, true],
    [false, false],
    ['{{ inputs.flag }}', true],
    ['not {{ inputs.flag }}', false],
    ['{{ inputs.word }} == "yes"', true],
    ["{{ inputs.word }} == 'no'", false],
    ['{{ inputs.word }} != "no"', true],
    ['{{ inputs.count }} == 3', true],
    ['{{ inputs.count }} == "3"', true],
    ['{{ inputs.none }} == null', true],
    ['{{ inputs.none }}', false],
    ['{{ inputs.empty }}', false],
    ['{{ inputs.flag }} and {{ inputs.none }}', false],
    ['{{ inputs.none }} or {{ inputs.flag }}', true],
    ['{{ inputs.none }} and {{ inputs.none }} or {{ inputs.flag }}', true],
    ['not {{ inputs.none }} and {{ inputs.flag }}', true],
    ['{{ steps.s1.success }}', true],
    ['{{ steps.s1.output }} == "fine"', true],
    ['{{ steps.s1.output }} == "bad" or not {{ steps.s1.success }}', false],
  ])('%s: %s', async (run_if, runs) => {
    const here = bench()
    here.rules({ say: 'fine' })
    const inputs = [
      { name: 'flag', type: 'boolean', default: true },
      { name: 'word', type: 'string', default: 'yes' },
      { name: 'count', type: 'integer', default: 3 },
      { name: 'none', type: 'string', required: false },
      { name: 'empty', type: 'list', default: [] },
    ]
    const ran = await here.run(chainOf([{}, { run_if }], { inputs }))
    expect(statuses(ran)).toBe(runs ? 'succeeded succeeded' : 'succeeded skipped')
    expect(ran.summary.status).toBe('succeeded')
  })
})

describe('rule.templates: values are filled in once and keep their type', () => {
  test('one template alone is the value itself; in a text it is text; what is filled in is not filled again', async () => {
    const here = bench()
    here.rules(
      { when: 'part 1', say: '{"n": 1, "deep": {"list": [1, {"x": "y"}]}, "t": "{{ inputs.word }}"}' },
      {},
    )
    const form = { type: 'json', schema: { type: 'object' } }
    const ran = await here.run(
      chainOf(
        [
          { output_schema: form },
          {
            instruction:
              'n={{ steps.s1.output.n }} list={{ steps.s1.output.deep.list }} t={{ steps.s1.output.t }}',
            input: {
              all: '{{ steps.s1.output }}',
              x: '{{ steps.s1.output.deep.list.1.x }}',
              n: ['{{ inputs.word }}'],
            },
          },
        ],
        {
          inputs: [{ name: 'word', type: 'string', default: 'w' }],
          outputs: {
            list: '{{ steps.s1.output.deep.list }}',
            ok: '{{ steps.s1.success }}',
            plain: 'no template',
          },
        },
      ),
    )
    const prompt = here.calls()[1]?.prompt ?? ''
    expect(prompt).toContain('n=1 list=[1,{"x":"y"}] t={{ inputs.word }}')
    expect(JSON.parse(prompt.slice(prompt.indexOf('{\n')))).toEqual({
      all: { n: 1, deep: { list: [1, { x: 'y' }] }, t: '{{ inputs.word }}' },
      x: 'y',
      n: ['w'],
    })
    expect(ran.summary.outputs).toEqual({ list: [1, { x: 'y' }], ok: true, plain: 'no template' })
  })

  test('a field that the answer turns out not to have fails the step that reads it', async () => {
    const here = bench()
    here.rules({ when: 'part 1', say: '{}' }, {})
    const ran = await here.run(
      chainOf([
        { output_schema: { type: 'json', schema: { type: 'object' } } },
        { instruction: 'It is {{ steps.s1.output.nothing }}', on_failure: 'continue' },
      ]),
    )
    expect(statuses(ran)).toBe('succeeded failed')
    expect(ran.summary.steps[1]?.reason).toBe('the output of step s1 has no nothing')
    expect(here.calls()).toHaveLength(1)
  })
})

describe('rule.budget: no model call over the budget is made', () => {
  test('steps, retries, gates and verifications count; the run halts and says what was made', async () => {
    const here = bench()
    here.rules({ agent: 'codex', say: 'VERDICT: pass' }, {})
    const gate = { type: 'ai_cross_check', instruction: 'Good?', on_fail: 'warn' }
    const ran = await here.run(
      chainOf([{ gates: [gate] }, { on_failure: 'continue' }, { on_failure: 'continue' }], {
        budget: { max_model_calls: 3 },
      }),
    )
    expect(statuses(ran)).toBe('succeeded succeeded failed')
    expect(ran.summary).toMatchObject({ status: 'halted', modelCalls: 3, budgetRemaining: 0, refused: true })
    expect(ran.summary.reason).toContain('the budget of 3 model calls is used up')
    expect(here.calls()).toHaveLength(3)
  })

  test('what remains is told', async () => {
    const ran = await bench().run(chainOf([{}, {}], { budget: { max_model_calls: 5 } }))
    expect(ran.summary).toMatchObject({ status: 'succeeded', modelCalls: 2, budgetRemaining: 3 })
  })
})

describe('rule.parallel: steps that need nothing of each other run side by side with --jobs', () => {
  const independent = chainOf([{}, {}, { needs: ['s1'] }, { instruction: 'After {{ steps.s2.output }}.' }])

  test('two are at work at once, what they are needed for waits, and the results are in declared order', async () => {
    const here = bench()
    // The first answers only when the second has been asked: one after the other they would never end.
    here.rules(
      { when: 'part 1', waitFor: 'second', say: 'one' },
      { when: 'part 2', write: { '../agents/second': '' }, say: 'two' },
      {},
    )
    const ran = await here.run(independent, { jobs: 2 })
    expect(statuses(ran)).toBe('succeeded succeeded succeeded succeeded')
    expect(ran.summary.steps.map(step => step.id)).toEqual(['s1', 's2', 's3', 's4'])
    const order = ran.events.flatMap(event =>
      event.event === 'step_started' || event.event === 'step_completed'
        ? [`${event.event} ${event.step}`]
        : [],
    )
    expect(order.indexOf('step_started s2')).toBeLessThan(order.indexOf('step_completed s1'))
    expect(order.indexOf('step_started s3')).toBeGreaterThan(order.indexOf('step_completed s1'))
    expect(order.indexOf('step_started s4')).toBeGreaterThan(order.indexOf('step_completed s2'))
  })

  test('with one job each step waits for the one before', async () => {
    const { events } = await bench().run(independent)
    const steps = events.flatMap(event =>
      event.event === 'step_started' || event.event === 'step_completed' ? [event.step] : [],
    )
    expect(steps).toEqual(['s1', 's1', 's2', 's2', 's3', 's3', 's4', 's4'])
  })

  test('a halt lets what is at work end and begins nothing more', async () => {
    const here = bench()
    here.rules({ when: 'part 1', exit: 1 }, { waitFor: 'halted' })
    const ran = await here.run(chainOf([{ retry: 0 }, {}, { needs: ['s2'] }]), {
      jobs: 2,
      onEvent: event =>
        event.event === 'step_completed' && event.halts && writeFileSync(join(here.agents, 'halted'), ''),
    })
    expect(statuses(ran)).toBe('failed succeeded not run')
  })
})

describe('rule.agents: agents are commands of the person', () => {
  test('a prompt as an argument is one argument, and no shell reads it', async () => {
    const here = bench()
    const command = agentCommand('claude', here.agents, 'Anthropic', { prompt: 'argument' })
    here.settings({ agents: { claude: { ...command, argv: [...command.argv, '{prompt}'] } } })
    await here.run(chainOf([{ instruction: 'Say $(id) "and" `more`; done' }, {}]))
    expect(here.calls()[0]?.prompt).toBe('Say $(id) "and" `more`; done\n')
  })

  test('a prompt that begins like an option is none', async () => {
    const here = bench()
    const family = 'Anthropic'
    here.settings({ agents: { claude: agentCommand('claude', here.agents, family, { prompt: 'argument' }) } })
    here.rules({ when: 'part 1', say: '--dangerous=yes' }, {})
    await here.run(chainOf([{}, { instruction: '{{ steps.s1.output }}' }]))
    expect(here.calls()[1]?.prompt).toMatch(/^\s--dangerous=yes/)
  })

  test('a chain whose primary is no agent, or is not installed, is refused before anything runs', async () => {
    const here = bench()
    await expect(
      here.run(
        chainOf(
          [{ runner: 'mistral' }, {}].map(step => ({ runner: 'mistral', ...step })),
          { primary: 'mistral' },
        ),
      ),
    ).rejects.toThrow(/no agent/)
    here.settings({ agents: { claude: { argv: ['no-such-program'], family: 'Anthropic' } } })
    await expect(here.run(chainOf([{}, {}]))).rejects.toThrow(/is not there: no-such-program/)
  })

  test('settings that are not right are refused with their field', async () => {
    const here = bench()
    here.settings({ agents: { claude: { argv: [], famly: 'x' } } })
    await expect(here.run(chainOf([{}, {}]))).rejects.toThrow(/settings\.json: agents\.claude/)
  })
})

test('rule.progress: the live line says step, elapsed time and retries', () => {
  const atWork = new Map([['b', { since: 1_000, attempt: 3 }]])
  expect(liveLine(['a', 'b'], atWork, 13_500)).toBe('step 2/2 b 12 s, retry 2')
  expect(liveLine(['a\u001b[31m'], new Map([['a\u001b[31m', { since: 0, attempt: 1 }]]), 0)).toBe(
    'step 1/1 a\\x1b[31m 0 s',
  )
})
