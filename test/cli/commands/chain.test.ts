import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { chainGraph } from '../../../src/cli/commands/chain-graph.ts'
import { chainList } from '../../../src/cli/commands/chain-list.ts'
import { chainResume } from '../../../src/cli/commands/chain-resume.ts'
import { chainRun } from '../../../src/cli/commands/chain-run.ts'
import { chainValidate } from '../../../src/cli/commands/chain-validate.ts'
import { chainVerify } from '../../../src/cli/commands/chain-verify.ts'
import { bench, chainOf, type Rule } from '../../runner/support/bench.ts'
import { commandHome } from '../support/in-process.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

/** A person with agents of two families and a project, in whose home commands run. */
function home(...rules: Rule[]) {
  const here = commandHome()
  const runner = bench(here.dir)
  if (rules.length > 0) runner.rules(...rules)
  vi.spyOn(process.stderr, 'write').mockImplementation(() => true)
  const inProject = ['--project', runner.place.project]
  const run = (chain: object, ...args: string[]) => {
    runner.chain(chain)
    return here.run(chainRun, 'sample', ...inProject, ...args)
  }
  return { ...here, runner, inProject, runChain: run }
}

describe('coord chain run', () => {
  it.each<[string, object, Rule[], number, string]>([
    ['succeeds', {}, [{}], 0, 'succeeded'],
    ['fails', { retry: 0 }, [{ exit: 1 }], 1, 'halted'],
    [
      'goes on without a step',
      { retry: 0, on_failure: 'continue' },
      [{ when: 'part 1', exit: 1 }, {}],
      8,
      'partial',
    ],
  ])('a run that %s: its exit code, and its log is told and known', async (_, step, rules, code, status) => {
    const { runChain, runner, dir } = home(...rules)
    const { json, code: exit, told } = await runChain(chainOf([step, {}]), '--json')
    expect([exit, json().run.status]).toEqual([code, status])
    const { logPath, runId } = json().run
    expect(told[0]).toBe(`coord: run ${runId}, audit log ${logPath}`)
    expect(told).toHaveLength(1)
    expect(runner.calls().length).toBeGreaterThan(0)
    expect(logPath.startsWith(join(dir, 'data/agent-collab/chain-logs/sample'))).toBe(true)
  })

  it('leaves no listener of signals behind', async () => {
    const count = () => ['SIGINT', 'SIGTERM', 'SIGHUP'].map(signal => process.listenerCount(signal))
    const before = count()
    await home().runChain(chainOf([{}, {}]))
    expect(count()).toEqual(before)
  })

  it('--dry-run shows who would do what, and starts nothing', async () => {
    const { runChain, runner } = home()
    const chain = chainOf([
      { gates: [{ type: 'file_exists', path: 'x', on_fail: 'halt' }] },
      { kind: 'cross_check', of: ['steps.s1'], instruction: 'Check it.' },
    ])
    const { printed, code, error } = await runChain(chain, '--dry-run')
    expect([code, error]).toEqual([0, undefined])
    expect(printed).toContain('sample 1.0.0: A chain for tests.\n  1. s1: claude (Anthropic)\n')
    expect(printed).toContain(
      '\n     gate file_exists, else halt\n  2. s2: codex (OpenAI)\nnothing was started\n',
    )
    const json = (await runChain(chain, '--dry-run', '--json')).json()
    expect(json.plan).toMatchObject({ chain: 'sample', inputs: {}, steps: [{}, {}] })
    expect(runner.calls()).toEqual([])
  })

  it.each([['Anthropic'], ['openai'], ['person'], ['unknown']])('--author takes %s', async word => {
    const { runChain } = home()
    const chain = chainOf([{}, {}], {
      inputs: [{ name: 'it', type: 'string', required: true, description: 'x' }],
    })
    const { error, code } = await runChain(chain, '--dry-run', '--input', 'it=a', '--author', `it=${word}`)
    expect(error).toBeUndefined()
    expect(code).toBe(0)
  })

  it.each([
    ['--author', 'it=nobody'],
    ['--jobs', '0'],
  ])('%s %s is wrong usage', async (...args) => {
    const { error } = await home().runChain(chainOf([{}, {}]), '--dry-run', ...args)
    expect(error).toMatchObject({ kind: 'usage' })
  })

  it('what is missing is an error where nobody can be asked', async () => {
    const chain = chainOf([{}, {}], {
      inputs: [{ name: 'it', type: 'string', required: true, description: 'x' }],
    })
    const { error } = await home().runChain(chain)
    expect(error.message).toContain('it')
    expect(error.name).toBe('Problem')
  })
})

describe('coord chain resume', () => {
  async function escalated() {
    const here = home({ when: 'part 1', times: 1, exit: 1 }, {})
    const { json, code } = await here.runChain(chainOf([{ retry: 0, on_failure: 'escalate' }, {}]), '--json')
    const resume = (...args: string[]) => here.run(chainResume, ...args, '--json')
    return { code, resume, ended: json().run as { runId: string; logPath: string } }
  }

  it('goes on by a decision, named by its run id or by its log', async () => {
    const { ended, code, resume } = await escalated()
    expect(code).toBe(1)
    expect((await resume(ended.logPath)).error).toMatchObject({ name: 'Problem' })
    const done = await resume(ended.runId, '--decide', 's1=retry')
    expect([done.code, done.json().run.status]).toEqual([0, 'succeeded'])
  })

  it('a word that is no decision is wrong usage, and changes nothing', async () => {
    const { ended, resume } = await escalated()
    const before = readFileSync(ended.logPath, 'utf8')
    for (const word of ['maybe', 'Retry', ''])
      expect((await resume(ended.logPath, '--decide', `s1=${word}`)).error).toMatchObject({
        kind: 'usage',
        hint: 'retry, continue or halt',
      })
    expect(readFileSync(ended.logPath, 'utf8')).toBe(before)
  })

  it('halt and continue are decisions too', async () => {
    const one = await escalated()
    const halted = await one.resume(one.ended.runId, '--decide', 's1=halt')
    expect([halted.code, halted.json().run.status]).toEqual([1, 'halted'])
    const two = await escalated()
    const partial = await two.resume(two.ended.runId, '--decide', 's1=continue')
    expect([partial.code, partial.json().run.status]).toEqual([8, 'partial'])
  })
})

describe('coord chain verify', () => {
  async function made() {
    const here = home()
    const { json } = await here.runChain(chainOf([{}, {}]), '--json')
    const { logPath, head } = json().run as { logPath: string; head: string }
    const text = readFileSync(logPath, 'utf8')
    const verify = async (change: string | null, ...args: string[]) => {
      const path = change === null ? logPath : join(here.dir, 'changed.jsonl')
      if (change !== null) writeFileSync(path, change)
      const words = await here.run(chainVerify, path, ...args)
      const document = await here.run(chainVerify, path, ...args, '--json')
      expect(document.code).toBe(words.code)
      return { ...words, path, answer: document.json() }
    }
    return { text, head, lines: text.trimEnd().split('\n'), verify }
  }

  it('a whole log, complete or not, and its last line in any letter case', async () => {
    const { text, head, lines, verify } = await made()
    const whole = await verify(null, '--head', head.toUpperCase())
    expect(whole.code).toBe(0)
    expect(whole.printed).toBe(`${whole.path}: whole, ${lines.length} lines, complete\nlast line ${head}\n`)
    expect(whole.answer).toEqual({
      ...{ ok: true, path: whole.path, lines: lines.length, complete: true, head, broken: null },
    })
    const short = await verify(`${lines.slice(0, -1).join('\n')}\n`)
    expect([short.code, short.answer.complete]).toEqual([0, false])
    expect(short.printed).toContain('not complete')
    expect((await verify(text)).told).toEqual([])
  })

  it('another last line, a torn one, a changed one and none are exit 4, each with its line', async () => {
    const { text, head, lines, verify } = await made()
    const cut = `${lines.slice(0, -1).join('\n')}\n`
    const other = await verify(cut, '--head', head)
    expect([other.code, other.answer.broken]).toEqual([
      4,
      { line: lines.length - 1, what: 'the last line is another one' },
    ])
    const torn = await verify(text.slice(0, -9))
    expect([torn.code, torn.answer.broken.line]).toEqual([4, lines.length])
    expect(torn.told).toEqual([expect.stringContaining('coord chain resume')])
    const changed = await verify(text.replace('"sample"', '"simple"'), '--head', head)
    expect([changed.code, changed.answer.broken.line, changed.answer.ok]).toEqual([4, 1, false])
    expect(changed.printed).toContain(`${changed.path}:1: broken: `)
    const empty = await verify('')
    expect([empty.code, empty.printed, empty.answer.broken]).toEqual([
      4,
      `${empty.path}: empty, which proves nothing\n`,
      null,
    ])
  })
})

describe('coord chain validate, list and graph', () => {
  const BROKEN = 'name: broken\nsteps: 7\n'

  it('validate: exit 0 where all are right, 4 where one is not, and every mistake is told', async () => {
    const { runner, run, inProject } = home()
    const good = runner.chain(chainOf([{}, {}]))
    const bad = runner.write(join(runner.place.project, 'chains/broken.yaml'), BROKEN)
    const one = await run(chainValidate, 'sample', ...inProject)
    expect([one.code, one.printed]).toEqual([0, `${good}: valid\n`])
    const both = await run(chainValidate, ...inProject, bad, good)
    expect(both.code).toBe(4)
    expect(both.printed).toContain(`${good}: valid\n`)
    expect(both.printed.split('\n').filter(line => line.startsWith(`${bad}:`)).length).toBeGreaterThan(1)
    const json = (await run(chainValidate, ...inProject, good, bad, '--json')).json()
    expect([json.ok, json.chains.map((one: { valid: boolean }) => one.valid)]).toEqual([false, [true, false]])
    expect(json.chains[0]).toEqual({ name: 'sample', path: good, valid: true, mistakes: [] })
  })

  it('list: each with its state; none is said on standard error', async () => {
    const { runner, run, inProject } = home()
    const none = await run(chainList, ...inProject)
    expect([none.code, none.printed]).toEqual([0, ''])
    expect(none.told).toEqual([expect.stringMatching(/^no chains in .*project/)])
    runner.chain(chainOf([{}, {}]))
    runner.write(join(runner.place.project, 'chains/broken.yaml'), BROKEN)
    const { printed } = await run(chainList, ...inProject)
    expect(printed).toMatch(/^name +version +scope +state/)
    expect(printed).toMatch(/^broken .* \d+ mistakes/m)
    expect(printed).toMatch(/^sample +1\.0\.0 +project +valid/m)
    runner.chain({ ...chainOf([{}, {}]), name: 'nearly', extra: 1 })
    expect((await run(chainList, ...inProject)).printed).toMatch(/^nearly .* 1 mistake\b/m)
    const { chains } = (await run(chainList, ...inProject, '--json')).json()
    expect(chains).toMatchObject([
      { name: 'broken', valid: false, version: null, mistakes: expect.any(Number) },
      { name: 'nearly', valid: false, mistakes: 1 },
      { name: 'sample', valid: true, version: '1.0.0', mistakes: 0 },
    ])
  })

  it('graph: text, Mermaid and JSON', async () => {
    const { runner, run, inProject } = home()
    runner.chain(chainOf([{}, { instruction: 'Use {{steps.s1.output}}.' }]))
    const text = await run(chainGraph, 'sample', ...inProject)
    const mermaid = await run(chainGraph, 'sample', ...inProject, '--format', 'mermaid')
    expect([text.code, mermaid.code]).toEqual([0, 0])
    expect(mermaid.printed).toMatch(/^(graph|flowchart) /)
    expect(text.printed).not.toBe(mermaid.printed)
    const json = (await run(chainGraph, 'sample', ...inProject, '--json')).json()
    expect(json).toMatchObject({ chain: 'sample', mermaid: mermaid.printed })
    expect((await run(chainGraph, 'sample', ...inProject, '--format', 'dot')).error.message).toContain('dot')
  })
})
