import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkChain } from '../../src/runner/spec/read-chain.ts'
import { agentCommand, type Bench, bench, chainOf, eventsOf, type Rule, statuses } from './support/bench.ts'

let url = ''
const server = createServer((request, response) => {
  const status = Number(/\d+/.exec(request.url ?? '')?.[0] ?? 200)
  response.writeHead(status, status === 302 ? { location: 'http://example.invalid/' } : {}).end('body')
})
beforeAll(async () => {
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())

const MCP_SERVER = resolve(import.meta.dirname, 'support/mcp-server.mjs')

function withServers(here: Bench): Bench {
  here.settings({
    agents: {
      claude: agentCommand('claude', here.agents, 'Anthropic'),
      codex: agentCommand('codex', here.agents, 'OpenAI'),
    },
    mcp: { notes: { argv: [process.execPath, MCP_SERVER], env: { NOTES_WORD: 'sesame-street-7' } } },
  })
  here.write(`${here.place.project}/report.md`, 'status: green\nrows: 3\n')
  here.write(`${here.place.project}/data.json`, '{"rows": 3}')
  here.write(`${here.place.project}/rows.schema.json`, '{"type":"object","required":["rows"]}')
  return here
}

type Row = [what: string, gate: object | (() => object), passes: boolean, detail: RegExp, rule?: Rule]

const ROWS: Row[] = [
  ['file_exists', { type: 'file_exists', path: 'report.md' }, true, /report\.md is there/],
  ['file_exists', { type: 'file_exists', path: 'missing.md' }, false, /is not there \(ENOENT\)/],
  [
    'file_exists, templated',
    { type: 'file_exists', path: '{{ steps.s1.output }}.md' },
    false,
    /answer\.md is not/,
  ],
  ['file_contains text', { type: 'file_contains', path: 'report.md', text: 'green' }, true, /holds "green"/],
  [
    'file_contains text',
    { type: 'file_contains', path: 'report.md', text: 'red' },
    false,
    /does not hold "red"/,
  ],
  [
    'file_contains pattern',
    { type: 'file_contains', path: 'report.md', pattern: '^rows: \\d+$' },
    true,
    /holds text/,
  ],
  [
    'file_contains pattern',
    { type: 'file_contains', path: 'report.md', pattern: '^rows: x$' },
    false,
    /does not hold/,
  ],
  ['file_contains of no file', { type: 'file_contains', path: 'no.md', text: 'x' }, false, /cannot be read/],
  ['bash_exit_code argv', { type: 'bash_exit_code', argv: ['test', '-f', 'report.md'] }, true, /exit 0/],
  ['bash_exit_code argv', { type: 'bash_exit_code', argv: ['test', '-f', 'no.md'] }, false, /exit 1, not 0/],
  ['bash_exit_code expected', { type: 'bash_exit_code', script: 'exit 7', expect: 7 }, true, /exit 7/],
  [
    'bash_exit_code script',
    { type: 'bash_exit_code', script: 'echo no >&2; exit 3' },
    false,
    /exit 3, not 0: no/,
  ],
  [
    'bash_exit_code without program',
    { type: 'bash_exit_code', argv: ['no-such-program'] },
    false,
    /not started/,
  ],
  [
    'bash_exit_code hanging',
    { type: 'bash_exit_code', argv: ['sleep', '60'], timeout: '1s' },
    false,
    /no answer within 1 s/,
  ],
  [
    'bash_exit_code args',
    { type: 'bash_exit_code', script: 'test "$1" = answer', args: ['{{ steps.s1.output }}'] },
    true,
    /exit 0/,
  ],
  ['http_status', () => ({ type: 'http_status', url: `${url}/200` }), true, /answers 200/],
  ['http_status', () => ({ type: 'http_status', url: `${url}/503` }), false, /answers 503, not 200/],
  [
    'http_status of several',
    () => ({ type: 'http_status', url: `${url}/204`, expect: [200, 204], method: 'HEAD' }),
    true,
    /204/,
  ],
  [
    'http_status does not follow',
    () => ({ type: 'http_status', url: `${url}/302`, expect: 302 }),
    true,
    /answers 302/,
  ],
  ['http_status of nobody', { type: 'http_status', url: 'http://127.0.0.1:9/' }, false, /does not answer/],
  [
    'http_status elsewhere',
    { type: 'http_status', url: 'http://{{ steps.s1.output }}.invalid/' },
    false,
    /neither this computer nor/,
  ],
  [
    'json_schema of the answer',
    { type: 'json_schema', schema: { type: 'object' } },
    false,
    /the value is not JSON/,
  ],
  [
    'json_schema of a file',
    { type: 'json_schema', path: 'data.json', schema: { required: ['rows'] } },
    true,
    /fits/,
  ],
  [
    'json_schema of a file',
    { type: 'json_schema', path: 'data.json', schema: { required: ['cells'] } },
    false,
    /cells/,
  ],
  [
    'json_schema in a file',
    { type: 'json_schema', path: 'data.json', schema_file: 'rows.schema.json' },
    true,
    /fits/,
  ],
  [
    'json_schema of a value',
    { type: 'json_schema', value: '{{ steps.s1.success }}', schema: { const: true } },
    true,
    /fits/,
  ],
  [
    'skill',
    { type: 'skill', skill: 'pack:check@1.0.0' },
    true,
    /verdict pass/,
    { agent: 'codex', say: 'fine\nVERDICT: pass' },
  ],
  [
    'skill',
    { type: 'skill', skill: 'pack:check@1.0.0' },
    false,
    /verdict fail: bad/,
    { agent: 'codex', say: 'bad\nVERDICT: fail' },
  ],
  [
    'ai_cross_check',
    { type: 'ai_cross_check', instruction: 'Is it so?' },
    true,
    /verdict pass/,
    { agent: 'codex', say: '**VERDICT: PASS**' },
  ],
  [
    'ai_cross_check',
    { type: 'ai_cross_check', instruction: 'Is it so?' },
    false,
    /verdict fail/,
    { agent: 'codex', say: 'VERDICT: pass\nno:\nVERDICT: fail' },
  ],
  [
    'ai_cross_check without verdict',
    { type: 'ai_cross_check', instruction: 'Is it so?' },
    false,
    /no verdict/,
    { agent: 'codex', say: 'pass' },
  ],
  [
    'ai_cross_check that fails',
    { type: 'ai_cross_check', instruction: 'Is it so?' },
    false,
    /exit 3/,
    { agent: 'codex', exit: 3 },
  ],
  [
    'mcp_call',
    {
      type: 'mcp_call',
      server: 'notes',
      tool: 'echo',
      arguments: { text: '{{ steps.s1.output }}' },
      contains: 'answer',
    },
    true,
    /notes\.echo answers "answer"/,
  ],
  [
    'mcp_call',
    { type: 'mcp_call', server: 'notes', tool: 'echo', arguments: { text: 'x' }, contains: 'y' },
    false,
    /without "y"/,
  ],
  [
    'mcp_call with a schema',
    {
      type: 'mcp_call',
      server: 'notes',
      tool: 'echo',
      arguments: { text: '{"n":1}' },
      schema: { required: ['n'] },
    },
    true,
    /notes\.echo/,
  ],
  [
    'mcp_call with a schema',
    {
      type: 'mcp_call',
      server: 'notes',
      tool: 'echo',
      arguments: { text: '{"n":1}' },
      schema: { required: ['m'] },
    },
    false,
    /must have required property 'm'/,
  ],
  ['mcp_call that errs', { type: 'mcp_call', server: 'notes', tool: 'fail' }, false, /as an error/],
  ['mcp_call of no tool', { type: 'mcp_call', server: 'notes', tool: 'nothing' }, false, /notes\.nothing/],
]

function installCheck(here: Bench) {
  const root = here.write(`${here.place.host}/plugins/cache/m/pack/1.0.0/skills/check/SKILL.md`, 'Check it.')
  const installPath = resolve(root, '../../..')
  const plugins = { 'pack@m': [{ scope: 'user', installPath, version: '1.0.0' }] }
  here.write(`${here.place.host}/plugins/installed_plugins.json`, JSON.stringify({ version: 2, plugins }))
}

describe('rule.gates: each gate type passes and fails on what it looks at', () => {
  test.each(ROWS)('%s: %j passes: %s', async (_, gate, passes, detail, rule) => {
    const here = withServers(bench())
    installCheck(here)
    here.rules(...(rule ? [rule] : []), { say: 'answer' })
    const described = typeof gate === 'function' ? gate() : gate
    const ran = await here.run(chainOf([{ gates: [{ ...described, on_fail: 'halt' }] }]))
    expect(eventsOf(ran.events, 'gate')).toMatchObject([
      { passed: passes, detail: expect.stringMatching(detail) },
    ])
    expect(ran.summary.status).toBe(passes ? 'succeeded' : 'halted')
  })

  test('mcp_call gives the server what the settings give, and the log holds none of it', async () => {
    const here = withServers(bench())
    const gate = { type: 'mcp_call', server: 'notes', tool: 'word', on_fail: 'warn' }
    const { events } = await here.run(chainOf([{ gates: [gate] }]))
    expect(eventsOf(events, 'gate')[0]?.detail).toContain('[redacted NOTES_WORD]')
    expect(JSON.stringify(events)).not.toContain('sesame-street-7')
  })
})

describe('rule.gatePolicy: on_fail is mandatory and applies to its own gate', () => {
  const failing = (on_fail: string) => ({ type: 'file_exists', path: 'nope', on_fail })
  const passing = { type: 'bash_exit_code', argv: ['true'], on_fail: 'halt' }

  test('halt ends the chain at once, without a retry and whatever on_failure says', async () => {
    const here = bench()
    const ran = await here.run(
      chainOf([{ gates: [failing('halt'), passing], on_failure: 'continue', retry: 3 }, {}]),
    )
    expect(statuses(ran)).toBe('failed not run')
    expect(ran.summary).toMatchObject({ status: 'halted', refused: true })
    expect(eventsOf(ran.events, 'gate')).toHaveLength(1)
    expect(here.calls()).toHaveLength(1)
  })

  test('warn is shown and goes on with the next gate and the next step', async () => {
    const ran = await bench().run(chainOf([{ gates: [failing('warn'), passing] }, {}]))
    expect(statuses(ran)).toBe('succeeded succeeded')
    expect(ran.summary.status).toBe('succeeded')
    expect(ran.summary.warnings).toEqual([
      expect.stringMatching(/step s1: gate file_exists: .*nope is not there/),
    ])
    expect(eventsOf(ran.events, 'gate').map(gate => gate.passed)).toEqual([false, true])
  })

  test('retry runs the step again within its budget, and tells the agent why', async () => {
    const here = bench()
    here.rules({ times: 1 }, { write: { nope: 'now' } })
    const ran = await here.run(chainOf([{ gates: [failing('retry')], retry: 2 }]))
    expect(ran.summary).toMatchObject({ status: 'succeeded', steps: [{ attempts: 2 }] })
    expect(here.calls()[1]?.prompt).toMatch(/refused: gate file_exists: .*nope is not there/)
  })

  test.each([
    ['halt', 'failed not run', 'halted'],
    ['continue', 'failed succeeded', 'partial'],
  ])('retry that is used up leaves the step to on_failure %s', async (on_failure, steps, status) => {
    const here = bench()
    const ran = await here.run(chainOf([{ gates: [failing('retry')], on_failure }, {}]))
    expect([statuses(ran), ran.summary.status]).toEqual([steps, status])
    expect(here.calls().filter(call => call.prompt.includes('part 1'))).toHaveLength(2)
  })
})

describe('rule.noSplicing: a value never reaches a shell by interpolation', () => {
  const hostile = `$(touch pwned) \`touch pwned\`; touch pwned '"`

  test('as an argument and as a variable it arrives as it is', async () => {
    const here = bench()
    here.rules({ say: hostile })
    const value = '{{ steps.s1.output }}'
    const ran = await here.run(
      chainOf([
        {
          gates: [
            {
              type: 'bash_exit_code',
              script: 'printf %s "$V" > env.txt',
              env: { V: value },
              on_fail: 'halt',
            },
            { type: 'bash_exit_code', script: 'printf %s "$1" > arg.txt', args: [value], on_fail: 'halt' },
            {
              type: 'bash_exit_code',
              argv: ['bash', '-c', 'printf %s "$0" > argv.txt', value],
              on_fail: 'halt',
            },
            { type: 'file_contains', path: 'env.txt', text: value, on_fail: 'halt' },
            { type: 'file_contains', path: 'arg.txt', text: value, on_fail: 'halt' },
            { type: 'file_contains', path: 'argv.txt', text: value, on_fail: 'halt' },
            { type: 'bash_exit_code', argv: ['test', '!', '-e', 'pwned'], on_fail: 'halt' },
          ],
        },
      ]),
    )
    expect(ran.summary.status, ran.summary.reason ?? '').toBe('succeeded')
  })

  test.each([
    ['a script', { script: 'echo {{ steps.s1.output }}' }],
    ['a script given to a shell', { argv: ['bash', '-c', 'echo {{ steps.s1.output }}'] }],
    ['a script behind other options', { argv: ['/bin/sh', '-ec', 'echo {{ steps.s1.output }}'] }],
    ['a script among options', { argv: ['bash', '-ce', 'echo {{ steps.s1.output }}'] }],
    ['a script behind a value', { argv: ['bash', '-o', 'pipefail', '-c', 'echo {{ steps.s1.output }}'] }],
    ['a script of a shell that env starts', { argv: ['env', 'A=b', 'bash', '-c', '{{ steps.s1.output }}'] }],
    ['a script of a shell that waits', { argv: ['timeout', '5', 'dash', '-c', 'a {{ steps.s1.output }}'] }],
    ['what could be an option of a shell', { argv: ['bash', '{{ steps.s1.output }}', 'x'] }],
    ['a program of Python', { argv: ['python3', '-c', 'print({{ steps.s1.output }})'] }],
    ['a program of Node', { argv: ['node', '-e', 'f({{ steps.s1.output }})'] }],
    ['a program of Perl', { argv: ['/usr/bin/perl', '-ne', '{{ steps.s1.output }}'] }],
    ['a program for cmd', { argv: ['cmd.exe', '/c', 'echo {{ steps.s1.output }}'] }],
    ['the program', { argv: ['{{ steps.s1.output }}'] }],
  ])('a template in %s is refused before anything runs', async (_, gate) => {
    const here = bench()
    const chain = chainOf([{ gates: [{ type: 'bash_exit_code', ...gate, on_fail: 'halt' }] }])
    await expect(here.run(chain)).rejects.toThrow(/template/)
    expect(here.calls()).toEqual([])
  })
})

test.each([
  [['bash', '-c', 'test "$1" = x', 'sh', '{{ steps.s1.output }}']],
  [['bash', 'check.sh', '{{ steps.s1.output }}']],
  [['bash', '--', '{{ steps.s1.output }}']],
  [['bash', '-o', 'pipefail', 'check.sh', '-c', '{{ steps.s1.output }}']],
  [['python3', 'check.py', '-c', '{{ steps.s1.output }}']],
  [['grep', '-c', '{{ steps.s1.output }}', 'report.md']],
  [['node', 'check.mjs', '{{ steps.s1.output }}']],
])('rule.noSplicing: in %j a value is an argument', argv => {
  const chain = chainOf([{ gates: [{ type: 'bash_exit_code', argv, on_fail: 'halt' }] }])
  expect(checkChain(JSON.stringify(chain))).toHaveProperty('chain')
})

describe('rule.staysLocal: http_status asks loopback and allowed hosts alone', () => {
  test.each([
    'http://example.invalid/',
    'https://10.0.0.1/',
    'http://127.0.0.1.example.invalid/',
    'file:///etc/passwd',
    'http://u:p@127.0.0.1/',
    'http://127.0.0.1@example.invalid/',
    'http://localhost.example.invalid/',
    'http://[::ffff:8.8.8.8]/',
    'http://0.0.0.0/',
  ])('%s is refused before anything runs', async address => {
    const here = bench()
    const chain = chainOf([{ gates: [{ type: 'http_status', url: address, on_fail: 'warn' }] }])
    await expect(here.run(chain)).rejects.toThrow(/step s1: /)
    expect(here.calls()).toEqual([])
  })

  test.each([
    [['ci.invalid'], 'http://ci.invalid/'],
    [['CI.invalid'], 'http://ci.INVALID:81/'],
    [['ci.invalid:443'], 'https://ci.invalid/'],
    [['ci.invalid:80'], 'http://ci.invalid/'],
  ])('a host that the settings allow is asked: %j, %s', async (allow, url) => {
    const here = bench()
    here.settings({
      agents: { claude: agentCommand('claude', here.agents, 'Anthropic') },
      http: { allow },
    })
    const chain = chainOf([{ gates: [{ type: 'http_status', url, on_fail: 'warn' }] }])
    const { events } = await here.run(chain)
    expect(eventsOf(events, 'gate')).toMatchObject([
      { passed: false, detail: expect.stringContaining('does not answer') },
    ])
  })
})

test('mcp_call: a server that the settings do not name is refused before anything runs', async () => {
  const here = bench()
  const chain = chainOf([{ gates: [{ type: 'mcp_call', server: 'other', tool: 'x', on_fail: 'warn' }] }])
  await expect(here.run(chain)).rejects.toThrow(/no MCP server "other"/)
  expect(here.calls()).toEqual([])
})
