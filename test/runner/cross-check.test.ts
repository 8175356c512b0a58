import { describe, expect, test } from 'vitest'
import { FAMILIES, type Family, familyOf } from '../../src/runner/agents/family.ts'
import { routeVerifier } from '../../src/runner/agents/route.ts'
import { type Agent, readRunnerSettings } from '../../src/runner/agents/runner-settings.ts'
import { agentCommand, bench, chainOf, eventsOf, statuses } from './support/bench.ts'

const check = { kind: 'cross_check', of: ['steps.s1'], instruction: 'Is it true? {{ steps.s1.output }}' }

function agent(name: string, family: Family, program: string = process.execPath): Agent {
  return { name, family, argv: [program], prompt: 'stdin', env: {} }
}

describe("rule.verifierIndependence: who verifies is of neither the primary's nor the author's family", () => {
  const all = [
    agent('claude', 'Anthropic'),
    agent('local', 'unknown'),
    agent('absent', 'Zhipu', '/no/such/program'),
    agent('codex', 'OpenAI'),
    agent('gemini', 'Google'),
    agent('grok', 'xAI'),
  ]
  test.each<[Family, Record<string, Family | 'person'>, string | RegExp]>([
    ['Anthropic', {}, 'codex'],
    ['Anthropic', { a: 'Anthropic' }, 'codex'],
    ['Anthropic', { a: 'OpenAI' }, 'gemini'],
    ['Anthropic', { a: 'OpenAI', b: 'Google' }, 'grok'],
    ['OpenAI', { a: 'Google' }, 'claude'],
    ['Anthropic', { a: 'person' }, 'codex'],
    [
      'Anthropic',
      { a: 'OpenAI', b: 'Google', c: 'xAI' },
      /no agent of another family than Anthropic, OpenAI, Google, xAI/,
    ],
    ['unknown', {}, /the primary's family is unknown/],
    ['Anthropic', { 'inputs.report': 'unknown' }, /who wrote inputs.report is unknown/],
    ['Anthropic', { a: 'OpenAI', b: 'unknown' }, /who wrote b is unknown/],
  ])('primary %s, authors %j: %s', (primary, authors, expected) => {
    const routed = routeVerifier(all, primary, authors, {})
    if (typeof expected === 'string') expect(routed).toMatchObject({ agent: { name: expected } })
    else expect(routed).toMatchObject({ refused: expect.stringMatching(expected), hint: expect.any(String) })
  })

  test('an agent of unknown family never verifies, and one that is not installed neither', () => {
    const few = all.slice(0, 3)
    expect(routeVerifier(few, 'Anthropic', {}, {})).toMatchObject({
      refused: expect.any(String),
      hint: 'not installed: absent (Zhipu)',
    })
  })

  test('the families are these, whatever their case; every other word is unknown', () => {
    expect(FAMILIES).toEqual(['Anthropic', 'Google', 'OpenAI', 'xAI', 'Zhipu', 'unknown'])
    expect(['ANTHROPIC', 'openai', 'XAI', 'zhipu', 'google', 'Mistral', ''].map(familyOf)).toEqual([
      ...['Anthropic', 'OpenAI', 'xAI', 'Zhipu', 'Google', 'unknown', 'unknown'],
    ])
  })

  test('claude and codex are known without settings, and settings go before them', () => {
    const here = bench()
    here.settings({ agents: { codex: { argv: ['other'] }, glm: { argv: ['glm'], family: 'ZHIPU' } } })
    const { agents } = readRunnerSettings(here.place.runnerFolder)
    expect(agents.map(({ name, family }) => `${name} ${family}`)).toEqual([
      ...['codex unknown', 'glm Zhipu', 'claude Anthropic'],
    ])
  })
})

describe('rule.crossCheck: a cross_check runs on another family, and divergence is shown and never halts', () => {
  test.each([
    ['It is.\nVERDICT: agree', false, 0],
    ['It is not.\n**VERDICT: diverge**', true, 1],
  ])('%s', async (say, diverged, warnings) => {
    const here = bench()
    here.rules({ agent: 'codex', say }, { say: 'the sky is green' })
    const ran = await here.run(chainOf([{}, check, {}]))
    expect(statuses(ran)).toBe('succeeded succeeded succeeded')
    expect(ran.summary.status).toBe('succeeded')
    expect(eventsOf(ran.events, 'verification')).toMatchObject([{ step: 's2', family: 'OpenAI', diverged }])
    expect(ran.summary.warnings).toHaveLength(warnings)
    expect(here.calls('codex')).toHaveLength(1)
    expect(here.calls('codex')[0]?.prompt).toContain('the sky is green')
    expect(eventsOf(ran.events, 'routed')).toMatchObject([
      { step: 's2', agent: 'codex', excluded: ['Anthropic'], authors: { 'steps.s1': 'Anthropic' } },
    ])
  })

  test('a skill can be the cross-check, and is given to the other family whole', async () => {
    const here = bench()
    const path = here.write(
      `${here.place.host}/plugins/cache/m/pack/1.0.0/skills/look/SKILL.md`,
      'Look twice.',
    )
    const plugins = {
      'pack@m': [{ scope: 'user', installPath: path.replace('/skills/look/SKILL.md', ''), version: '1.0.0' }],
    }
    here.write(`${here.place.host}/plugins/installed_plugins.json`, JSON.stringify({ version: 2, plugins }))
    here.rules({ agent: 'codex', say: 'VERDICT: agree' }, {})
    const skilled = { kind: 'cross_check', runner: 'skill', skill: 'pack:look@1.0.0', of: ['steps.s1'] }
    const ran = await here.run(chainOf([{}, { ...skilled, input: { it: '{{ steps.s1.output }}' } }]))
    expect(ran.summary.steps[1]).toMatchObject({ status: 'succeeded', agent: 'codex' })
    expect(here.calls('codex')[0]?.prompt).toContain('Look twice.')
  })

  test('it is given what it checks, also where no template names it', async () => {
    const here = bench()
    here.rules({ agent: 'codex', say: 'VERDICT: agree' }, { say: 'the sky is green' })
    const inputs = [{ name: 'source', type: 'string' }]
    const plain = {
      ...check,
      of: ['steps.s1', 'inputs.source'],
      instruction: 'Is it so?',
      input: { more: 1 },
    }
    const given = { inputs: { source: 'a look out' }, authors: { source: 'person' as const } }
    await here.run(chainOf([{}, plain], { inputs }), given)
    const prompt = here.calls('codex')[0]?.prompt ?? ''
    expect(JSON.parse(prompt.slice(prompt.indexOf('{\n'), prompt.lastIndexOf('}') + 1))).toEqual({
      more: 1,
      artifacts: { 'steps.s1': 'the sky is green', 'inputs.source': 'a look out' },
    })
  })

  test.each([
    ['JSON without a verdict', { type: 'json', schema: { type: 'object' } }, /has to have a "verdict"/],
    ['lines of JSON', { type: 'jsonl' }, /gives one verdict/],
  ])('%s cannot be its form', async (_, output_schema, told) => {
    await expect(bench().run(chainOf([{}, { ...check, output_schema }]))).rejects.toThrow(told)
  })

  test('a cross-check without a verdict is no cross-check', async () => {
    const here = bench()
    here.rules({ agent: 'codex', say: 'Maybe.' }, {})
    const ran = await here.run(chainOf([{}, check]))
    expect(ran.summary).toMatchObject({ status: 'halted', reason: expect.stringContaining('no verdict') })
  })

  test('of JSON answers the field "verdict" counts', async () => {
    const here = bench()
    here.rules({ agent: 'codex', say: '{"verdict":"diverge"}' }, {})
    const output_schema = { type: 'json', schema: { type: 'object', required: ['verdict'] } }
    const { events } = await here.run(chainOf([{}, { ...check, output_schema }]))
    expect(eventsOf(events, 'verification')).toMatchObject([{ diverged: true }])
  })

  test('a check of a check excludes both families, and is refused before anything runs where no third is there', async () => {
    const here = bench()
    const twice = chainOf([
      {},
      check,
      { ...check, of: ['steps.s2'], instruction: 'And this? {{ steps.s2.output }}' },
    ])
    await expect(here.run(twice)).rejects.toThrow(
      /step s3: cross_check: no agent of another family than Anthropic, OpenAI/,
    )
    expect(here.calls()).toEqual([])
    here.settings({
      agents: Object.fromEntries(
        [
          ['claude', 'Anthropic'],
          ['codex', 'OpenAI'],
          ['grok', 'xAI'],
        ].map(([name = '', family = '']) => [name, agentCommand(name, here.agents, family)]),
      ),
    })
    here.rules({ when: 'VERDICT', say: 'VERDICT: agree' }, {})
    const ran = await here.run(twice)
    expect(ran.summary.steps.map(step => step.agent)).toEqual(['claude', 'codex', 'grok'])
  })

  test.each([
    ['nobody said who wrote it', {}, /who wrote inputs.report is unknown/],
    ['a family that no agent is independent of', { report: 'OpenAI' as const }, /no agent of another family/],
  ])('a file whose author is not known is refused before anything runs: %s', async (_, authors, told) => {
    const here = bench()
    here.write(`${here.place.project}/r.md`, 'x')
    const inputs = [{ name: 'report', type: 'path' }]
    const chain = chainOf([{}, { ...check, of: ['inputs.report'], instruction: 'Is it so?' }], { inputs })
    await expect(here.run(chain, { inputs: { report: 'r.md' }, authors })).rejects.toThrow(told)
    // Named in a template alone it is looked at all the same.
    const named = chainOf([{}, { ...check, instruction: 'Is {{ inputs.report }} so?' }], { inputs })
    await expect(here.run(named, { inputs: { report: 'r.md' }, authors })).rejects.toThrow(told)
    expect(here.calls()).toEqual([])
  })

  test('a person as its author excludes no family', async () => {
    const here = bench()
    here.write(`${here.place.project}/r.md`, 'x')
    here.rules({ agent: 'codex', say: 'VERDICT: agree' }, {})
    const inputs = [{ name: 'report', type: 'path' }]
    const chain = chainOf(
      [{}, { ...check, of: ['inputs.report'], instruction: 'Is {{ inputs.report }} so?' }],
      { inputs },
    )
    const ran = await here.run(chain, { inputs: { report: 'r.md' }, authors: { report: 'person' } })
    expect(ran.summary.steps[1]).toMatchObject({ agent: 'codex', status: 'succeeded' })
  })

  test('without an independent agent a cross-check, a verification and a semantic gate all refuse the run', async () => {
    const here = bench()
    here.settings({
      agents: {
        claude: agentCommand('claude', here.agents, 'Anthropic'),
        codex: agentCommand('codex', here.agents, 'mistral'),
      },
    })
    const gate = { type: 'ai_cross_check', instruction: 'Good?', on_fail: 'warn' }
    for (const steps of [
      [{}, check],
      [{ verification: {} }, {}],
      [{ gates: [gate] }, {}],
    ])
      await expect(here.run(chainOf(steps))).rejects.toThrow(/no agent of another family than Anthropic/)
    expect(here.calls()).toEqual([])
    // A check that run_if leaves out by the inputs alone needs nobody.
    const ran = await here.run(chainOf([{}, { ...check, run_if: false }]))
    expect(statuses(ran)).toBe('succeeded skipped')
    // One that runs because its input lacks a field needs somebody as any other does.
    const inputs = [{ name: 'spec', type: 'json', default: {} }]
    const asked = chainOf([{}, { ...check, run_if: '{{ inputs.spec.kind }} == null' }], { inputs })
    await expect(here.run(asked)).rejects.toThrow(/no agent of another family than Anthropic/)
    expect(here.calls()).toHaveLength(1)
  })
})

describe('rule.verification: a step is given to another family too, and the answers are compared', () => {
  test.each<[string, object, string, string, boolean]>([
    ['the same text', {}, 'Yes,  it is.', 'Yes, it\nis.', false],
    ['another text', {}, 'yes', 'no', true],
    [
      'the same JSON',
      { output_schema: { type: 'json', schema: {} } },
      '{"a":1,"b":2}',
      '{"b":2,"a":1}',
      false,
    ],
    ['other JSON', { output_schema: { type: 'json', schema: {} } }, '{"a":1}', '{"a":2}', true],
    [
      'the same fields',
      { output_schema: { type: 'json', schema: {} }, verification: { fields: ['a'] } },
      '{"a":1,"why":"x"}',
      '{"a":1,"why":"y"}',
      false,
    ],
    [
      'another field',
      { output_schema: { type: 'json', schema: {} }, verification: { fields: ['a', 'b.c'] } },
      '{"a":1,"b":{"c":1}}',
      '{"a":1,"b":{"c":2}}',
      true,
    ],
  ])('%s', async (_, more, first, second, diverged) => {
    const here = bench()
    here.rules({ agent: 'codex', say: second }, { say: first })
    const ran = await here.run(
      chainOf([{ verification: {}, ...more }, {}], { outputs: { it: '{{ steps.s1.output }}' } }),
    )
    expect(ran.summary.status).toBe('succeeded')
    expect(eventsOf(ran.events, 'verification')).toMatchObject([{ agent: 'codex', diverged }])
    expect(ran.summary.warnings).toHaveLength(diverged ? 1 : 0)
    expect(here.calls('codex').map(call => call.prompt)).toEqual([here.calls('claude')[0]?.prompt])
  })

  test('one that could not be carried out is no success', async () => {
    const here = bench()
    here.rules({ agent: 'codex', exit: 1 }, {})
    const ran = await here.run(chainOf([{ verification: {}, retry: 0 }, {}]))
    expect(ran.summary).toMatchObject({
      status: 'halted',
      reason: expect.stringContaining('verification: agent codex'),
    })
  })
})
