import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { spawn } from 'node-pty'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readWholeLog } from '../../src/runner/log/read-log.ts'
import { agentCommand, chainOf, type Rule } from '../runner/support/bench.ts'
import { controlsIn, hostileText } from '../support/control-characters.ts'
import { type Place, until } from '../support/coord.ts'
import { commandBench } from './support/command-bench.ts'

const PROGRAM = resolve(import.meta.dirname, '../../dist/coord.js')

test("ruling 5: a YAML chain is run by coord chain, the sessions' chain is shown by coord tree", async () => {
  const { here, chain } = commandBench()
  chain(chainOf([{}, {}]))
  expect((await here.run('chain', '--help')).stdout).toContain('YAML chains')
  expect((await here.run('tree', '--help')).stdout).not.toContain('YAML')
  expect((await here.run('tree', 'sample')).code).toBe(2)
})

describe('rule.chainCommands: list, validate, graph', () => {
  test('list names each chain with its place and whether it is valid', async () => {
    const { here, chain, write } = commandBench()
    chain(chainOf([{}, {}]))
    write(join(here.dir, 'data/agent-collab/chains/mine.yaml'), 'name: mine\n')
    const { chains } = (await here.run('chain', 'list', '--json')).json()
    expect(chains).toMatchObject([
      { name: 'sample', scope: 'project', valid: true, version: '1.0.0' },
      { name: 'mine', scope: 'user', valid: false },
    ])
    expect((await here.run('chain', 'list')).stdout).toMatch(/sample +1\.0\.0 +project +valid/)
  })

  test('validate tells each mistake as file:line:column, and exits with 4', async () => {
    const { here, chain, write, project } = commandBench()
    chain(chainOf([{}, {}]))
    expect((await here.run('chain', 'validate', 'sample', '--json')).json()).toMatchObject({ ok: true })
    const path = write(join(project, 'chains/bad.yaml'), 'name: bad\ndescripton: x\nsteps: []\n')
    const bad = await here.run('chain', 'validate', 'sample', 'bad')
    expect(bad.code).toBe(4)
    expect(bad.stdout).toContain(`${path}:2:1: unknown field "descripton" (did you mean "description"?)`)
    expect(bad.stdout).toContain('sample.yaml: valid')
    const json = (await here.run('chain', 'validate', 'bad', '--json')).json()
    expect(json).toMatchObject({
      ok: false,
      chains: [{ mistakes: expect.arrayContaining([expect.objectContaining({ line: 2, column: 1 })]) }],
    })
    const run = await here.run('chain', 'run', 'bad', '--json')
    expect([run.code, run.error().kind, run.error().path]).toEqual([4, 'check', path])
  })

  test('graph as text, as Mermaid and as JSON', async () => {
    const { here, chain } = commandBench()
    chain(
      chainOf([
        {},
        { instruction: '{{ steps.s1.output }}' },
        { kind: 'cross_check', of: ['steps.s2'], instruction: 'So?', needs: ['s1'] },
      ]),
    )
    expect((await here.run('chain', 'graph', 'sample')).stdout).toBe(
      '● s1  claude\n│\n● s2  claude  after s1\n│\n◇ s3  another family  after s1, s2\n',
    )
    expect((await here.run('chain', 'graph', 'sample', '--format', 'mermaid')).stdout).toBe(
      'flowchart TD\n  s0["s1<br/>claude"]\n  s1["s2<br/>claude"]\n  s2{{"s3<br/>another family"}}\n  s0 --> s1\n  s0 -.-> s2\n  s1 --> s2\n',
    )
    expect((await here.run('chain', 'graph', 'sample', '--json')).json().edges).toEqual([
      { from: 's1', to: 's2', reads: true },
      { from: 's1', to: 's3', reads: false },
      { from: 's2', to: 's3', reads: true },
    ])
  })
})

describe('rule.summary: a run ends with headline, outputs, steps, log, warnings and budget', () => {
  test.each<[string, object[], Rule[], string, number]>([
    ['succeeded', [{}, {}], [{}], 'succeeded: sample', 0],
    [
      'partial',
      [{ on_failure: 'continue', retry: 0 }, {}],
      [{ when: 'part 1', exit: 1 }, {}],
      'partial: sample (1 of 2 steps failed or could not run)',
      8,
    ],
    [
      'failed',
      [
        { on_failure: 'continue', retry: 0 },
        { on_failure: 'continue', retry: 0 },
      ],
      [{ exit: 1 }],
      'failed: sample (2 of 2 steps failed or could not run)',
      1,
    ],
    [
      'halted by an agent',
      [{ retry: 0 }, {}],
      [{ exit: 1 }],
      'halted: sample (step s1: agent claude: exit 1)',
      1,
    ],
    [
      'halted by a gate',
      [{ gates: [{ type: 'file_exists', path: '/no', on_fail: 'halt' }] }, {}],
      [{}],
      'halted: sample (step s1: gate file_exists: /no is not there (ENOENT))',
      4,
    ],
    [
      'halted by a schema',
      [{ retry: 0, output_schema: { type: 'json', schema: {} } }, {}],
      [{ say: 'x' }],
      'halted: sample (step s1: the answer is not JSON',
      4,
    ],
  ])('%s', async (_, steps, all, headline, code) => {
    const { here, rules, chain, logPath } = commandBench()
    rules(...all)
    chain(chainOf(steps, { outputs: { word: '{{ steps.s2.output }}' }, budget: { max_model_calls: 4 } }))
    const ran = await here.run('chain', 'run', 'sample')
    expect(ran.code, ran.stderr).toBe(code)
    expect(ran.stdout.startsWith(headline), ran.stdout).toBe(true)
    expect(ran.stdout).toMatch(/^word:\n {2}/m)
    expect(ran.stdout).toMatch(/^step +result +attempts +agent +elapsed +reason\ns1 +\w+/m)
    expect(ran.stdout).toContain(`audit log    ${logPath()}`)
    expect(ran.stdout).toMatch(/^warnings {5}/m)
    expect(ran.stdout).toMatch(/^model calls {2}\d made, \d left of the budget$/m)
    // The log is named before anything runs.
    expect(ran.stderr.split('\n')[0]).toBe(
      `coord: run ${/sample_\w+/.exec(logPath())?.[0]}, audit log ${logPath()}`,
    )
  })

  test('with --json it is one document, and progress is on standard error', async () => {
    const { here, chain } = commandBench()
    chain(chainOf([{}, {}], { outputs: { word: '{{ steps.s1.output }}' } }))
    const ran = await here.run('chain', 'run', 'sample', '--json')
    expect(ran.json().run).toMatchObject({
      status: 'succeeded',
      outputs: { word: 'ok' },
      steps: [{ id: 's1' }, { id: 's2' }],
      isResumable: false,
    })
    expect(ran.stderr).toContain('step 1/2 s1: succeeded')
  })

  test('--dry-run shows who would do what; nothing is started and nothing written', async () => {
    const { here, chain, calls } = commandBench()
    const gates = [{ type: 'file_exists', path: 'x', on_fail: 'warn' }]
    chain(
      chainOf([{ gates, verification: {} }, { run_if: '{{ inputs.n }} == 2' }], {
        inputs: [{ name: 'n', type: 'integer' }],
      }),
    )
    const ran = await here.run('chain', 'run', 'sample', '--dry-run', '--input', 'n=1')
    expect(ran.code).toBe(0)
    expect(ran.stdout).toContain(
      'input n = 1\n  1. s1: claude (Anthropic)\n     gate file_exists, else warn\n     verified by codex\n  2. s2: claude (Anthropic), left out by run_if\n',
    )
    expect(
      (await here.run('chain', 'run', 'sample', '--dry-run', '--input', 'n=2', '--json')).json().plan
        .steps[1],
    ).toMatchObject({ leftOut: false })
    expect([calls(), existsSync(join(here.dir, 'data/agent-collab/chain-logs'))]).toEqual([0, false])
  })
})

describe('rule.missingInputs: one question at a terminal, one error elsewhere', () => {
  const chain = chainOf([{ instruction: 'About {{ inputs.topic }} {{ inputs.n }}' }, {}], {
    inputs: [
      { name: 'topic', type: 'string', description: 'what it is about' },
      { name: 'n', type: 'integer' },
    ],
  })

  test('elsewhere all that is missing is told at once, and nothing runs', async () => {
    const made = commandBench()
    made.chain(chain)
    const ran = await made.here.run('chain', 'run', 'sample', '--json')
    expect(ran.code).toBe(2)
    expect(ran.error().message).toBe(
      'inputs of sample: topic (string: what it is about) is missing; n (integer) is missing',
    )
    expect(made.calls()).toBe(0)
  })

  test('at a terminal they are asked for, and progress is live', async () => {
    const made = commandBench()
    made.chain(chain)
    made.rules({ when: 'About a topic 3', waitFor: 'go' }, {})
    const terminal = atTerminal(made.here, made.project, ['chain', 'run', 'sample'])
    await until('the question', () =>
      /sample needs:\s+topic \(string: what it is about\)\s+n \(integer\)\s+topic: $/.test(terminal.shown()),
    )
    terminal.type('a topic\r')
    await until('the second field', () => terminal.shown().endsWith('n: '))
    terminal.type('3\r')
    await until('the live line', () => /\r\x1b\[2Kstep 1\/2 s1 [1-9]\d* s/.test(terminal.raw()))
    made.write(join(made.agents, 'go'), '')
    expect(await terminal.ended).toBe(0)
    expect(terminal.shown()).toContain('succeeded: sample')
  })

  test('answers that are pasted together are all taken', async () => {
    const made = commandBench()
    made.chain(chain)
    const terminal = atTerminal(made.here, made.project, ['chain', 'run', 'sample'])
    await until('the question', () => terminal.shown().endsWith('topic: '))
    terminal.type('a topic\r3\r')
    expect(await terminal.ended, terminal.shown()).toBe(0)
    expect(readWholeLog(made.logPath()).events[0]).toMatchObject({ inputs: { topic: 'a topic', n: 3 } })
  })

  test('at a terminal an escalated step is decided', async () => {
    const made = commandBench()
    made.rules({ times: 1, exit: 1 }, {})
    made.chain(chainOf([{ retry: 0, on_failure: 'escalate' }, {}]))
    const terminal = atTerminal(made.here, made.project, ['chain', 'run', 'sample'])
    await until('the question', () => terminal.shown().includes('retry, continue or halt: '))
    terminal.type('retry\r')
    expect(await terminal.ended).toBe(0)
  })

  test('Ctrl-C at a terminal leaves a run that can be resumed', async () => {
    const made = commandBench()
    made.rules({ when: 'part 2', hang: true, times: 1 }, {})
    made.chain(chainOf([{}, {}]))
    const terminal = atTerminal(made.here, made.project, ['chain', 'run', 'sample'])
    await until('the second step', () => made.calls() === 2)
    terminal.type('\x03')
    expect(await terminal.ended).toBe(1)
    expect(terminal.shown()).toMatch(/halted: sample \(interrupted\)/)
    const runId = /coord chain resume (sample_\w+)/.exec(terminal.shown())?.[1] as string
    const resumed = await made.here.run('chain', 'resume', runId, '--json')
    expect([resumed.code, resumed.json().run.status, made.calls()]).toEqual([0, 'succeeded', 3])
  })
})

describe('rule.chainVerify: a log is proved whole, or its first broken line is named', () => {
  async function made() {
    const all = commandBench()
    all.chain(chainOf([{}, {}]))
    const { run } = (await all.here.run('chain', 'run', 'sample', '--json')).json()
    return { ...all, run }
  }

  test('whole, by path and by run id, also against the hash of its last line', async () => {
    const { here, run } = await made()
    const lines = readWholeLog(run.logPath).events.length
    expect((await here.run('chain', 'verify', run.logPath, '--json')).json()).toEqual({
      ...{ ok: true, path: run.logPath, lines, complete: true, head: run.head, broken: null },
    })
    expect((await here.run('chain', 'verify', run.runId, '--head', run.head)).code).toBe(0)
    expect((await here.run('chain', 'verify', 'sample_20200101T000000Z_aaaaaa')).code).toBe(1)
  })

  test('a changed byte, a log cut short and an empty one exit with 4; resume refuses the first', async () => {
    const { here, run, write } = await made()
    const text = readFileSync(run.logPath, 'utf8')
    const lines = text.trimEnd().split('\n')
    const changed = write(join(here.dir, 'changed.jsonl'), text.replace('"attempt":1', '"attempt":2'))
    const line = lines.findIndex(one => one.includes('"attempt":1')) + 1
    const told = await here.run('chain', 'verify', changed)
    expect([told.code, told.stdout]).toEqual([
      4,
      `${changed}:${line}: broken: its content does not fit its own hash\n`,
    ])
    expect((await here.run('chain', 'resume', changed)).code).toBe(4)
    const short = write(join(here.dir, 'short.jsonl'), `${lines.slice(0, -1).join('\n')}\n`)
    expect((await here.run('chain', 'verify', short)).stdout).toContain('not complete')
    expect((await here.run('chain', 'verify', short, '--head', run.head)).code).toBe(4)
    expect((await here.run('chain', 'verify', write(join(here.dir, 'empty.jsonl'), ''))).code).toBe(4)
    const torn = await here.run('chain', 'verify', write(join(here.dir, 'torn.jsonl'), text.slice(0, -5)))
    expect([torn.code, torn.stdout]).toEqual([
      4,
      expect.stringContaining(`:${lines.length}: broken: it was cut off in writing`),
    ])
  })
})

test('mcp_call, json_schema and http_status are in the built program', async () => {
  const { here, chain, write, agents } = commandBench()
  const server = resolve(import.meta.dirname, '../runner/support/mcp-server.mjs')
  const settings = {
    agents: { claude: agentCommand('claude', agents, 'Anthropic') },
    mcp: { notes: { argv: [process.execPath, server] } },
  }
  write(join(here.dir, 'data/agent-collab/settings.json'), JSON.stringify(settings))
  const gates = [
    {
      type: 'mcp_call',
      server: 'notes',
      tool: 'echo',
      arguments: { text: 'word' },
      contains: 'word',
      on_fail: 'halt',
    },
    {
      type: 'json_schema',
      value: '"2026-11-01"',
      schema: { type: 'string', format: 'date' },
      on_fail: 'halt',
    },
    {
      type: 'json_schema',
      value: '"2026-13-01"',
      schema: { type: 'string', format: 'date' },
      on_fail: 'warn',
    },
    { type: 'http_status', url: 'http://127.0.0.1:9/', on_fail: 'warn' },
  ]
  chain(chainOf([{ gates }]))
  const ran = await here.run('chain', 'run', 'sample', '--json')
  expect(ran.code, ran.stdout).toBe(0)
  expect(ran.json().run.warnings).toEqual([
    expect.stringContaining('format "date"'),
    expect.stringContaining('does not answer'),
  ])
})

test('hostile text of chains, agents and logs reaches no terminal as it is', async () => {
  const { here, chain, rules, write, project } = commandBench()
  rules({ say: hostileText }, {})
  chain(
    chainOf(
      [
        {
          retry: 0,
          gates: [
            { type: 'file_contains', path: 'x', text: 'y', name: 'g\u001b[31m\u202e', on_fail: 'warn' },
          ],
        },
        { instruction: '{{ steps.s1.output }}' },
      ],
      { description: 'd\u001b]52;c;x\u0007', outputs: { all: '{{ steps.s1.output }}' } },
    ),
  )
  for (const args of [
    ['list'],
    ['validate', 'sample'],
    ['graph', 'sample'],
    ['graph', 'sample', '--json'],
    ['run', 'sample', '--dry-run'],
    ['run', 'sample'],
    ['run', 'sample', '--json'],
  ]) {
    const ran = await here.run('chain', ...args)
    expect([args, ran.code, controlsIn(ran.stdout), controlsIn(ran.stderr)]).toEqual([args, 0, [], []])
  }
  write(join(project, 'chains/evil.yaml'), '"na\\u001b[31mme": x\n"\\u202efield": 1\n')
  const bad = await here.run('chain', 'validate', 'evil')
  expect([bad.code, controlsIn(bad.stdout)]).toEqual([4, []])
  const run = await here.run('chain', 'run', 'evil')
  expect([run.code, controlsIn(run.stderr)]).toEqual([4, []])
})

test.each([
  [['chain'], 2],
  [['chain', 'run'], 2],
  [['chain', 'run', 'nothing'], 1],
  [['chain', 'run', 'sample', '--input', 'x'], 2],
  [['chain', 'run', 'sample', '--jobs', '0'], 2],
  [['chain', 'run', 'sample', '--author', 'x=mistral'], 2],
  [['chain', 'run', 'sample', '--author', 'x=person'], 2],
  [['chain', 'resume', 'nothing'], 1],
  [['chain', 'resume', 'x', '--decide', 's1=maybe'], 2],
  [['chain', 'runn', 'sample'], 2],
])('%j exits with %i and says what is wrong', async (args, code) => {
  const { here, chain } = commandBench()
  chain(chainOf([{}, {}]))
  const ran = await here.run(...args)
  expect([ran.code, ran.stderr]).toEqual([code, expect.stringMatching(/^coord: .+ \([a-z-]+\)$/m)])
})

/** coord at a terminal of its own. */
function atTerminal(here: Place, cwd: string, args: string[]) {
  const env = {
    ...{ PATH: process.env.PATH ?? '', HOME: join(here.dir, 'home'), TERM: 'xterm' },
    XDG_DATA_HOME: join(here.dir, 'data'),
  }
  const pty = spawn(process.execPath, [PROGRAM, ...args], { cwd, env, cols: 200, rows: 40 })
  let raw = ''
  pty.onData(data => {
    raw += data
  })
  let isOver = false
  const ended = new Promise<number>(done =>
    pty.onExit(({ exitCode }) => {
      isOver = true
      done(exitCode)
    }),
  )
  onTestFinished(() => {
    if (!isOver) pty.kill('SIGKILL')
  })
  return {
    type: (text: string) => pty.write(text),
    raw: () => raw,
    // What a person reads: without the movements of the cursor.
    shown: () => raw.replace(/\x1b\[[\d;?]*[A-Za-z]/g, '').replaceAll('\r', ''),
    ended,
  }
}
