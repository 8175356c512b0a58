import { hash } from 'node:crypto'
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Agent } from '../../../src/runner/agents/runner-settings.ts'
import type { ReadLog } from '../../../src/runner/log/read-log.ts'
import * as unchanged from '../../../src/runner/run/unchanged.ts'
import type { ReadChain } from '../../../src/runner/spec/read-chain.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const STARTED = {
  ...{ event: 'run_started', run_id: 'r-1', chain: 'c', primary_family: 'Anthropic' },
  ...{ inputs: { word: 'a', none: null, list: [{ b: 1, a: 2 }] }, files: {} },
} as unknown as unchanged.Started
const started = (more: object) => ({ ...STARTED, ...more }) as unchanged.Started

/** What a call refuses with: its kind, message, place and hint; null where it does not. */
function refusal(call: () => void): object | null {
  try {
    call()
    return null
  } catch (error) {
    const { kind, message, path, hint } = error as Record<string, unknown>
    return { kind, message, path, hint }
  }
}

describe('rule.resumeRefuses: a run goes on only as what it was', () => {
  test('from a log that holds a beginning and no end', () => {
    const log = (more: object) =>
      ({ path: '/l', events: [STARTED], isComplete: false, ...more }) as unknown as ReadLog
    expect(unchanged.startOf(log({}))).toBe(STARTED)
    expect(refusal(() => unchanged.startOf(log({ events: [] })))).toMatchObject({
      ...{ kind: 'check', message: 'this log holds no event: nothing was run', path: '/l' },
    })
    expect(refusal(() => unchanged.startOf(log({ isComplete: true })))).toMatchObject({
      ...{ kind: 'check', message: 'run r-1 is complete', path: '/l' },
      hint: expect.stringContaining('coord chain run c'),
    })
  })

  test('from the log itself, under whatever name, and from a copy only where the first is gone', () => {
    const folder = tempFolder()
    const at = (name: string) => join(folder, name)
    writeFileSync(at('log'), 'x')
    writeFileSync(at('copy'), 'x')
    symlinkSync(at('log'), at('link'))
    const refused = (log_path: string | undefined, path: string) =>
      refusal(() => unchanged.refuseCopy(started({ log_path }), path))
    expect(refused(at('log'), at('log'))).toBeNull()
    expect(refused(at('log'), at('link'))).toBeNull()
    expect(refused(at('gone'), at('copy'))).toBeNull()
    expect(refused(undefined, at('copy'))).toBeNull()
    expect(refused(at('log'), at('copy'))).toMatchObject({
      ...{ kind: 'check', path: at('copy'), hint: `coord chain resume ${at('log')}` },
    })
    const hostile = at('a\u001b[2J')
    writeFileSync(hostile, 'x')
    expect(JSON.stringify(refused(hostile, at('copy')))).not.toContain('\\u001b')
    linkSync(at('log'), at('other-name'))
    mkdirSync(at('folder'))
    expect(refused(at('folder'), at('copy'))).not.toBeNull()
  })

  test('with its chain as it was; the lines that differ are safe to show', () => {
    const path = join(tempFolder(), 'c.yaml')
    writeFileSync(path, 'a\nb\u001b[2J\n')
    expect(
      refusal(() => unchanged.refuseChangedChain(started({ chain_path: path, yaml: 'a\nb\u001b[2J\n' }))),
    ).toBeNull()
    const refused = refusal(() => unchanged.refuseChangedChain(started({ chain_path: path, yaml: 'a\n' })))
    expect(refused).toMatchObject({
      ...{ kind: 'check', message: 'the chain has changed since the run began', path },
      hint: '2: + b\\x1b[2J\nchange it back to go on, or begin another run',
    })
    expect(
      refusal(() => unchanged.refuseChangedChain(started({ chain_path: `${path}x`, yaml: '' }))),
    ).toMatchObject({
      kind: 'not-found',
    })
  })

  test.each<[string, Record<string, unknown> | undefined, string[]]>([
    ['none given', undefined, []],
    ['the same', { word: 'a', none: null, list: [{ a: 2, b: 1 }] }, []],
    ['some of them', { word: 'a' }, []],
    ['one that was not given then, and is null now', { other: null }, []],
    ['another value', { word: 'b', list: [{ a: 2, b: 1 }] }, ['word']],
    ['another type', { none: 'null' }, ['none']],
    ['another order', { list: [{ b: 1, a: 2 }, 1] }, ['list']],
    ['several', { word: 'b', none: 0 }, ['word', 'none']],
    ['one that was not given then', { other: 1 }, ['other']],
  ])('with its inputs: %s', (_, inputs, changed) => {
    const refused = refusal(() => unchanged.refuseOtherInputs(STARTED, inputs))
    if (changed.length === 0) return expect(refused).toBeNull()
    const told = changed.flatMap(name => [
      `${name}: - ${JSON.stringify(STARTED.inputs[name] ?? null)}`,
      `${name}: + ${JSON.stringify(inputs?.[name])}`,
    ])
    if (!changed.includes('list'))
      expect(refused).toMatchObject({
        hint: [...told, 'leave them out to go on, or begin another run'].join('\n'),
      })
    expect(refused).toMatchObject({
      ...{ kind: 'check', message: `inputs are not those that the run began with: ${changed.join(', ')}` },
    })
  })

  test('values of inputs are safe to show', () => {
    expect(
      JSON.stringify(refusal(() => unchanged.refuseOtherInputs(STARTED, { word: '\u202e' }))),
    ).not.toContain('\u202e')
  })

  test('with the files of its inputs; one that is given again is meant as it is', () => {
    const folder = tempFolder()
    const at = (name: string) => join(folder, name)
    for (const name of ['a', 'b', 'c']) writeFileSync(at(name), name)
    const inputs = { a: at('a'), b: at('b'), gone: at('gone'), word: at('c') }
    const chain = {
      chain: {
        inputs: [
          ...['a', 'b', 'gone'].map(name => ({ name, type: 'path' })),
          { name: 'word', type: 'string' },
        ],
      },
    } as unknown as ReadChain
    const changed = (files: Record<string, string>) =>
      unchanged.changedFiles(started({ inputs, files }), chain)
    const same = { a: hash('sha256', 'a'), b: hash('sha256', 'b') }
    expect(changed(same)).toEqual([])
    expect(changed({})).toEqual([])
    expect(changed({ ...same, b: same.a, gone: 'x' })).toEqual(['b', 'gone'])

    const run = started({ inputs: { a: '/x/a\u001b', b: '/x/b' }, files: { a: '1', b: '2' } })
    const refused = (changed: string[], again?: Record<string, unknown>) =>
      refusal(() => unchanged.refuseChangedFiles(changed, again, run))
    expect(refused([])).toBeNull()
    expect(refused(['a', 'b'], { a: 1, b: 2 })).toBeNull()
    expect(refused(['b'], { a: 1 })).toMatchObject({
      ...{ kind: 'check', message: 'the file of input b has changed since the run began', path: '/x/b' },
      hint: 'sha256: - 2\nto go on with it as it is now, give it again: --input b=/x/b',
    })
    expect(refused(['a', 'b'], { a: 1 })).toMatchObject({ path: '/x/b' })
    expect(refused(['a'])).toMatchObject({ hint: expect.stringContaining('--input a=/x/a\\x1b') })
    expect(refused(['toString'], {})).not.toBeNull()
  })

  test('with a primary of its family, whatever its name', () => {
    const agent = (family: string) => ({ name: 'other', family }) as Agent
    expect(refusal(() => unchanged.refuseOtherFamily(STARTED, agent('Anthropic')))).toBeNull()
    for (const family of ['OpenAI', 'unknown'])
      expect(refusal(() => unchanged.refuseOtherFamily(STARTED, agent(family)))).toMatchObject({
        kind: 'check',
      })
  })

  test.each<[string, string | undefined, Record<string, 'retry'>, string | null, string]>([
    ['none waits and none is given', undefined, {}, null, ''],
    ['the one that waits', 's1', { s1: 'retry' }, null, ''],
    [
      'none where one waits',
      's1',
      {},
      'step s1 waits for a decision',
      'coord chain resume r-1 --decide s1=retry',
    ],
    [
      'one where none waits',
      undefined,
      { s1: 'retry' },
      'step s1 waits for no decision',
      'leave --decide out',
    ],
    ['another one', 's1', { s2: 'retry' }, 'step s2 waits for no decision', 'step s1 does'],
    ['one too many', 's1', { s1: 'retry', s2: 'retry' }, 'step s2 waits for no decision', 'step s1 does'],
    ['a name that every object has', 'constructor', {}, 'step constructor waits for a decision', '--decide'],
  ])('with the decision that is awaited: %s', (_, step, decisions, message, hint) => {
    const refused = refusal(() => unchanged.refuseOtherDecisions(step, decisions, 'r-1'))
    if (message === null) expect(refused).toBeNull()
    else expect(refused).toMatchObject({ kind: 'usage', message, hint: expect.stringContaining(hint) })
  })
})
