import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { chainOf } from '../runner/support/bench.ts'
import { at } from '../support/record-builder.ts'
import { commandBench } from './support/command-bench.ts'

const LEAD = '4b0f3c6e-1111-4222-8333-444455556666'
const TOP = '9d2a7e10-1111-4222-8333-444455556666'

/** A chain of two steps that was run from a lead's session. */
async function ranFromLead() {
  const bench = commandBench()
  bench.here.record.start(TOP, at(0))
  bench.here.record.start(LEAD, at(1))
  bench.here.record.chain(LEAD, TOP, 'release', at(2))
  bench.chain(chainOf([{}, {}]))
  const env = { CLAUDE_CODE_SESSION_ID: LEAD }
  const ran = await bench.here.runWith({ env, cwd: bench.project }, 'chain', 'run', 'sample')
  expect(ran.code, ran.stderr).toBe(0)
  const rows = async (relation: string, ...more: string[]) =>
    (await bench.here.run('query', relation, ...more, '--json')).json().rows
  return { ...bench, rows }
}

describe('rule.runsQueryable: runs and steps of YAML chains are relations, joined with sessions', () => {
  test('a run stands beside the session that started it, its parent and its chain', async () => {
    const { rows, logPath } = await ranFromLead()
    expect(await rows('runs', "chain = '9d2a7e10-1111-4222-8333-444455556666'")).toMatchObject([
      {
        yaml_chain: 'sample',
        status: 'succeeded',
        session_id: LEAD,
        role: 'lead',
        parent: TOP,
        part: 'release',
        chain: TOP,
        model_calls: 2,
        log: logPath(),
      },
    ])
    expect(await rows('steps', "session_id = '4b0f3c6e-1111-4222-8333-444455556666'")).toMatchObject([
      { step: 's1', position: 0, status: 'succeeded', agent: 'claude', family: 'Anthropic', chain: TOP },
      { step: 's2', position: 1, status: 'succeeded' },
    ])
  })

  test('an index built from nothing finds it again, and a run elsewhere is not of this record', async () => {
    const { here, rows } = await ranFromLead()
    const before = await rows('runs')
    rmSync(here.cache, { recursive: true })
    expect(await rows('runs')).toEqual(before)
    const other = join(here.dir, 'other')
    mkdirSync(other)
    const elsewhere = await here.run('query', 'runs', '--record-dir', other, '--count')
    expect(elsewhere.stdout, elsewhere.stderr).toBe('0\n')
  })

  test('a log that goes on is read again', async () => {
    const { here, chain, rows, rules, project } = await ranFromLead()
    rules({ exit: 1, times: 9 })
    chain(chainOf([{ on_failure: 'escalate' }, {}]), 'sample')
    await here.runWith({ cwd: project }, 'chain', 'run', 'sample')
    const [, second] = await rows('runs')
    expect(second).toMatchObject({
      status: 'running',
      session_id: null,
      role: null,
      chain: null,
      ended_at: null,
    })
    const resumed = await here.runWith(
      { cwd: project },
      'chain',
      'resume',
      second.run_id,
      '--decide',
      's1=halt',
    )
    expect(resumed.code, resumed.stderr).not.toBe(2)
    expect((await rows('runs'))[1]).toMatchObject({ status: 'halted', resumes: 1 })
  })

  test('one byte changed in the log: the run is broken, and says no more than its whole lines', async () => {
    const { rows, logPath } = await ranFromLead()
    const log = logPath()
    writeFileSync(log, readFileSync(log, 'utf8').replace('"step":"s2"', '"step":"sX"'))
    expect(await rows('runs')).toMatchObject([{ status: 'broken', ended_at: null }])
    expect((await rows('steps')).map((row: { step: string }) => row.step)).toEqual(['s1'])
  })

  test('a log without a whole first line is unknown evidence, and a log that is gone has no rows', async () => {
    const { here, rows, logPath } = await ranFromLead()
    const log = logPath()
    writeFileSync(log, '')
    appendFileSync(log, '{"seq":0,')
    const answer = await here.run('query', 'runs', '--json')
    expect(answer.code).toBe(8)
    expect(await rows('results')).toMatchObject([{ kind: 'run', state: 'damaged', path: log }])
    rmSync(log)
    const gone = await here.run('query', 'runs', '--json')
    expect(gone.code).toBe(0)
    expect(gone.json().rows).toEqual([])
    expect(gone.stderr).toContain('gone')
  })
})
