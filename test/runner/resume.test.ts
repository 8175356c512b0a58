import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { beforeAll, describe, expect, test } from 'vitest'
import type { LoggedEvent } from '../../src/runner/log/event.ts'
import { readLog, readWholeLog } from '../../src/runner/log/read-log.ts'
import { until } from '../support/coord.ts'
import { isLinux, onlyWhere } from '../support/only-where.ts'
import { sharedTempFolder, tempFolder } from '../support/temp-folder.ts'
import { agentCommand, type Bench, bench, chainOf, eventsOf, statuses } from './support/bench.ts'
import type { Life } from './support/killed-run.ts'

const PROJECT = resolve(import.meta.dirname, '../..')
const folder = sharedTempFolder()
const PROGRAM = join(folder, 'killed-run.mjs')

beforeAll(async () => {
  await build({
    entryPoints: [join(import.meta.dirname, 'support/killed-run.ts')],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // As the program itself is built: in one file a package that is also imported late is not set up in time.
    splitting: true,
    format: 'esm',
    platform: 'node',
    external: ['better-sqlite3'],
    banner: {
      js: `import { createRequire as requireOf } from 'node:module'; const require = requireOf('${PROJECT}/');`,
    },
    define: { 'import.meta.url': JSON.stringify(`file://${PROJECT}/x.js`) },
    logLevel: 'error',
  })
})

/** Every kind of step and of event that a run can go through without a person. */
const CHAIN = chainOf(
  [
    {
      output_schema: { type: 'json', schema: { type: 'object', required: ['n'] } },
      gates: [
        { type: 'file_exists', path: 'nope', on_fail: 'warn' },
        { type: 'bash_exit_code', argv: ['true'], on_fail: 'halt' },
        { type: 'ai_cross_check', instruction: 'Good?', on_fail: 'halt' },
      ],
    },
    { isolation: { type: 'worktree', cleanup: 'always' }, verification: {} },
    { run_if: false },
    { retry: 0, on_failure: 'continue' },
    { instruction: 'Read {{ steps.s4.output }}' },
    { kind: 'cross_check', of: ['steps.s1'], instruction: 'True? {{ steps.s1.output }}' },
  ],
  {
    outputs: {
      n: '{{ steps.s1.output.n }}',
      two: '{{ steps.s2.output }}',
      check: '{{ steps.s6.output }}',
      none: '{{ steps.s4.output }}',
    },
  },
)

function prepared(): Bench & { chainPath: string } {
  const here = bench()
  const git = (...args: string[]) => {
    const done = spawnSync('git', args, { cwd: here.place.project, env: here.place.env, encoding: 'utf8' })
    if (done.status !== 0) throw new Error(done.stderr)
  }
  git('init', '-q', '-b', 'main')
  git(
    '-c',
    'user.name=t',
    '-c',
    'user.email=t@example.invalid',
    'commit',
    '-q',
    '--allow-empty',
    '-m',
    'first',
  )
  here.rules(
    { agent: 'codex', when: 'Good?', say: 'VERDICT: pass' },
    { agent: 'codex', when: 'True?', say: 'VERDICT: agree' },
    { when: 'part 1', times: 1, say: '{}' },
    { when: 'part 1', say: '{"n": 7}' },
    { when: 'part 4', exit: 3 },
    { say: 'fine' },
  )
  return Object.assign(here, { chainPath: here.chain(CHAIN) })
}

/** One life of the run; gives what its log holds when it is over. */
function live(here: Bench & { chainPath: string }, life: Partial<Life>) {
  const whole: Life = {
    ...{ place: here.place, chainPath: here.chainPath, logPath: null, killAfter: 1e9, torn: false, jobs: 1 },
    ...life,
  }
  const { signal, status, stderr } = spawnSync(process.execPath, [PROGRAM, JSON.stringify(whole)], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  })
  if (signal === null && status !== 0) throw new Error(stderr)
  const logs = join(here.place.runnerFolder, 'chain-logs', 'sample')
  const name = readdirSync(logs).find(one => one.endsWith('.jsonl')) as string
  return { logPath: join(logs, name), killed: signal === 'SIGKILL' }
}

const completed = (events: readonly LoggedEvent[]) =>
  eventsOf(events, 'step_completed').map(event => event.step)

/** The steps that agents were asked to do, other than in gates and verifications. */
function stepsAsked(here: Bench, from: number): string[] {
  return here
    .calls('claude')
    .slice(from)
    .flatMap(call => /Do part (\d)/.exec(call.prompt)?.[1] ?? [])
    .map(number => `s${number}`)
}

describe('rule.resume: a run that was killed at any event goes on at the exact step', () => {
  const EXPECTED = {
    status: 'partial',
    outputs: { n: 7, two: 'fine', check: 'VERDICT: agree', none: null },
  }
  const STATUSES = 'succeeded succeeded skipped failed blocked succeeded'
  let events: LoggedEvent[] = []

  test('killed after each event in turn, with and without a torn last line', async () => {
    const whole = prepared()
    const { logPath } = live(whole, {})
    events = readWholeLog(logPath).events
    expect(events.at(-1)).toMatchObject({ event: 'chain_complete', ...EXPECTED })
    expect(events.length).toBeGreaterThan(40)
    for (let killAfter = 1; killAfter < events.length; killAfter++) {
      const here = prepared()
      const torn = killAfter % 2 === 0
      const first = live(here, { killAfter, torn })
      const what = `killed after event ${killAfter}, ${events[killAfter - 1]?.event}`
      expect(first.killed, what).toBe(true)
      const before = readWholeLog(first.logPath)
      expect([before.events.length, before.torn === null], what).toEqual([killAfter, !torn])
      const finished = completed(before.events)
      const asked = here.calls('claude').length
      const ran = await here.resume(first.logPath)
      expect([ran.summary.status, ran.summary.outputs, statuses(ran)], what).toEqual([
        ...[EXPECTED.status, EXPECTED.outputs, STATUSES],
      ])
      // No finished step ran a second time, and each ended once.
      expect(
        stepsAsked(here, asked).filter(step => finished.includes(step)),
        what,
      ).toEqual([])
      expect([...completed(ran.events)].sort(), what).toEqual(['s1', 's2', 's3', 's4', 's5', 's6'])
      // What was cut off in flight is said to be.
      const open = inFlight(before.events)
      expect(
        eventsOf(ran.events, 'step_cut_off').map(event => event.step),
        what,
      ).toEqual(open)
      const resumed = eventsOf(ran.events, 'run_resumed')
      expect(
        resumed.map(event => event.torn_bytes > 0),
        what,
      ).toEqual([torn])
      expect(readLog(first.logPath), what).toMatchObject({ broken: null, torn: null, isComplete: true })
      expect(worktreesLeft(here), what).toEqual([])
    }
  }, 600_000)

  test('killed again and again, it still comes to its end', async () => {
    const here = prepared()
    let life = live(here, { killAfter: 5 })
    let lives = 1
    // Each life gets a little further than one event, since a step that is cut off begins anew.
    for (; life.killed && lives < 40; lives++)
      life = live(here, { logPath: life.logPath, killAfter: 20, torn: lives % 3 === 0 })
    const log = readWholeLog(life.logPath)
    expect(log.events.at(-1)).toMatchObject({ event: 'chain_complete', ...EXPECTED })
    expect(lives).toBeGreaterThan(3)
    expect([...completed(log.events)].sort()).toEqual(['s1', 's2', 's3', 's4', 's5', 's6'])
  })

  test('with several steps at work each of them begins again', async () => {
    const here = prepared()
    const parallel = chainOf([{}, {}, {}])
    here.rules({ waitFor: 'go' })
    const chainPath = here.chain(parallel)
    const { logPath } = live(Object.assign(here, { chainPath }), { jobs: 2, killAfter: 7 })
    const open = inFlight(readWholeLog(logPath).events)
    expect(open).toEqual(['s1', 's2'])
    here.write(join(here.agents, 'go'), '')
    const ran = await here.resume(logPath)
    expect(statuses(ran)).toBe('succeeded succeeded succeeded')
    expect(eventsOf(ran.events, 'step_cut_off').map(event => event.step)).toEqual(['s1', 's2'])
  })

  onlyWhere(isLinux, 'looks into /proc')(
    'an agent that the crash left running is ended before its step begins again',
    async () => {
      const here = prepared()
      here.rules({ hang: true, times: 1 }, {})
      const chainPath = here.chain(chainOf([{}, {}]))
      const { logPath } = live(Object.assign(here, { chainPath }), { killAfter: 4 })
      await until('the agent is at work', () => existsSync(join(here.agents, 'used-0-0')))
      const { pid } = eventsOf(readWholeLog(logPath).events, 'agent_started')[0] as { pid: number }
      expect(existsSync(`/proc/${pid}`)).toBe(true)
      const ran = await here.resume(logPath)
      expect(ran.summary.status).toBe('succeeded')
      expect(eventsOf(ran.events, 'orphan_ended')).toMatchObject([{ step: 's1', pid }])
      expect(
        existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8')),
      ).toBe(false)
    },
  )

  function worktreesLeft(here: Bench): string[] {
    const listed = spawnSync('git', ['worktree', 'list', '--porcelain'], {
      cwd: here.place.project,
      encoding: 'utf8',
    })
    return listed.stdout.match(/^worktree .*$/gm)?.slice(1) ?? []
  }
})

function inFlight(events: readonly LoggedEvent[]): string[] {
  const open = new Set<string>()
  for (const event of events) {
    if (event.event === 'step_started') open.add(event.step)
    if (event.event === 'step_completed') open.delete(event.step)
  }
  return [...open]
}

describe('rule.interrupt: Ctrl-C leaves a run that can be resumed', () => {
  test('the agent is ended, the log says so, and resuming finishes', async () => {
    const here = bench()
    here.rules({ when: 'part 2', hang: true, times: 1 }, {})
    const cancel = new AbortController()
    const ran = await here.run(chainOf([{}, {}, {}]), {
      signal: cancel.signal,
      onEvent: event =>
        event.event === 'agent_started' &&
        event.step === 's2' &&
        until('the second step is asked', () => here.calls().length === 2).then(() => cancel.abort('SIGINT')),
    })
    expect(ran.summary).toMatchObject({ status: 'halted', reason: 'interrupted', isResumable: true })
    expect(ran.events.at(-1)).toMatchObject({ event: 'run_interrupted', signal: 'SIGINT' })
    const again = await here.resume(ran.summary.logPath)
    expect(statuses(again)).toBe('succeeded succeeded succeeded')
    expect(here.calls().filter(call => call.prompt.includes('part 1'))).toHaveLength(1)
    expect(again.summary.runId).toBe(ran.summary.runId)
  })
})

describe('rule.resumeRefuses: a run goes on only as what it was', () => {
  /** A run that waits for its second step. */
  async function interrupted(here: Bench, more: object = {}, inputs: Record<string, string> = {}) {
    const cancel = new AbortController()
    const ran = await here.run(chainOf([{}, {}], more), {
      inputs,
      signal: cancel.signal,
      onEvent: event => event.event === 'step_completed' && cancel.abort('SIGINT'),
    })
    expect(ran.summary.isResumable).toBe(true)
    return ran.summary.logPath
  }

  test('a changed chain is refused with the lines that differ', async () => {
    const here = bench()
    const logPath = await interrupted(here)
    const path = here.chain(chainOf([{}, { instruction: 'Do something else.' }]))
    const before = readFileSync(logPath)
    await expect(here.resume(logPath)).rejects.toMatchObject({
      kind: 'check',
      message: 'the chain has changed since the run began',
      path,
      hint: expect.stringMatching(/\d+: - .*Do part 2\.\n\d+: \+ .*Do something else\./),
    })
    expect(readFileSync(logPath)).toEqual(before)
    expect(here.calls()).toHaveLength(1)
  })

  test('a changed input is refused with both values; the same one is not', async () => {
    const here = bench()
    const inputs = [
      { name: 'word', type: 'string' },
      { name: 'n', type: 'integer', default: 1 },
    ]
    const logPath = await interrupted(here, { inputs }, { word: 'a' })
    await expect(here.resume(logPath, { inputs: { word: 'b' } })).rejects.toMatchObject({
      message: 'inputs are not those that the run began with: word',
      hint: expect.stringContaining('word: - "a"\nword: + "b"'),
    })
    expect(statuses(await here.resume(logPath, { inputs: { word: 'a' } }))).toBe('succeeded succeeded')
  })

  test('a changed file of an input is refused, unless the input is given again', async () => {
    const here = bench()
    const path = here.write(join(here.place.project, 'r.md'), 'one')
    const logPath = await interrupted(
      here,
      { inputs: [{ name: 'report', type: 'path' }] },
      { report: 'r.md' },
    )
    here.write(path, 'two')
    await expect(here.resume(logPath)).rejects.toMatchObject({
      message: 'the file of input report has changed since the run began',
      path,
    })
    const ran = await here.resume(logPath, { inputs: { report: 'r.md' } })
    expect(ran.summary.status).toBe('succeeded')
    expect(ran.summary.warnings).toEqual(['the file of input report has changed since the run began'])
  })

  test('a primary that is of another family now is refused: who may verify depends on it', async () => {
    const here = bench()
    const logPath = await interrupted(here)
    here.settings({ agents: { claude: agentCommand('claude', here.agents, 'Google') } })
    await expect(here.resume(logPath)).rejects.toMatchObject({
      kind: 'check',
      message: 'agent "claude" is of family Google, and was of Anthropic when the run began',
    })
    expect(here.calls()).toHaveLength(1)
  })

  test('a copy of a log is refused while the log is where it was; one that was moved goes on', async () => {
    const here = bench()
    const logPath = await interrupted(here)
    const other = here.write(join(here.dir, 'copy.jsonl'), readFileSync(logPath, 'utf8'))
    await expect(here.resume(other)).rejects.toThrow(/this log is a copy/)
    rmSync(logPath)
    expect(statuses(await here.resume(other))).toBe('succeeded succeeded')
  })

  test('a decision about a step that waits for none is refused', async () => {
    const here = bench()
    await expect(here.resume(await interrupted(here), { decisions: { s1: 'retry' } })).rejects.toMatchObject({
      kind: 'usage',
      message: 'step s1 waits for no decision',
    })
    here.rules({ times: 1, exit: 1 }, {})
    const { summary } = await here.run(chainOf([{ on_failure: 'escalate', retry: 0 }, {}]))
    expect(summary.steps[0]).toMatchObject({
      status: 'escalated',
      attempts: 1,
      reason: expect.stringContaining('exit 1'),
    })
    const decisions = { s1: 'retry', s2: 'halt' } as const
    await expect(here.resume(summary.logPath, { decisions })).rejects.toThrow('step s2 waits for no decision')
  })

  test('one changed byte of the log is refused with its line, and nothing is written', async () => {
    const here = bench()
    const logPath = await interrupted(here)
    const bytes = readFileSync(logPath)
    const lines = bytes.toString().trimEnd().split('\n').length
    for (let line = 1; line <= lines; line++) {
      const copy = Buffer.from(bytes)
      let at = 0
      for (let skip = 1; skip < line; skip++) at = copy.indexOf(0x0a, at) + 1
      copy[at + 20] = (copy[at + 20] as number) ^ 1
      writeFileSync(logPath, copy)
      await expect(here.resume(logPath)).rejects.toThrow(
        new RegExp(`is not as it was written: line ${line}:`),
      )
      expect(readFileSync(logPath).equals(copy)).toBe(true)
    }
    expect(here.calls()).toHaveLength(1)
  })

  test('a complete run is not resumed', async () => {
    const here = bench()
    const { summary } = await here.run(chainOf([{}, {}]))
    await expect(here.resume(summary.logPath)).rejects.toThrow(/is complete/)
    // Nothing is left beside its log.
    expect(readdirSync(join(summary.logPath, '..'))).toEqual([`${summary.runId}.jsonl`])
  })

  test('of two who resume at once one wins, and no step runs twice', async () => {
    const here = bench()
    const logPath = await interrupted(here)
    here.rules({ waitFor: 'go' })
    const tries = [here.resume(logPath), here.resume(logPath)].map(one =>
      one.then(
        () => 'done',
        error => String(error.message),
      ),
    )
    // The one that lost says so while the other is at work.
    expect(await Promise.race(tries)).toBe('this run is going on in another process')
    here.write(join(here.agents, 'go'), '')
    expect((await Promise.all(tries)).sort()).toEqual(['done', 'this run is going on in another process'])
    expect(here.calls().filter(call => call.prompt.includes('part 2'))).toHaveLength(1)
    expect(readWholeLog(logPath).isComplete).toBe(true)
  })

  test('a run that is still going on is not resumed', async () => {
    const here = bench()
    here.rules({ waitFor: 'go' })
    let resumed: Promise<string> | undefined
    const ran = await here.run(chainOf([{}, {}]), {
      onEvent(event) {
        if (event.event !== 'agent_started' || resumed) return
        const logs = join(here.place.runnerFolder, 'chain-logs', 'sample')
        const name = readdirSync(logs).find(one => one.endsWith('.jsonl')) as string
        resumed = here.resume(join(logs, name)).then(
          () => 'done',
          error => String(error.message),
        )
        resumed.then(() => here.write(join(here.agents, 'go'), ''))
      },
    })
    expect(await resumed).toBe('this run is going on in another process')
    expect(ran.summary.status).toBe('succeeded')
  })

  test('a skill whose text has changed at the same version is said to have', async () => {
    const here = bench(tempFolder())
    const path = `${here.place.host}/plugins/cache/m/pack/1.0.0/skills/do/SKILL.md`
    here.write(path, 'Do it.')
    const plugins = {
      'pack@m': [{ scope: 'user', installPath: resolve(path, '../../..'), version: '1.0.0' }],
    }
    here.write(`${here.place.host}/plugins/installed_plugins.json`, JSON.stringify({ version: 2, plugins }))
    const cancel = new AbortController()
    const first = await here.run(chainOf([{ runner: 'skill', skill: 'pack:do@1.0.0' }, {}]), {
      signal: cancel.signal,
      onEvent: event => event.event === 'step_completed' && cancel.abort('SIGINT'),
    })
    here.write(path, 'Do it differently.')
    const ran = await here.resume(first.summary.logPath)
    expect(ran.summary.warnings).toEqual(['pack:do@1.0.0 holds another text than when the run began'])
  })
})

describe('rule.auditLog: nothing goes on without its line in the log', () => {
  onlyWhere(isLinux, 'fills a disk with prlimit')(
    'a disk that is full ends the run and the agent; what is written is whole, and the run goes on with room',
    async () => {
      for (const lines of [2, 3, 4, 5]) {
        const here = bench()
        const logPath = join(here.place.project, 'one.jsonl')
        const chainPath = here.chain(chainOf([{}, {}], { audit: { log_path: 'one.jsonl' } }))
        const life = { place: here.place, chainPath, logPath: null, killAfter: 1000, torn: false, jobs: 1 }
        const run = (limit: number) =>
          spawnSync('prlimit', [`--fsize=${limit}`, process.execPath, PROGRAM, JSON.stringify(life)], {
            encoding: 'utf8',
          })
        expect(run(1_000_000).status).toBe(0)
        const sizes = readFileSync(logPath, 'utf8')
          .split(/(?<=\n)/)
          .map(line => Buffer.byteLength(line))
        rmSync(logPath)
        const room = sizes.slice(0, lines).reduce((sum, size) => sum + size, 0)
        expect(run(room + 20).stderr).toMatch(/the audit log cannot be written/)
        const log = readLog(logPath)
        expect([log.broken, log.torn, log.events.length]).toEqual([null, null, lines])
        expect((await here.resume(logPath)).summary.status).toBe('succeeded')
      }
    },
    60_000,
  )
})
