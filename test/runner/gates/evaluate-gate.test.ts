import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { evaluateGate } from '../../../src/runner/gates/evaluate-gate.ts'
import type { GateContext } from '../../../src/runner/gates/gate-context.ts'
import { refusedAddress } from '../../../src/runner/gates/http-status.ts'
import { BEFORE_START } from '../../../src/runner/plan/run-state.ts'
import { valuesIn } from '../../../src/runner/plan/values.ts'
import type { Gate } from '../../../src/runner/spec/chain-schema.ts'
import { sharedTempFolder } from '../../support/temp-folder.ts'

const cwd = sharedTempFolder()
const asked: { method: string; path: string }[] = []
const server = createServer((request, response) => {
  asked.push({ method: request.method ?? '', path: request.url ?? '' })
  if (request.url === '/hang') return
  const status = Number(request.url?.slice(1))
  response.writeHead(status, status === 302 ? { location: '/200' } : {}).end('body')
})
let url = ''
beforeAll(async () => {
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  mkdirSync(join(cwd, 'folder'))
  writeFileSync(join(cwd, 'report.md'), 'status: green\nrows: 3\n')
  writeFileSync(join(cwd, 'data.json'), '{"rows": 3}')
  writeFileSync(join(cwd, 'bad.json'), '{"word": hunter2-secret}')
  writeFileSync(join(cwd, 'rows.schema.json'), '{"required":["rows"]}')
  writeFileSync(join(cwd, 'large'), Buffer.alloc(16 * 1_048_576, 0x61))
  writeFileSync(join(cwd, 'larger'), Buffer.alloc(16 * 1_048_576 + 1, 0x61))
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const MCP_SERVER = resolve(import.meta.dirname, '../support/mcp-server.mjs')
const answer = { text: '{"n": 1}', value: '{"n": 1}' }

/** What a gate is evaluated with, and what it did. */
function context(more: Partial<GateContext> = {}) {
  const did: string[] = []
  const made: GateContext = {
    ...{ cwd, env: { PATH: process.env.PATH, KEPT: 'kept' }, output: answer },
    settings: {
      ...{ path: '', agents: [], httpHosts: [] },
      mcpServers: { notes: { argv: [process.execPath, MCP_SERVER], env: { NOTES_WORD: 'hunter2-secret' } } },
    },
    signal: new AbortController().signal,
    lookUp: valuesIn({ topic: 'green', list: ['a', 1], no: null }, BEFORE_START, {
      id: 's1',
      output: answer,
    }),
    redact: text => text.replaceAll('hunter2-secret', '[redacted]'),
    commandStarted: pid => did.push(pid > 0 ? 'started' : 'no pid'),
    commandEnded: () => did.push('ended'),
    askVerifier: async ask => ({ answer: `said ${JSON.stringify(ask)}\nVERDICT: pass` }),
    skill: reference => ({ reference, path: '', folder: '', text: 'Check.', sha256: '' }),
    ...more,
  }
  return { made, did }
}
const evaluate = (gate: object, more: Partial<GateContext> = {}) =>
  evaluateGate({ on_fail: 'halt', ...gate } as Gate, context(more).made)

type Row = [gate: object, passed: boolean, detail: RegExp]
const command = (more: object) => ({ type: 'bash_exit_code', ...more })
const exit = (code: number, expect?: number) =>
  command({ script: `exit ${code}`, ...(expect === undefined ? {} : { expect }) })
const file = (more: object) => ({ type: 'file_contains', path: 'report.md', ...more })
const schema = (more: object) => ({ type: 'json_schema', ...more })

describe('rule.gates: a gate whose value is not there has not passed', () => {
  const NONE = '{{ steps.other.output }}'
  test.each<object>([
    { type: 'file_exists', path: `report.md${NONE}` },
    file({ text: NONE }),
    command({ argv: ['true', NONE] }),
    command({ script: 'true', args: [NONE] }),
    command({ script: 'true', env: { A: NONE } }),
    { type: 'http_status', url: `http://127.0.0.1/${NONE}` },
    schema({ schema: true, value: NONE }),
    schema({ schema: true, path: NONE }),
    schema({ schema_file: NONE }),
    { type: 'ai_cross_check', instruction: NONE },
    { type: 'ai_cross_check', instruction: 'x', input: { a: NONE } },
    { type: 'skill', skill: 'p:s@1.0.0', input: { a: NONE } },
    { type: 'mcp_call', server: 'notes', tool: 'echo', arguments: { text: NONE } },
  ])('%j', async gate => {
    expect(await evaluate(gate)).toEqual({ passed: false, detail: 'step other has no output' })
  })

  test('what is no missing value is no verdict of a gate', async () => {
    const fails = evaluate(
      { type: 'file_exists', path: '{{ inputs.topic }}' },
      {
        lookUp: () => {
          throw new TypeError('a fault')
        },
      },
    )
    await expect(async () => fails).rejects.toThrow('a fault')
  })
})

describe('rule.gates: commands', () => {
  test.each<Row>([
    [exit(0), true, /^the bash script: exit 0$/],
    [exit(1), false, /^the bash script: exit 1, not 0$/],
    [exit(3, 3), true, /exit 3$/],
    [exit(0, 3), false, /exit 0, not 3$/],
    [exit(1, 3), false, /exit 1, not 3$/],
    [exit(0, 0), true, /exit 0$/],
    [exit(255, 255), true, /exit 255$/],
    [command({ script: 'kill -9 $$' }), false, /exit SIGKILL, not 0/],
    [command({ script: 'echo a >&2; echo b >&2; exit 2' }), false, /exit 2, not 0: b$/],
    [command({ script: 'echo said >&2' }), true, /exit 0$/],
    [command({ script: 'echo hunter2-secret >&2; exit 1' }), false, /: \[redacted\]$/],
    [
      command({ script: 'test -z "$BASH_VERSION"', shell: 'sh', args: ['x'] }),
      expect.any(Boolean),
      /^the sh script/,
    ],
    [
      command({
        script: 'test "$0:$1:$2" = "bash:green:[\\"a\\",1]"',
        args: ['{{ inputs.topic }}', '{{ inputs.list }}'],
      }),
      true,
      /exit 0/,
    ],
    [
      command({ script: 'test "$A" = green -a "$KEPT" = kept', env: { A: '{{ inputs.topic }}' } }),
      true,
      /exit 0/,
    ],
    [command({ script: 'test "$KEPT" = other', env: { KEPT: 'other' } }), true, /exit 0/],
    [command({ argv: ['test', '{{ inputs.topic }}', '=', 'green'] }), true, /^test: exit 0$/],
    [command({ argv: ['test', '-f', 'report.md'] }), true, /exit 0/],
    [command({ argv: ['no-such-program'] }), false, /^no-such-program: not started: .*, not 0/],
    [
      command({ script: 'trap "exit 0" TERM; sleep 300 & wait', timeout: '1s' }),
      false,
      /no answer within 1 s, not 0/,
    ],
  ])('%j passes: %s', async (gate, passed, detail) => {
    const { made, did } = context()
    expect(await evaluateGate({ on_fail: 'halt', ...gate } as Gate, made)).toEqual({
      passed,
      detail: expect.stringMatching(detail),
    })
    expect(did.at(-1)).toBe('ended')
    if (!detail.source.includes('not started')) expect(did).toEqual(['started', 'ended'])
  })
})

describe('rule.gates: files and JSON', () => {
  test.each<Row>([
    [{ type: 'file_exists', path: 'report.md' }, true, /report\.md is there$/],
    [{ type: 'file_exists', path: 'folder' }, true, /is there$/],
    [{ type: 'file_exists', path: 'no' }, false, /no is not there \(ENOENT\)$/],
    [{ type: 'file_exists', path: 'report.md/x' }, false, /is not there \(ENOTDIR\)$/],
    [file({ text: '{{ inputs.topic }}' }), true, /holds "green"$/],
    [file({ text: 'Green' }), false, /does not hold "Green"$/],
    [file({ text: '.' }), false, /does not hold/],
    [file({ pattern: '^rows: \\d+$' }), true, /holds text that fits/],
    [file({ pattern: '^green' }), false, /does not hold text that fits \^green$/],
    [file({ pattern: 'GREEN' }), false, /does not hold/],
    [file({ text: 'x', path: 'folder' }), false, /folder /],
    [file({ text: 'x', path: 'no' }), false, /cannot be read \(ENOENT\)$/],
    [file({ text: 'aaa', path: 'large' }), true, /holds/],
    [file({ text: 'aaa', path: 'larger' }), false, /larger is over 16 MiB$/],
    [file({ text: 'x'.repeat(99) }), false, /"x{80}"$/],
    [schema({ schema: { required: ['n'] } }), true, /^the value fits the schema$/],
    [schema({ schema: { required: ['m'] } }), false, /must have required property 'm'/],
    [schema({ schema: { const: 'green' }, value: '{{ inputs.topic }}' }), false, /^the value is not JSON/],
    [schema({ schema: { type: 'array' }, value: '{{ inputs.list }}' }), true, /fits/],
    [schema({ schema: { type: 'null' }, value: '{{ inputs.no }}' }), true, /fits/],
    [schema({ schema: false }), false, /boolean schema is false|false/],
    [schema({ schema: { required: ['rows'] }, path: 'data.json' }), true, /fits/],
    [schema({ schema: { required: ['n'] }, path: 'data.json' }), false, /'n'/],
    [schema({ schema_file: 'rows.schema.json', path: 'data.json' }), true, /fits/],
    [schema({ schema_file: 'rows.schema.json' }), false, /'rows'/],
    [schema({ schema_file: 'bad.json' }), false, /bad\.json is not JSON/],
    [schema({ schema: true, path: 'no.json' }), false, /cannot be read \(ENOENT\)/],
    [schema({ schema: { type: 'objet' } }), false, /^no JSON Schema: /],
  ])('%j passes: %s', async (gate, passed, detail) => {
    expect(await evaluate(gate)).toEqual({ passed, detail: expect.stringMatching(detail) })
  })

  test('rule.noSecrets: why a file is not JSON quotes nothing secret', async () => {
    const { detail } = await evaluate(schema({ schema: true, path: 'bad.json' }))
    expect(detail).toMatch(/bad\.json is not JSON/)
    expect(detail).not.toMatch(/hunter|secret/)
  })
})

describe('rule.gates: servers', () => {
  const http = (path: string, more: object = {}) => ({ type: 'http_status', url: `${url}${path}`, ...more })
  test.each<[string, object, boolean, RegExp]>([
    ['/200', {}, true, /answers 200$/],
    ['/201', {}, false, /answers 201, not 200$/],
    ['/201', { expect: 201 }, true, /answers 201$/],
    ['/200', { expect: 201 }, false, /answers 200, not 201$/],
    ['/204', { expect: [200, 204] }, true, /answers 204$/],
    ['/500', { expect: [200, 204] }, false, /answers 500, not 200 or 204$/],
    ['/302', {}, false, /answers 302, not 200$/],
    ['/200', { method: 'HEAD' }, true, /answers 200$/],
    ['/hang', { timeout: '1s' }, false, /does not answer: /],
  ])('%s %j passes: %s', async (path, more, passed, detail) => {
    asked.length = 0
    expect(await evaluate(http(path, more))).toEqual({ passed, detail: expect.stringMatching(detail) })
    expect(asked).toEqual([{ method: 'method' in more ? 'HEAD' : 'GET', path }])
  })

  test.each<[string, string[], boolean]>([
    ['http://localhost:1/', [], true],
    ['http://127.9.9.9/', [], true],
    ['https://[::1]:8/', [], true],
    ['http://128.0.0.1/', [], false],
    ['http://1127.0.0.1/', [], false],
    ['http://127.0.0.1.example/', [], false],
    ['http://a127.0.0.1/', [], false],
    ['http://localhost.example/', [], false],
    ['ftp://localhost/', [], false],
    ['localhost', [], false],
    ['http://u@localhost/', [], false],
    ['http://:p@localhost/', [], false],
    ['http://ci.example/', ['ci.example'], true],
    ['http://CI.example/', ['Ci.Example'], true],
    ['http://ci.example:81/', ['ci.example'], true],
    ['http://ci.example:81/', ['ci.example:80'], false],
    ['http://ci.example/', ['ci.example:80'], true],
    ['https://ci.example/', ['ci.example:443'], true],
    ['https://ci.example/', ['ci.example:80'], false],
    ['http://x.ci.example/', ['ci.example'], false],
    ['http://b.example/', ['a.example', 'b.example'], true],
  ])('rule.staysLocal: %s where %j is allowed: %s', (address, allowed, isAsked) => {
    expect(refusedAddress(address, allowed) === null).toBe(isAsked)
  })

  test('an address that a value leads elsewhere is not asked', async () => {
    const gate = { type: 'http_status', url: 'http://{{ inputs.topic }}.example/' }
    expect(await evaluate(gate)).toEqual({
      passed: false,
      detail: 'green.example is neither this computer nor a host that the settings of the runner allow',
    })
  })

  const call = (more: object) => ({ type: 'mcp_call', server: 'notes', tool: 'echo', ...more })
  test.each<Row>([
    [call({ arguments: { text: '{{ inputs.topic }}' } }), true, /^notes\.echo answers "green"$/],
    [call({ arguments: { text: 'a' }, contains: '{{ inputs.topic }}' }), false, /, without "green"$/],
    [call({ arguments: { text: 'a green b' }, contains: '{{ inputs.topic }}' }), true, /answers/],
    [call({ arguments: { text: '{"n":1}' }, schema: { required: ['n'] } }), true, /answers/],
    [call({ arguments: { text: '{"n":1}' }, schema: { required: ['m'] } }), false, /: .*'m'$/],
    [call({ arguments: { text: '{"n":1}' }, contains: 'x', schema: true }), false, /without "x"/],
    [call({ arguments: { text: 'no JSON' }, schema: { type: 'string' } }), true, /answers/],
    [call({ tool: 'fail' }), false, /, as an error$/],
    [call({ tool: 'word' }), true, /answers "\[redacted\]"$/],
    [call({ server: 'other' }), false, /^no MCP server "other"/],
  ])('%j passes: %s', async (gate, passed, detail) => {
    const { made, did } = context()
    expect(await evaluateGate({ on_fail: 'halt', ...gate } as Gate, made)).toEqual({
      passed,
      detail: expect.stringMatching(detail),
    })
    expect(did).toEqual('server' in gate && gate.server === 'other' ? [] : ['started', 'ended'])
  })
})

describe('rule.gates: what another family says', () => {
  const says = (text: string) => ({ askVerifier: async () => ({ answer: text }) })
  const gate = {
    type: 'ai_cross_check',
    instruction: 'Is {{ inputs.topic }} so?',
    input: { a: '{{ inputs.list }}' },
  }
  test.each<[string, boolean, RegExp]>([
    ['fine\nVERDICT: pass', true, /^verdict pass: fine$/],
    ['bad\nVERDICT: fail', false, /^verdict fail: bad$/],
    ['VERDICT: pass\nVERDICT: fail', false, /^verdict fail/],
    ['VERDICT: passed', false, /^the answer gives no verdict$/],
    ['pass', false, /no verdict$/],
    ['', false, /no verdict$/],
    [`${'x'.repeat(300)}\nVERDICT: pass`, true, /: x{200}$/],
  ])('%j passes: %s', async (text, passed, detail) => {
    expect(await evaluate(gate, says(text))).toEqual({ passed, detail: expect.stringMatching(detail) })
  })

  test('it is asked about the answer, with what the gate gives it and the time that it has', async () => {
    const seen: unknown[] = []
    const askVerifier: GateContext['askVerifier'] = async (ask, timeout) => {
      seen.push(ask, timeout)
      return { problem: 'nobody is there' }
    }
    const nobody = { passed: false, detail: 'nobody is there' }
    expect(await evaluate({ ...gate, timeout: '5s' }, { askVerifier })).toEqual(nobody)
    expect(await evaluate({ type: 'skill', skill: 'p:s@1.0.0' }, { askVerifier })).toEqual(nobody)
    expect(seen).toEqual([
      {
        instruction: 'Is green so?',
        input: { artifact: answer.value, a: ['a', 1] },
        verdict: 'pass or fail',
      },
      '5s',
      {
        ...{ skill: expect.objectContaining({ reference: 'p:s@1.0.0' }), verdict: 'pass or fail' },
        input: { artifact: answer.value },
      },
      undefined,
    ])
  })
})
