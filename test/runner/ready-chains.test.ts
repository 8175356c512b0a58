import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readChain } from '../../src/runner/spec/read-chain.ts'
import { type Bench, bench, eventsOf, type Rule, statuses } from './support/bench.ts'

const FOLDER = resolve(import.meta.dirname, '../../chains')
const names = readdirSync(FOLDER)
  .filter(name => name.endsWith('.yaml'))
  .map(name => name.replace('.yaml', ''))

function ready(name: string): object {
  return parse(readFileSync(join(FOLDER, `${name}.yaml`), 'utf8'))
}

test('readyChains: the four chains are there, and each is valid', () => {
  expect(names.sort()).toEqual([
    ...['audit-cross-systems', 'validate-calculation', 'validate-decision', 'validate-release-candidate'],
  ])
  for (const name of names) expect(readChain(join(FOLDER, `${name}.yaml`)).chain.name).toBe(name)
})

const agrees: Rule = { agent: 'codex', when: 'VERDICT: agree', say: 'So it is.\nVERDICT: agree' }
const json = (when: string, value: unknown): Rule => ({ when, say: JSON.stringify(value) })

describe('readyChains: each runs to its end', () => {
  test('validate-decision', async () => {
    const here = bench()
    here.write(join(here.place.project, 'd.md'), 'We move.')
    here.rules(
      agrees,
      json('List every claim', { decision: 'Move', claims: [{ claim: 'It is cheaper', support: null }] }),
      { when: 'strongest case', say: 'It is not.' },
      {
        ...json('Weigh the decision', {
          stands: 'with conditions',
          conditions: [],
          unknowns: [],
          reasons: 'r',
        }),
        times: 1,
      },
      json('Weigh the decision', {
        stands: 'with conditions',
        conditions: ['ask'],
        unknowns: [],
        reasons: 'r',
      }),
    )
    const ran = await here.run(ready('validate-decision'), {
      inputs: { decision: 'd.md' },
      authors: { decision: 'person' },
    })
    expect(statuses(ran)).toBe('succeeded succeeded succeeded succeeded')
    expect(ran.summary.outputs).toMatchObject({ stands: 'with conditions', conditions: ['ask'] })
    expect(ran.summary.steps[2]?.attempts).toBe(2)
  })

  const calculation = (result: number, same: boolean): Rule[] => [
    agrees,
    json('Write down its inputs', {
      inputs: [{ name: 'a', value: 2, unit: 'm' }],
      method: ['a * 3'],
      result: 6,
    }),
    json('Carry out this calculation', { steps: ['2 * 3'], result }),
    json('Compare the two results', { same, relative_difference: 0, departure: null }),
  ]
  test.each([
    ['the same', 6, true, 'succeeded'],
    ['within the tolerance', 6.001, true, 'succeeded'],
    ['another result, said to be the same', 7, true, 'halted'],
    ['another result, said to be another', 7, false, 'succeeded'],
  ])('validate-calculation: %s', async (_, result, same, status) => {
    const here = bench()
    here.write(join(here.place.project, 'c.md'), '2 m * 3 = 6 m')
    here.rules(...calculation(result, same))
    const ran = await here.run(ready('validate-calculation'), { inputs: { calculation: 'c.md' } })
    expect([ran.summary.status, ran.summary.reason]).toEqual([
      status,
      status === 'halted' ? expect.stringContaining('the comparison is right') : null,
    ])
    // Who recomputes has not seen the result.
    const asked = here.calls().filter(call => call.prompt.includes('Carry out this calculation'))
    expect(asked.map(call => call.agent)).toEqual(['claude', 'codex'])
    for (const { prompt } of asked) expect(prompt).not.toContain('"result": 6')
  })

  test.each([
    ['its checks pass', 'exit 0', 'succeeded succeeded succeeded succeeded'],
    ['its checks fail', 'exit 1', 'failed not run not run not run'],
  ])('validate-release-candidate: %s', async (_, check, expected) => {
    const here = repository(bench(), check)
    here.rules(
      agrees,
      json('what changed for users', { changes: [] }),
      json('Which of the changes', { missing: ['x'], unfounded: [] }),
      { when: 'can be released', say: 'Small risk.\nRELEASE: yes' },
    )
    const ran = await here.run(ready('validate-release-candidate'), {
      inputs: { candidate: 'rc', previous: 'rc' },
    })
    expect(statuses(ran)).toBe(expected)
    if (check === 'exit 1') return
    expect(ran.summary.outputs.release).toBe('yes')
    expect(ran.summary.warnings).toEqual([expect.stringContaining('the notes are complete')])
    expect(eventsOf(ran.events, 'worktree_removed')).toHaveLength(2)
  })

  test('audit-cross-systems, with two jobs', async () => {
    const here = bench()
    here.write(join(here.place.project, 'exports/a.csv'), 'id\n1\n')
    const finding = { key: '1', systems: ['a'], finding: 'gone', evidence: 'a.csv:2' }
    const system = (name: string) => ({
      system: name,
      file: `${name}.csv`,
      key: 'id',
      fields: ['id'],
      as_of: null,
    })
    here.rules(
      agrees,
      { agent: 'codex', when: 'VERDICT: pass', say: 'VERDICT: pass' },
      json('Say for each where', { systems: [system('a'), system('b')] }),
      { when: 'another lacks', say: `${JSON.stringify(finding)}\n${JSON.stringify(finding)}` },
      json('say different things', finding),
      { when: 'Write a report', say: '# Report' },
    )
    const inputs = { systems: 'a, b', exports: 'exports', subject: 'customers' }
    const ran = await here.run(ready('audit-cross-systems'), { inputs, jobs: 2 })
    expect(statuses(ran)).toBe('succeeded succeeded succeeded succeeded succeeded')
    expect(ran.summary.outputs).toMatchObject({ report: '# Report', missing: [finding, finding] })
  })
})

function repository(here: Bench, check: string): Bench {
  here.write(join(here.place.project, 'scripts/check-release.sh'), `${check}\n`)
  here.write(join(here.place.project, 'CHANGELOG.md'), '# Changes\n')
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid']
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    ['commit', '-q', '-m', 'x'],
    ['tag', 'rc'],
  ]) {
    const { status, stderr } = spawnSync('git', [...identity, ...args], {
      cwd: here.place.project,
      env: here.place.env,
      encoding: 'utf8',
    })
    expect(status, stderr).toBe(0)
  }
  return here
}
