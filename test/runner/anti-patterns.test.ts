import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { readLog } from '../../src/runner/log/read-log.ts'
import { checkChain } from '../../src/runner/spec/read-chain.ts'
import { type Bench, bench, chainOf, eventsOf, statuses } from './support/bench.ts'

const ANTI_PATTERNS: Record<string, (here: Bench) => Promise<void>> = {
  'executing a chain without validating it first: nothing runs': async here => {
    await expect(here.run(chainOf([{}, { instruction: '{{ steps.s9.output }}' }]))).rejects.toMatchObject({
      kind: 'check',
    })
    expect(here.calls()).toEqual([])
    expect(existsSync(join(here.place.runnerFolder, 'chain-logs'))).toBe(false)
  },
  'skipping the audit log: there is no field and no way to run without one': async here => {
    for (const audit of [{ log_path: '' }, { enabled: false }, null])
      expect(checkChain(stringify(chainOf([{}, {}], { audit })))).toHaveProperty('mistakes')
    await expect(here.run(chainOf([{}, {}], { audit: { log_path: '/proc/nowhere' } }))).rejects.toThrow(
      /audit log cannot be made/,
    )
    expect(here.calls()).toEqual([])
  },
  'treating a schema failure as a warning: the step fails, and no policy lets its answer through':
    async here => {
      here.rules({ when: 'part 1', say: 'no JSON' }, {})
      const form = { type: 'json', schema: {} }
      const ran = await here.run(
        chainOf([
          { output_schema: form, on_failure: 'continue' },
          { instruction: 'On with {{ steps.s1.output }}' },
        ]),
      )
      expect(statuses(ran)).toBe('failed blocked')
      expect(ran.summary.status).toBe('failed')
    },
  'hand-editing the log: it is found': async here => {
    const { summary } = await here.run(chainOf([{}, {}]))
    const edited = readFileSync(summary.logPath, 'utf8').replace('"status":"succeeded"', '"status":"failed"')
    writeFileSync(summary.logPath, edited)
    expect(readLog(summary.logPath).broken).not.toBeNull()
    await expect(here.resume(summary.logPath)).rejects.toThrow(/not as it was written/)
  },
  'treating divergence as a failure: it is reported, and the chain goes on': async here => {
    here.rules({ agent: 'codex', say: 'other' }, {})
    const ran = await here.run(chainOf([{ verification: {} }, {}]))
    expect([statuses(ran), ran.summary.status]).toEqual(['succeeded succeeded', 'succeeded'])
    expect(ran.summary.warnings).toHaveLength(1)
  },
  'treating a claim of tool use as a fact: a gate looks': async here => {
    here.rules({ say: 'I have written the file report.md and run all tests.' })
    const ran = await here.run(
      chainOf([{ gates: [{ type: 'file_exists', path: 'report.md', on_fail: 'halt' }] }, {}]),
    )
    expect(statuses(ran)).toBe('failed not run')
  },
  'a chain where one skill would do: refused': async here => {
    await expect(here.run(chainOf([{ output_schema: undefined }]))).rejects.toThrow(/needs no chain/)
  },
  'promising that state lasts: a run interrupted in one process goes on in another': async here => {
    const cancel = new AbortController()
    const first = await here.run(chainOf([{}, {}]), {
      signal: cancel.signal,
      onEvent: event => event.event === 'step_completed' && cancel.abort(),
    })
    const again = await here.resume(first.summary.logPath)
    expect(statuses(again)).toBe('succeeded succeeded')
    expect(here.calls()).toHaveLength(2)
  },
  'pinning a version that is not there: halt, with no other version in its place': async here => {
    const path = here.write(`${here.place.host}/plugins/cache/m/pack/1.0.0/skills/do/SKILL.md`, 'x')
    const plugins = { 'pack@m': [{ scope: 'user', installPath: join(path, '../../..'), version: '1.0.0' }] }
    here.write(`${here.place.host}/plugins/installed_plugins.json`, JSON.stringify({ version: 2, plugins }))
    await expect(here.run(chainOf([{ runner: 'skill', skill: 'pack:do@2.0.0' }, {}]))).rejects.toThrow(
      /installed is version 1.0.0/,
    )
    expect(here.calls()).toEqual([])
  },
  'bypassing the routing: no field chooses who verifies': async here => {
    const check = { kind: 'cross_check', of: ['steps.s1'], instruction: 'So?' }
    for (const bypass of [
      { verifier_family: 'OpenAI' },
      { runner: 'claude' },
      { agent: 'codex' },
      { family: 'OpenAI' },
    ])
      expect(checkChain(stringify(chainOf([{}, { ...check, ...bypass }])))).toHaveProperty('mistakes')
    here.rules({ agent: 'codex', say: 'VERDICT: agree' }, {})
    const { events } = await here.run(chainOf([{}, check]))
    expect(eventsOf(events, 'routed')).toMatchObject([{ family: 'OpenAI', excluded: ['Anthropic'] }])
  },
}

describe('rule.antiPatterns: each anti-pattern of the text is refused or cannot happen', () => {
  test.each(Object.entries(ANTI_PATTERNS))('%s', async (_, show) => {
    await show(bench())
  })
})
