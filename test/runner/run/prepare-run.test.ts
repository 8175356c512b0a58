import { describe, expect, test } from 'vitest'
import { agentCommand, bench, chainOf, type RunOptions } from '../support/bench.ts'

const SECRET = 'hunter2-hunter2'
const http = (url: string) => ({ type: 'http_status', url, on_fail: 'halt' })
const mcp = (server: string) => ({ type: 'mcp_call', server, tool: 't', on_fail: 'halt' })
const aiGate = { type: 'ai_cross_check', instruction: 'Good?', on_fail: 'warn' }
const tree = (base?: string) => ({ isolation: { type: 'worktree', ...(base && { base }) } })
const WORD = { inputs: [{ name: 'word', type: 'string', default: 'x' }] }

/** A person with two families, a server and an allowed host, and a secret in the environment. */
function person() {
  const here = bench()
  here.settings({
    agents: {
      claude: agentCommand('claude', here.agents, 'Anthropic'),
      codex: agentCommand('codex', here.agents, 'OpenAI'),
      gone: { argv: ['no-such-program'], family: 'Google' },
    },
    http: { allow: ['ci.example'] },
    mcp: { notes: { argv: ['notes'], env: { GIVEN: 'given-given' } } },
  })
  here.place.env.API_KEY = SECRET
  return here
}

describe('what could be missing is found before anything runs', () => {
  test.each<[string, object[], object, RunOptions, object | null]>([
    [
      'rule.gates: all that its gates ask is there',
      [{ gates: [http('http://ci.example/'), mcp('notes')] }, {}],
      {},
      {},
      null,
    ],
    [
      'rule.gates: a server of a later step and gate',
      [{ gates: [mcp('notes')] }, { gates: [http('http://localhost/'), mcp('other')] }],
      {},
      {},
      { kind: 'check', message: 'step s2: no MCP server "other"' },
    ],
    [
      'rule.gates: a server whose name every object has',
      [{ gates: [mcp('constructor')] }, {}],
      {},
      {},
      { kind: 'check', message: 'step s1: no MCP server "constructor"' },
    ],
    [
      'rule.staysLocal: a host of a later gate',
      [
        {
          gates: [
            http('http://{{ inputs.word }}/'),
            http('http://ci.example/'),
            http('http://other.example/'),
          ],
        },
        {},
      ],
      WORD,
      {},
      { kind: 'check', message: expect.stringMatching(/^step s1: other\.example is neither/) },
    ],
    [
      'rule.staysLocal: a host that only a value tells',
      [{ gates: [http('http://{{ inputs.word }}/')] }, {}],
      WORD,
      {},
      null,
    ],
    [
      'rule.isolation: a commit of a later step',
      [{}, { ...tree('{{ inputs.word }}') }, tree()],
      WORD,
      {},
      {
        kind: 'check',
        message: expect.stringMatching(/^step s3: no commit "HEAD"/),
        path: expect.any(String),
      },
    ],
    ['rule.isolation: a commit that only a value tells', [tree('{{ inputs.word }}'), {}], WORD, {}, null],
    [
      'rule.noSecrets: a secret in the chain',
      [{ instruction: `Use ${SECRET}.` }, {}],
      {},
      {},
      { kind: 'check', message: expect.stringMatching(/sample\.yaml holds the value of .* API_KEY$/) },
    ],
    [
      'rule.noSecrets: one of the settings in the chain',
      [{ instruction: 'Use given-given.' }, {}],
      {},
      {},
      { kind: 'check', message: expect.stringMatching(/environment variable GIVEN$/) },
    ],
    [
      'rule.noSecrets: a secret in an input',
      [{}, {}],
      WORD,
      { inputs: { word: `a ${SECRET}` } },
      { kind: 'check', message: 'the input word holds the value of the environment variable API_KEY' },
    ],
    [
      'rule.inputs: the author of what is no input',
      [{}, {}],
      WORD,
      { authors: { wort: 'person' } },
      { kind: 'usage', message: '--author names no input of sample: wort' },
    ],
    [
      'rule.inputs: the author of an input where there are none',
      [{}, {}],
      {},
      { authors: { word: 'person' } },
      { kind: 'usage', message: '--author names no input of sample: word' },
    ],
    ['rule.inputs: the author of an input', [{}, {}], WORD, { authors: { word: 'person' } }, null],
    [
      'rule.skillReference: a skill of a step',
      [{ runner: 'skill', skill: 'p:s@1.0.0' }, {}],
      {},
      {},
      { kind: 'check', message: expect.stringMatching(/^p:s@1\.0\.0 is not there/) },
    ],
    [
      'rule.skillReference: a skill of a gate',
      [{}, { gates: [aiGate, { type: 'skill', skill: 'p:s@1.0.0', on_fail: 'warn' }] }],
      {},
      {},
      { kind: 'check', message: expect.stringMatching(/^p:s@1\.0\.0 is not there/) },
    ],
    [
      'rule.agents: a primary that is not installed',
      [{ runner: 'gone' }],
      { primary: 'gone', outputs: {} },
      {},
      { kind: 'environment', message: 'the command of agent "gone" is not there: no-such-program' },
    ],
    [
      'rule.agents: a primary that is no agent',
      [{ runner: 'glm' }],
      { primary: 'glm' },
      {},
      {
        kind: 'check',
        message: 'the chain\'s primary "glm" is no agent',
        hint: expect.stringContaining('claude, codex, gone'),
      },
    ],
  ])('%s', async (_, steps, more, options, refused) => {
    const here = person()
    const tried = here.prepare(chainOf(steps, more), options)
    if (refused === null) await expect(tried).resolves.toHaveProperty('plans')
    else await expect(tried).rejects.toMatchObject(refused)
    expect(here.calls()).toEqual([])
  })
})

describe('rule.verifierIndependence: who does what is known before the run', () => {
  const check = { kind: 'cross_check', of: ['steps.s1'], instruction: 'Is it so?' }

  /** The plan of a chain, `agent/verifier` for each step, with `-` before those that are left out. */
  async function plan(
    steps: object[],
    more: object = {},
    options: RunOptions = {},
    families: Record<string, string> = {},
  ) {
    const here = bench()
    const all = { claude: 'Anthropic', codex: 'OpenAI', ...families }
    const agents = Object.entries(all).map(([name, family]) => [
      name,
      agentCommand(name, here.agents, family),
    ])
    here.settings({ agents: Object.fromEntries(agents) })
    const { plans } = await here.prepare(chainOf(steps, more), options)
    return plans.map(one => `${one.leftOut ? '-' : ''}${one.agent} ${one.family} ${one.verifier}`).join(', ')
  }
  const [CLAUDE, CODEX] = ['claude Anthropic null', 'codex OpenAI null']
  const grok = { grok: 'xAI' }
  const flag = { inputs: [{ name: 'flag', type: 'boolean', default: false }] }

  test.each<[string, object[], object, Record<string, string>, string | RegExp]>([
    ['a step, a check', [{}, check], {}, {}, `${CLAUDE}, ${CODEX}`],
    ['a verified step', [{ verification: {} }, {}], {}, {}, `claude Anthropic codex, ${CLAUDE}`],
    [
      'a check of a check',
      [{}, check, { ...check, of: ['steps.s2'] }],
      {},
      grok,
      `${CLAUDE}, ${CODEX}, grok xAI null`,
    ],
    [
      'a step that reads a check is of the primary',
      [{}, check, { instruction: '{{ steps.s2.output }}' }],
      {},
      {},
      `${CLAUDE}, ${CODEX}, ${CLAUDE}`,
    ],
    [
      'a gate on a check needs a third',
      [{}, { ...check, gates: [aiGate] }],
      {},
      {},
      /^step s2: gate ai_cross_check: no agent of another family than Anthropic, OpenAI/,
    ],
    ['and has it', [{}, { ...check, gates: [aiGate] }], {}, grok, `${CLAUDE}, ${CODEX}`],
    [
      'a gate that names a check needs one',
      [{}, check, { gates: [{ ...aiGate, instruction: '{{ steps.s2.output }}' }] }],
      {},
      {},
      /^step s3: gate ai_cross_check/,
    ],
    [
      'another gate needs nobody',
      [{ gates: [{ type: 'file_exists', path: 'x', on_fail: 'warn' }] }, {}],
      {},
      { codex: 'unknown' },
      `${CLAUDE}, ${CLAUDE}`,
    ],
    [
      'what is left out needs nobody',
      [{}, { ...check, run_if: '{{ inputs.flag }}' }, { run_if: false, verification: {}, gates: [aiGate] }],
      flag,
      { codex: 'unknown' },
      `${CLAUDE}, -${CLAUDE}, -${CLAUDE}`,
    ],
    [
      'what a step decides is not left out',
      [{}, { ...check, run_if: '{{ steps.s1.success }} and {{ inputs.flag }}' }],
      flag,
      {},
      `${CLAUDE}, ${CODEX}`,
    ],
    [
      'nor needs nobody',
      [{}, { ...check, run_if: 'not {{ steps.s1.success }}' }],
      {},
      { codex: 'unknown' },
      /^step s2: cross_check: no agent/,
    ],
    [
      'what runs by its inputs is not left out',
      [{}, { ...check, run_if: 'not {{ inputs.flag }}' }],
      flag,
      {},
      `${CLAUDE}, ${CODEX}`,
    ],
  ])('%s', async (_, steps, more, families, expected) => {
    if (typeof expected === 'string') expect(await plan(steps, more, {}, families)).toBe(expected)
    else
      await expect(plan(steps, more, {}, families)).rejects.toMatchObject({
        kind: 'check',
        message: expect.stringMatching(expected),
        hint: expect.any(String),
      })
  })

  test('a gate by a skill needs somebody as well, and who wrote an input counts', async () => {
    const inputs = { inputs: [{ name: 'word', type: 'string', default: 'x' }] }
    const ofWord = [{}, { ...check, of: ['inputs.word'] }]
    const by = (word: 'OpenAI' | 'person') => plan(ofWord, inputs, { authors: { word } }, grok)
    expect(await by('OpenAI')).toBe(`${CLAUDE}, grok xAI null`)
    expect(await by('person')).toBe(`${CLAUDE}, ${CODEX}`)

    const here = bench()
    here.write(`${here.place.host}/plugins/cache/m/p/1.0.0/skills/s/SKILL.md`, 'Look.')
    const p = [{ scope: 'user', installPath: `${here.place.host}/plugins/cache/m/p/1.0.0`, version: '1.0.0' }]
    here.write(
      `${here.place.host}/plugins/installed_plugins.json`,
      JSON.stringify({ version: 2, plugins: { 'p@m': p } }),
    )
    here.settings({
      agents: {
        claude: agentCommand('claude', here.agents, 'Anthropic'),
        codex: { argv: ['x'], family: 'x' },
      },
    })
    const gates = [{ type: 'skill', skill: 'p:s@1.0.0', on_fail: 'warn' }]
    await expect(here.prepare(chainOf([{ gates }, {}]))).rejects.toThrow(/^step s1: gate skill: no agent/)
  })
})
