import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { verdictOf } from '../../src/runner/answer/verdict.ts'
import { readLog } from '../../src/runner/log/read-log.ts'
import { processIdentity } from '../../src/runner/processes/process-identity.ts'
import { checkChain, checkFile } from '../../src/runner/spec/read-chain.ts'
import { isPosix } from '../support/only-where.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { agentCommand, type Bench, bench, chainOf, eventsOf, statuses } from './support/bench.ts'

/** Leaves a process behind that is in a session of its own and holds the output of the one that started it. */
const LEAVES_ONE = `const { spawn } = require('node:child_process')
const child = spawn('sleep', ['300'], { detached: true, stdio: ['ignore', 'inherit', 'inherit'] })
child.unref()
require('node:fs').writeFileSync('left.pid', String(child.pid))
console.log('answer')`

/** JSON of a depth at which whatever goes down into it step by step runs out of stack. */
const DEEP = `${'['.repeat(200_000)}${']'.repeat(200_000)}`

function withAgent(here: Bench, agent: object): Bench {
  here.settings({
    agents: {
      claude: { family: 'Anthropic', ...agent },
      codex: agentCommand('codex', here.agents, 'OpenAI'),
    },
  })
  return here
}

function endLeftOver(here: Bench): void {
  process.kill(Number(readFileSync(join(here.place.project, 'left.pid'), 'utf8')), 'SIGKILL')
}

const MATCHES_SLOWLY = '^(a+)+$'
const SLOW = `${'a'.repeat(40)}!`

describe('rule.bounded: whatever a command or an answer does, the attempt ends', () => {
  beforeEach(({ skip }) => skip(!isPosix, 'commands of a POSIX system'))

  test('an agent that leaves a process behind which holds its output has answered', async () => {
    const here = withAgent(bench(), { argv: [process.execPath, '-e', LEAVES_ONE] })
    const ran = await here.run(chainOf([{}]))
    endLeftOver(here)
    expect(statuses(ran)).toBe('succeeded')
  })

  test('a command of a gate that leaves one behind has ended', async () => {
    const here = bench()
    const gate = { type: 'bash_exit_code', argv: [process.execPath, '-e', LEAVES_ONE], on_fail: 'halt' }
    const ran = await here.run(chainOf([{ gates: [gate] }]))
    endLeftOver(here)
    expect(statuses(ran)).toBe('succeeded')
  })

  test('one that is over its time and leaves one behind is over', async () => {
    const here = withAgent(bench(), {
      argv: [process.execPath, '-e', `${LEAVES_ONE}; setInterval(() => {}, 1000)`],
    })
    const ran = await here.run(chainOf([{ timeout: '1s', retry: 0 }]))
    endLeftOver(here)
    expect(ran.summary.reason).toMatch(/no answer within 1 s/)
  })

  test.each([
    ['an agent, as its prompt', { prompt: 'argument' }, {}],
    ['a gate, as an argument', {}, { argv: ['echo', '{{ steps.s1.output }}'] }],
    ['a gate, as a variable', {}, { script: 'true', env: { V: '{{ steps.s1.output }}' } }],
  ])('what a command cannot be given fails the attempt: %s', async (_, agent, gate) => {
    for (const said of ['a\\0b', 'x'.repeat(300_000)]) {
      const here = withAgent(bench(), {
        argv: [process.execPath, '-e', `process.stdout.write('${said}')`, '--'],
        ...agent,
      })
      const gates = 'prompt' in agent ? [] : [{ type: 'bash_exit_code', ...gate, on_fail: 'retry' }]
      const ran = await here.run(
        chainOf([
          { retry: 0, on_failure: 'continue', gates },
          { instruction: '{{ steps.s1.output }}', retry: 0 },
        ]),
      )
      expect(ran.events.at(-1)?.event).toBe('chain_complete')
      expect(JSON.stringify(ran.summary.steps)).toMatch(/not started/)
    }
  })

  test.each<[string, object, string]>([
    [
      'a slow output_anchor',
      { output_schema: { type: 'structured-text', output_anchor: MATCHES_SLOWLY } },
      SLOW,
    ],
    [
      'a slow pattern of a schema',
      { output_schema: { type: 'json', schema: { pattern: MATCHES_SLOWLY } } },
      JSON.stringify(SLOW),
    ],
    [
      'many different items',
      { output_schema: { type: 'json', schema: { uniqueItems: true } } },
      JSON.stringify(Array.from({ length: 60_000 }, (_, n) => ({ n }))),
    ],
    ['JSON of great depth', { output_schema: { type: 'json', schema: {} } }, DEEP],
    ['JSON of great depth in a line', { output_schema: { type: 'jsonl' } }, DEEP],
    [
      'JSON of great depth in a schema that refers to itself',
      { output_schema: { type: 'json', schema: { items: { $ref: '#' } } } },
      DEEP,
    ],
  ])('%s refuses the answer', async (_, step, say) => {
    const here = bench()
    here.rules({ say })
    const ran = await here.run(chainOf([{ ...step, retry: 0 }]))
    expect(ran.summary).toMatchObject({ status: 'halted', refused: true, steps: [{ status: 'failed' }] })
    expect(ran.events.at(-1)?.event).toBe('chain_complete')
  })

  test.each<[string, object]>([
    ['a slow pattern', { type: 'file_contains', path: 'slow.txt', pattern: MATCHES_SLOWLY }],
    ['a file that never ends', { type: 'file_contains', path: '/dev/zero', text: 'x' }],
    ['a pipe that nobody writes', { type: 'file_contains', path: 'pipe', text: 'x' }],
    ['a schema in a pipe', { type: 'json_schema', schema_file: 'pipe' }],
    ['JSON of great depth', { type: 'json_schema', path: 'deep.json', schema: { items: { $ref: '#' } } }],
    ['a server that floods', { type: 'mcp_call', server: 'flood', tool: 'x', timeout: '3s' }],
    ['a server that hangs', { type: 'mcp_call', server: 'hang', tool: 'x', timeout: '1s' }],
  ])('a gate does not pass by %s, and comes to its end', async (_, gate) => {
    const here = bench()
    here.settings({
      agents: { claude: agentCommand('claude', here.agents, 'Anthropic') },
      mcp: { flood: { argv: ['yes'] }, hang: { argv: ['sleep', '300'] } },
    })
    here.write(join(here.place.project, 'slow.txt'), SLOW)
    here.write(join(here.place.project, 'deep.json'), DEEP)
    spawnSync('mkfifo', [join(here.place.project, 'pipe')])
    const ran = await here.run(chainOf([{ gates: [{ ...gate, on_fail: 'warn' }] }]))
    expect(eventsOf(ran.events, 'gate')).toMatchObject([{ passed: false }])
  })

  test('a server that heeds neither the end of its input nor a signal is ended', async () => {
    const here = bench()
    const deaf = `require('node:fs').writeFileSync('server.pid', String(process.pid))
process.on('SIGTERM', () => {})
setInterval(() => {}, 1000)`
    here.settings({
      agents: { claude: agentCommand('claude', here.agents, 'Anthropic') },
      mcp: { deaf: { argv: [process.execPath, '-e', deaf] } },
    })
    const gate = { type: 'mcp_call', server: 'deaf', tool: 'x', timeout: '1s', on_fail: 'warn' }
    await here.run(chainOf([{ gates: [gate] }]))
    const pid = Number(readFileSync(join(here.place.project, 'server.pid'), 'utf8'))
    await expect.poll(() => processIdentity(pid)).toBeNull()
  })

  test.each([
    ['lines that are no messages', 'yes', 'what it says is not MCP'],
    ['one line without an end', 'tr "\\0" x < /dev/zero', 'it said over 8 MiB'],
    ['nothing, since it is not there', 'exec no-such-program-here', 'Connection closed'],
  ])('a server that says %s is ended, and the gate tells why', async (_, script, why) => {
    const here = bench()
    here.settings({
      agents: { claude: agentCommand('claude', here.agents, 'Anthropic') },
      mcp: { odd: { argv: ['bash', '-c', script] } },
    })
    const gate = { type: 'mcp_call', server: 'odd', tool: 'x', on_fail: 'warn' }
    const ran = await here.run(chainOf([{ gates: [gate] }]))
    expect(eventsOf(ran.events, 'gate')[0]?.detail).toContain(why)
  })

  test('a server is in the log before it is spoken to, and ended with what it has started', async () => {
    const here = bench()
    const script = 'sleep 60 & echo $! > child.pid; exec sleep 60'
    here.settings({
      agents: { claude: agentCommand('claude', here.agents, 'Anthropic') },
      mcp: { busy: { argv: ['bash', '-c', script] } },
    })
    const gate = { type: 'mcp_call', server: 'busy', tool: 'x', timeout: '1s', on_fail: 'warn' }
    const ran = await here.run(chainOf([{ gates: [gate] }]))
    const child = Number(readFileSync(join(here.place.project, 'child.pid'), 'utf8'))
    await expect.poll(() => processIdentity(child)).toBeNull()
    const names = ran.events.map(event => event.event)
    const [started, ended, judged] = ['command_started', 'command_ended', 'gate'].map(name =>
      names.indexOf(name as (typeof names)[number]),
    ) as [number, number, number]
    expect(started).toBeGreaterThan(0)
    expect([ended, judged]).toEqual([started + 1, started + 2])
  })

  test('an answer that is not UTF-8 is none', async () => {
    const here = withAgent(bench(), { argv: ['bash', '-c', "printf 'a\\377b'"] })
    const ran = await here.run(chainOf([{ retry: 0 }]))
    expect(ran.summary.reason).toMatch(/its answer is not UTF-8/)
  })

  test('a chain or a log that is a pipe, a device or a folder is none', () => {
    const folder = tempFolder()
    spawnSync('mkfifo', [join(folder, 'pipe')])
    for (const path of [join(folder, 'pipe'), '/dev/zero', folder]) {
      expect(checkFile(path)).toMatchObject({ mistakes: [{ message: `${path} is no file` }] })
      expect(() => readLog(path)).toThrow(/is no audit log/)
    }
  })

  test('a verdict is looked for in any answer at once', () => {
    for (const text of [
      `x${'\n'.repeat(300_000)}x`,
      `x${' '.repeat(300_000)}x`,
      `x${'*\n'.repeat(300_000)}x`,
    ]) {
      const started = Date.now()
      expect(verdictOf({ text, value: text }, ['pass'])).toBeNull()
      expect(Date.now() - started).toBeLessThan(2_000)
    }
  })
})

describe('rule.closedFormat: no file makes the check of a chain fail', () => {
  test.each([
    ['lists in lists', `steps: ${'['.repeat(100_000)}`],
    ['lists in lists that are closed', `steps: ${'['.repeat(700)}${']'.repeat(700)}`],
    [
      'a condition that negates itself often',
      JSON.stringify(chainOf([{ run_if: `${'not '.repeat(100_000)}x` }])),
    ],
    ['maps in maps', Array.from({ length: 3_000 }, (_, n) => `${' '.repeat(n)}a:`).join('\n')],
    [
      'aliases of aliases',
      [
        'a0: &a0 [x, x]',
        ...Array.from({ length: 40 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`),
      ].join('\n'),
    ],
    ['an alias of itself', 'a: &a [*a]'],
    ['a key twice', 'name: a\nname: b'],
    ['a merge key', 'x: &x { name: a }\n<<: *x'],
    ['a tag', 'name: !!js/function "function () {}"'],
    ['a name of every object', '__proto__: { name: a }\nconstructor: 1'],
  ])('%s', (_, text) => {
    expect(checkChain(text)).toMatchObject({
      mistakes: expect.arrayContaining([expect.objectContaining({ line: expect.any(Number) })]),
    })
  })

  test.each([
    ['async', { $async: true, type: 'object' }],
    ['elsewhere', { $ref: 'http://127.0.0.1:1/schema.json' }],
    ['a file', { $ref: 'file:///etc/passwd' }],
  ])('a schema that is %s is refused', (_, schema) => {
    const form = { type: 'json', schema }
    expect(checkChain(JSON.stringify(chainOf([{ output_schema: form }])))).toMatchObject({
      mistakes: [{ message: expect.stringMatching(/no JSON Schema/) }],
    })
  })
})
