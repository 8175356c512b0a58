import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { LoggedEvent } from '../../../src/runner/log/event.ts'
import { missingField } from '../../../src/runner/log/event-shape.ts'
import { NO_LINE_BEFORE, sealLine } from '../../../src/runner/log/log-line.ts'
import { findLog, logPathOf } from '../../../src/runner/log/log-path.ts'
import { readLog, readWholeLog } from '../../../src/runner/log/read-log.ts'
import { lockRun } from '../../../src/runner/log/run-lock.ts'
import { readRunRows } from '../../../src/runner/log/run-rows.ts'
import type { Chain } from '../../../src/runner/spec/chain-schema.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { chainOf } from '../support/bench.ts'

/** Of each event the fields that this program goes by; `at` and `event` stand in all of them. */
const EVENTS: Record<string, Record<string, unknown>> = {
  run_started: {
    ...{ run_id: 'r', chain: 'c', chain_version: '1.0.0', chain_path: '/c', project: '/p', yaml: 'y' },
    ...{ yaml_sha256: 'h', primary: 'claude', jobs: 1, inputs: {}, files: {}, authors: {} },
  },
  run_resumed: {},
  run_interrupted: {},
  step_started: { step: 's', attempt: 1, agent: 'claude', family: 'Anthropic', skill: null },
  step_cut_off: { step: 's' },
  orphan_ended: { step: 's' },
  worktree_opened: { step: 's', path: '/w', base: 'b' },
  worktree_removed: { step: 's', path: '/w' },
  worktree_kept: { step: 's', path: '/w', reason: 'r' },
  routed: { step: 's' },
  agent_called: { step: 's', purpose: 'step' },
  agent_started: { step: 's', purpose: 'step', pid: 1 },
  agent_answered: { step: 's', purpose: 'step' },
  command_started: { step: 's', gate: 0, pid: 1 },
  command_ended: { step: 's', gate: 0 },
  attempt_failed: { step: 's', attempt: 1, reason: 'r' },
  gate: { step: 's', name: 'n', passed: true, on_fail: 'warn', detail: 'd' },
  verification: { step: 's', diverged: false, detail: 'd' },
  step_completed: { step: 's', status: 'failed', attempts: 1, output: null, halts: false },
  warning: { text: 't' },
  escalated: { step: 's', reason: 'r' },
  decision: { step: 's', decision: 'halt' },
  chain_complete: { status: 'failed', outputs: {} },
}
const AT = '2026-11-01T10:00:00.000Z'
const event = (name: string, more: object = {}) =>
  ({ event: name, at: AT, seq: 1, ...EVENTS[name], ...more }) as unknown as LoggedEvent

describe('rule.auditLog: an event is one only with what this program goes by', () => {
  test.each(Object.keys(EVENTS))('%s', name => {
    expect(missingField(event(name, { later: 'field' }))).toBeNull()
    for (const field of ['at', ...Object.keys(EVENTS[name] ?? {})]) {
      expect(missingField(event(name, { [field]: undefined }))).toBe(field)
      const isAnything = field === 'skill' || field === 'output'
      expect(missingField(event(name, { [field]: Symbol('other') }))).toBe(isAnything ? null : field)
    }
  })

  test('one that is not known needs its name and its time', () => {
    expect(missingField({ event: 'later', at: AT } as unknown as LoggedEvent)).toBeNull()
    expect(missingField({ event: 'later' } as unknown as LoggedEvent)).toBe('at')
    expect(missingField({ at: AT } as unknown as LoggedEvent)).toBe('event')
  })
})

function sealed(...events: LoggedEvent[]): { lines: string[]; heads: string[] } {
  const lines: string[] = []
  const heads = [NO_LINE_BEFORE]
  for (const [index, one] of events.entries()) {
    const line = sealLine({ ...one, seq: index + 1 }, heads.at(-1) as string)
    lines.push(line.text)
    heads.push(line.hash)
  }
  return { lines, heads }
}
function written(bytes: string | Buffer): string {
  const path = join(tempFolder(), 'x.jsonl')
  writeFileSync(path, bytes)
  return path
}
const whole = (...events: LoggedEvent[]) => written(`${sealed(...events).lines.join('\n')}\n`)

describe('rule.tamperEvident: how far a log is whole', () => {
  const events = [event('run_started'), event('warning', { text: 'é "{[' }), event('chain_complete')]
  const { lines, heads } = sealed(...events)
  const [first, second, third] = lines as [string, string, string]
  const before = `${first}\n`

  test('whole, complete or not', () => {
    expect(readLog(whole(...events))).toMatchObject({
      events: [{ event: 'run_started' }, { seq: 2 }, { seq: 3 }],
      ...{ head: heads[3], broken: null, torn: null, isComplete: true },
    })
    expect(readLog(whole(...events.slice(0, 2)))).toMatchObject({ head: heads[2], isComplete: false })
    expect(readLog(written(''))).toMatchObject({ events: [], head: NO_LINE_BEFORE, broken: null, torn: null })
  })

  test.each<[string, string | Buffer, { line: number; what: string | RegExp }]>([
    ['an empty line', `${before}\n${second}\n`, { line: 2, what: 'it is not JSON' }],
    [
      'bytes that are no UTF-8',
      Buffer.concat([Buffer.from(before), Buffer.from([0x22, 0xff, 0x22, 0x0a])]),
      { line: 2, what: 'it is not UTF-8' },
    ],
    ['a mark of byte order', `\ufeff${before}`, { line: 1, what: 'it is not JSON' }],
    ['a line behind another', `${before}${third}\n`, { line: 2, what: /it is line 3/ }],
    [
      'no beginning',
      `${sealed(event('warning')).lines[0]}\n`,
      { line: 1, what: 'a log begins with run_started' },
    ],
    [
      'two beginnings',
      `${sealed(event('run_started'), event('run_started')).lines.join('\n')}\n`,
      { line: 2, what: 'a second run begins' },
    ],
    [
      'what follows the end',
      `${sealed(...events, event('warning')).lines.join('\n')}\n`,
      { line: 4, what: 'it stands after the end of the run' },
    ],
    [
      'an event that lacks a field',
      `${before}${sealed(event('run_started'), event('gate', { passed: 1 })).lines[1]}\n`,
      { line: 2, what: 'it has no passed as this program writes it' },
    ],
    [
      'a whole line, changed, without its end',
      `${before}${second.replace('é', 'e')}`,
      { line: 2, what: 'it does not end as a line does' },
    ],
    [
      'something behind the last object',
      `${before}${second}{`,
      { line: 2, what: 'it does not end as a line does' },
    ],
    ['no object at the end', `${before}hello`, { line: 2, what: 'it does not end as a line does' }],
    [
      'an object closed too soon at the end',
      `${before}{"a":"\\""}x`,
      { line: 2, what: 'it does not end as a line does' },
    ],
  ])('broken: %s', (_, text, broken) => {
    const log = readLog(written(text))
    expect(log).toMatchObject({
      broken: { line: broken.line, what: expect.stringMatching(broken.what) },
      torn: null,
    })
    expect(log.events).toHaveLength(broken.line - 1)
    expect(() => readWholeLog(log.path)).toThrow(
      expect.objectContaining({
        kind: 'check',
        path: log.path,
        message: expect.stringContaining(`is not as it was written: line ${broken.line}: `),
      }),
    )
  })

  test.each([
    ['a brace', '{'],
    ['a bracket that is open', '{"a":[1,{"b":2}'],
    ['a list that is closed', '{"a":[1],"b":[2]'],
    ['braces in a text', '{"a":"}}}'],
    ['a quote in a text', '{"a":"\\"}'],
    ['a backslash at the end of a text', '{"a":"\\\\","b":{}'],
    ['half a character', Buffer.from(second).subarray(0, Buffer.from(second).indexOf(0xc3) + 1)],
    ['all but its last byte', second.slice(0, -1)],
    ['all of a line but its end', second],
  ])('torn: %s', (_, rest) => {
    const bytes = Buffer.from(rest)
    const log = readLog(written(Buffer.concat([Buffer.from(before), bytes])))
    expect(log).toMatchObject({ broken: null, head: heads[1], isComplete: false })
    expect(log.events).toHaveLength(1)
    expect(log.torn).toEqual({
      ...{ offset: before.length, bytes: bytes.length },
      sha256: createHash('sha256').update(bytes).digest('hex'),
    })
    expect(readWholeLog(log.path).torn).toEqual(log.torn)
  })

  test('a log that is not there, and one that is no file', () => {
    const folder = tempFolder()
    expect(() => readLog(join(folder, 'no'))).toThrow(expect.objectContaining({ kind: 'not-found' }))
    expect(() => readLog(folder)).toThrow(expect.objectContaining({ kind: 'check', path: folder }))
  })
})

describe('rule.runRows: the rows of a run', () => {
  const skill = { reference: 'p:s@1.0.0', path: '/s', sha256: 'skill-hash' }
  const start = event('run_started', { session_id: 'session', primary: 'codex' })
  const at = (second: number) => ({ at: `2026-11-01T10:00:0${second}.000Z` })
  const done = {
    ...{ status: 'succeeded', reason: null, output: { text: 'x', value: 'x' }, output_sha256: 'out' },
    ...{ attempts: 2, elapsed_ms: 1, agent: 'codex', family: 'OpenAI', halts: false, refused: false },
  }
  const begun = (step: string, attempt: number, second: number) =>
    event('step_started', { step, attempt, skill, ...at(second) })

  test('a step that began twice has its first beginning, its last attempt and its end', () => {
    const path = whole(
      ...[start, begun('s1', 1, 1), event('agent_called'), event('run_resumed'), begun('s1', 2, 2)],
      ...[event('agent_called'), event('step_completed', { ...done, step: 's1', ...at(3) })],
      event('chain_complete', { status: 'partial', ...at(4) }),
    )
    expect(readRunRows(path)).toEqual({
      run: {
        ...{
          runId: 'r',
          chain: 'c',
          chainVersion: '1.0.0',
          startedAt: AT,
          endedAt: at(4).at,
          status: 'partial',
        },
        ...{ sessionId: 'session', modelCalls: 2, resumes: 1, logPath: path, yamlSha256: 'h', project: '/p' },
        primary: 'codex',
      },
      steps: [
        {
          ...{
            runId: 'r',
            step: 's1',
            status: 'succeeded',
            reason: null,
            startedAt: at(1).at,
            endedAt: at(3).at,
          },
          ...{ attempts: 2, agent: 'claude', family: 'Anthropic', outputSha256: 'out' },
          ...{ skill: 'p:s@1.0.0', skillSha256: 'skill-hash' },
        },
      ],
    })
  })

  test.each([
    ['retry', { status: 'running', attempts: 2, endedAt: null, reason: null }],
    ['continue', { status: 'failed', attempts: 1, endedAt: at(5).at, reason: 'why' }],
    ['halt', { status: 'failed', attempts: 1, endedAt: at(5).at, reason: 'why' }],
  ])('a step about which a person said %s', (decision, row) => {
    const path = whole(
      ...[start, begun('s1', 2, 1), event('attempt_failed', { step: 's1', reason: 'why' })],
      event('escalated', { step: 's1', reason: 'why' }),
      event('decision', { step: 's1', decision, ...at(5) }),
    )
    const rows = readRunRows(path)
    expect(rows?.steps).toMatchObject([{ ...row, startedAt: at(1).at, outputSha256: null, agent: 'claude' }])
    expect(rows?.run).toMatchObject({ status: 'running', endedAt: null })
  })

  test('a step that never began, in the order in which they ended, and a run that is broken', () => {
    const skipped = {
      ...done,
      status: 'skipped',
      reason: 'no',
      attempts: 0,
      output: null,
      output_sha256: null,
    }
    const { lines } = sealed(
      ...[start, event('step_completed', { ...skipped, step: 's2' }), begun('s1', 2, 1)],
      event('chain_complete', { status: 'succeeded' }),
    )
    const broken = readRunRows(written(`${lines.slice(0, 3).join('\n')}\n{}\n`))
    expect(broken?.run).toMatchObject({ status: 'broken', endedAt: null, resumes: 0 })
    expect(broken?.steps).toMatchObject([
      { step: 's2', status: 'skipped', reason: 'no', attempts: 0, startedAt: null, agent: null, skill: null },
      { step: 's1', status: 'running', attempts: 2, skill: 'p:s@1.0.0' },
    ])
    expect(readRunRows(written(`${lines.join('\n')}\nmore`))?.run.status).toBe('broken')
    expect(readRunRows(whole(event('warning')))).toBeNull()
  })
})

describe('where a log lies', () => {
  const place = { project: '/p', home: '/home/me', runnerFolder: '/data' }
  test.each([
    [undefined, '/data/chain-logs/sample/ID.jsonl'],
    ['logs', '/p/logs/ID.jsonl'],
    ['logs/x.jsonl', '/p/logs/x.jsonl'],
    ['../x.jsonl', '/x.jsonl'],
    ['/abs', '/abs/ID.jsonl'],
    ['/abs/x.jsonl', '/abs/x.jsonl'],
    ['~/logs', '/home/me/logs/ID.jsonl'],
    ['~other', '/p/~other/ID.jsonl'],
    ['x.jsonl.old', '/p/x.jsonl.old/ID.jsonl'],
  ])('rule.auditLog: audit.log_path %s', (log_path, path) => {
    const chain = chainOf([{}, {}], log_path === undefined ? {} : { audit: { log_path } }) as Chain
    expect(logPathOf(chain, 'ID', place)).toBe(path)
  })

  test('a word is a path, or a run id in the default folder', () => {
    const folder = tempFolder()
    const id = 'sample_20261101T102030Z_abcdef'
    const path = join(folder, 'chain-logs/sample', `${id}.jsonl`)
    expect(() => findLog(id, folder)).toThrow(
      expect.objectContaining({ kind: 'not-found', hint: expect.stringContaining('path of its log') }),
    )
    mkdirSync(join(folder, 'chain-logs/sample'), { recursive: true })
    writeFileSync(path, '')
    expect(findLog(id, folder)).toBe(path)
    expect(findLog(path, '/elsewhere')).toBe(path)
    for (const word of [id.replace('abcdef', 'abcdeg'), 'sample_20261101T102030Z_abcde'])
      expect(() => findLog(word, folder)).toThrow(
        expect.objectContaining({ kind: 'not-found', hint: `did you mean "${id}"?` }),
      )
    for (const word of [join(folder, 'no.jsonl'), 'no.jsonl', `./${id}`])
      expect(() => findLog(word, folder)).toThrow(
        expect.objectContaining({ kind: 'not-found', message: `no log ${word}`, path: word }),
      )
    expect(resolve(findLog(join(folder, 'chain-logs'), folder))).toBe(join(folder, 'chain-logs'))
  })
})

test('rule.resumeRefuses: of two that would go on with a run one has it, until it gives it back', () => {
  const log = join(tempFolder(), 'not/yet/x.jsonl')
  const unlock = lockRun(log)
  expect(() => lockRun(log)).toThrow(
    expect.objectContaining({
      kind: 'check',
      path: log,
      message: expect.stringContaining('another process'),
    }),
  )
  unlock(false)
  expect(existsSync(`${log}.lock`)).toBe(true)
  lockRun(log)(true)
  expect(existsSync(`${log}.lock`)).toBe(false)
})
