import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { canonicalJson } from '../../src/runner/log/canonical-json.ts'
import type { LoggedEvent } from '../../src/runner/log/event.ts'
import { openLine, sealLine } from '../../src/runner/log/log-line.ts'
import { readLog } from '../../src/runner/log/read-log.ts'
import { readRunRows } from '../../src/runner/log/run-rows.ts'
import { secretsOf } from '../../src/runner/log/secrets.ts'
import { anyText } from '../support/any-text.ts'
import { sharedTempFolder, tempFolder } from '../support/temp-folder.ts'
import { agentCommand, bench, chainOf, eventsOf, type Ran } from './support/bench.ts'

describe('rule.auditLog: one canonical line for each event, each with the hash of the one before', () => {
  test('it lies under the chain and run id, is private, begins with the run and ends with chain_complete', async () => {
    const here = bench()
    const { summary, events } = await here.run(chainOf([{}, {}]))
    const folder = join(here.place.runnerFolder, 'chain-logs', 'sample')
    expect(summary.logPath).toBe(join(folder, `${summary.runId}.jsonl`))
    expect(summary.runId).toMatch(/^sample_\d{8}T\d{6}Z_[a-z0-9]{6}$/)
    if (process.platform !== 'win32') expect(statSync(summary.logPath).mode & 0o777).toBe(0o600)
    expect(events.map(event => event.seq)).toEqual(events.map((_, index) => index + 1))
    expect([events[0]?.event, events.at(-1)?.event]).toEqual(['run_started', 'chain_complete'])
    const lines = readFileSync(summary.logPath, 'utf8').trimEnd().split('\n')
    let before = '0'.repeat(64)
    for (const line of lines) {
      const { prev, hash } = JSON.parse(line)
      expect(canonicalJson(JSON.parse(line))).toBe(line)
      expect(prev).toBe(before)
      before = hash
    }
    expect(summary.head).toBe(before)
  })

  test.each([
    ['a folder', 'logs/here', (runId: string) => join('logs', 'here', `${runId}.jsonl`)],
    ['a file', 'one.jsonl', () => 'one.jsonl'],
  ])('audit.log_path names %s, seen from the project', async (_, log_path, expected) => {
    const here = bench()
    const { summary } = await here.run(chainOf([{}, {}], { audit: { log_path } }))
    expect(summary.logPath).toBe(join(here.place.project, expected(summary.runId)))
  })

  test('a log that stands there already is never written over, and without a log nothing runs', async () => {
    const here = bench()
    here.write(join(here.place.project, 'one.jsonl'), 'kept')
    await expect(here.run(chainOf([{}, {}], { audit: { log_path: 'one.jsonl' } }))).rejects.toThrow(
      /audit log cannot be made/,
    )
    expect(readFileSync(join(here.place.project, 'one.jsonl'), 'utf8')).toBe('kept')
    here.write(join(here.place.project, 'blocked'), 'a file')
    await expect(here.run(chainOf([{}, {}], { audit: { log_path: 'blocked/logs' } }))).rejects.toThrow(
      /audit log cannot be made/,
    )
    expect(here.calls()).toEqual([])
  })

  test.each([
    ['adds a line', (path: string) => appendFileSync(path, '{}\n'), /written to by something else/],
    ['removes it', (path: string) => rmSync(path), /was removed while the run went on/],
    [
      'puts another file in its place',
      (path: string) => {
        copyFileSync(path, `${path}.copy`)
        renameSync(`${path}.copy`, path)
      },
      /was removed while the run went on/,
    ],
  ])('a run ends whose log something else %s', async (_, change, problem) => {
    const here = bench()
    const audit = { log_path: 'one.jsonl' }
    const ran = here.run(chainOf([{}, {}], { audit }), {
      onEvent: event => event.event === 'agent_answered' && change(join(here.place.project, 'one.jsonl')),
    })
    await expect(ran).rejects.toThrow(problem)
    expect(here.calls()).toHaveLength(1)
  })

  test('what else is at work then is ended', async () => {
    const here = bench()
    here.rules({ when: 'part 1', hang: true }, {})
    const audit = { log_path: 'one.jsonl' }
    const ran = here.run(chainOf([{}, {}], { audit }), {
      jobs: 2,
      onEvent(event) {
        if (event.event === 'agent_answered') rmSync(join(here.place.project, 'one.jsonl'))
      },
    })
    await expect(ran).rejects.toThrow(/was removed/)
  })

  test('each event is on the disk before anything follows from it', async () => {
    const here = bench()
    const seen: number[] = []
    let path = ''
    await here.run(chainOf([{}, {}]), {
      onEvent(event) {
        path ||= join(
          here.place.runnerFolder,
          'chain-logs',
          'sample',
          readdirSync(join(here.place.runnerFolder, 'chain-logs', 'sample')).find(name =>
            name.endsWith('.jsonl'),
          ) as string,
        )
        seen.push(readLog(path).events.length - event.seq)
      },
    })
    expect(new Set(seen)).toEqual(new Set([0]))
  })
})

describe('rule.tamperEvident: any changed byte is found, and in the line it stands in', () => {
  const folder = sharedTempFolder()
  let ran: Ran
  let bytes: Buffer
  let lineAt: number[]
  beforeAll(async () => {
    const here = bench(folder)
    const gate = { type: 'file_exists', path: 'nope', on_fail: 'warn' }
    ran = await here.run(chainOf([{ gates: [gate] }, {}]))
    bytes = readFileSync(ran.summary.logPath)
    let line = 1
    lineAt = [...bytes].map(byte => (byte === 0x0a ? line++ : line))
  })

  function changed(offset: number, to: number) {
    const copy = Buffer.from(bytes)
    copy[offset] = to
    const path = join(folder, 'changed.jsonl')
    writeFileSync(path, copy)
    return readLog(path)
  }

  test('every byte of a log, one after the other', () => {
    const missed: number[] = []
    for (let offset = 0; offset < bytes.length; offset++) {
      const log = changed(offset, (bytes[offset] as number) ^ 1)
      // A line feed that is none any more makes one line of two; the first of them is the broken one.
      if (log.broken?.line !== lineAt[offset]) missed.push(offset)
    }
    expect(missed).toEqual([])
  })

  test.each([
    ['a line left out', (lines: string[]) => lines.splice(3, 1), 4],
    [
      'two lines changed about',
      (lines: string[]) => lines.splice(3, 2, lines[4] as string, lines[3] as string),
      4,
    ],
    ['a line twice', (lines: string[]) => lines.splice(3, 0, lines[3] as string), 5],
    ['the first line left out', (lines: string[]) => lines.shift(), 1],
    ['blanks in a line', (lines: string[]) => lines.splice(2, 1, (lines[2] as string).replace(',', ', ')), 3],
    ['something behind the end', (lines: string[]) => lines.push(lines.at(-1) as string), -1],
  ])('%s', (_, change, line) => {
    const lines = bytes.toString().trimEnd().split('\n')
    const count = lines.length
    change(lines)
    const path = join(folder, 'lines.jsonl')
    writeFileSync(path, `${lines.join('\n')}\n`)
    expect(readLog(path).broken?.line).toBe(line < 0 ? count + 1 : line)
  })

  test('a line that is right in itself, behind the end of the run', () => {
    const { events, head } = readLog(ran.summary.logPath)
    const more = {
      event: 'warning',
      step: null,
      text: 'x',
      seq: events.length + 1,
      at: '2026-11-01T10:00:00.000Z',
    }
    const path = join(folder, 'more.jsonl')
    writeFileSync(path, `${bytes.toString()}${sealLine(more as LoggedEvent, head).text}\n`)
    expect(readLog(path).broken).toEqual({
      line: events.length + 1,
      what: 'it stands after the end of the run',
    })
  })

  test('a log cut off within its last line is torn, not broken, and what is before it counts', () => {
    const path = join(folder, 'torn.jsonl')
    const lines = bytes.toString().trimEnd().split('\n').length
    const last = bytes.lastIndexOf(0x0a, bytes.length - 2) + 1
    for (const end of [last + 1, last + 40, bytes.length - 2, bytes.length - 1]) {
      writeFileSync(path, bytes.subarray(0, end))
      const log = readLog(path)
      expect([log.broken, log.events.length, log.torn?.bytes]).toEqual([null, lines - 1, end - last])
    }
  })
})

describe('rule.auditLog: what is written comes back', () => {
  test('any text, in any field, and any one byte less does not', () => {
    fc.assert(
      fc.property(anyText, fc.jsonValue(), fc.nat(), (text, value, at) => {
        const event = {
          event: 'warning' as const,
          step: text,
          text,
          seq: 1,
          at: '2026-11-01T10:00:00.000Z',
          value,
        }
        const line = sealLine(event, 'p')
        expect(line.text).not.toContain('\n')
        expect(Buffer.from(line.text).toString('utf8')).toBe(line.text)
        const opened = openLine(line.text, 1, 'p')
        expect('event' in opened && canonicalJson(opened.event)).toBe(canonicalJson(event))
        const cut = line.text.slice(0, at % line.text.length) + line.text.slice((at % line.text.length) + 1)
        expect(openLine(cut, 1, 'p')).toHaveProperty('broken')
      }),
    )
  })

  test('a line that fits its hash and is not what this program writes is broken, not a crash', () => {
    const path = join(tempFolder(), 'made-up.jsonl')
    const write = (...events: object[]) => {
      let prev = '0'.repeat(64)
      const lines = events.map((event, index) => {
        const line = sealLine(
          { at: '2026-11-01T10:00:00.000Z', seq: index + 1, ...event } as LoggedEvent,
          prev,
        )
        prev = line.hash
        return line.text
      })
      writeFileSync(path, `${lines.join('\n')}\n`)
    }
    write({ event: 'run_started', run_id: 'x' })
    expect(readLog(path).broken).toEqual({
      line: 1,
      what: expect.stringMatching(/^it has no \w+ as this program/),
    })
    expect(readRunRows(path)).toBeNull()
    write({ event: 'step_completed', step: 's1' })
    expect(readLog(path).broken).toMatchObject({ line: 1 })
    write({ event: 7 })
    expect(readLog(path).broken).toMatchObject({ line: 1 })
    writeFileSync(path, `${'['.repeat(200_000)}${']'.repeat(200_000)}\n`)
    expect(readLog(path).broken).toMatchObject({ line: 1 })
  })
})

const MCP_SERVER = resolve(import.meta.dirname, 'support/mcp-server.mjs')

describe('rule.noSecrets: values of secret variables reach neither the log nor the next agent', () => {
  const secret = 'hunter2-correct-horse/battery'

  test('what an agent says of its environment is taken out, in every form', async () => {
    const here = bench()
    here.settings({
      agents: {
        claude: agentCommand('claude', here.agents, 'Anthropic', {
          env: { PLAIN_NAME: 'given-by-settings' },
        }),
      },
    })
    Object.assign(here.place.env, { DEPLOY_TOKEN: secret, SSH_AUTH_SOCK: '/tmp/agent.sock' })
    const said = [
      secret,
      encodeURIComponent(secret),
      Buffer.from(secret).toString('base64'),
      'given-by-settings',
      '/tmp/agent.sock',
    ]
    here.rules({ when: 'part 1', say: said.join(' ') }, { exit: 2, stderr: `bad token ${secret}` })
    const { summary, events } = await here.run(chainOf([{}, { instruction: 'Go on: {{ steps.s1.output }}' }]))
    const log = readFileSync(summary.logPath, 'utf8')
    for (const form of said.slice(0, 4)) expect(log).not.toContain(form)
    const output = eventsOf(events, 'step_completed')[0]?.output?.text
    expect(output).toBe(
      '[redacted DEPLOY_TOKEN] [redacted DEPLOY_TOKEN] [redacted DEPLOY_TOKEN] [redacted PLAIN_NAME] /tmp/agent.sock',
    )
    expect(here.calls()[1]?.prompt).not.toContain(secret)
    expect(summary.reason).toContain('bad token [redacted DEPLOY_TOKEN]')
  })

  test('gates and verifiers see the answer without them too', async () => {
    const here = bench()
    Object.assign(here.place.env, { DEPLOY_TOKEN: secret })
    here.rules({ agent: 'codex', say: 'VERDICT: pass' }, { say: secret })
    const gates = [
      {
        type: 'bash_exit_code',
        argv: ['test', '{{ steps.s1.output }}', '=', '[redacted DEPLOY_TOKEN]'],
        on_fail: 'halt',
      },
      { type: 'ai_cross_check', instruction: 'Good?', on_fail: 'halt' },
    ]
    expect((await here.run(chainOf([{ gates }, {}]))).summary.status).toBe('succeeded')
    expect(here.calls('codex')[0]?.prompt).toContain('[redacted DEPLOY_TOKEN]')
    expect(here.calls('codex')[0]?.prompt).not.toContain(secret)
  })

  test('a chain or an input that holds one is refused, since both go into the log', async () => {
    const here = bench()
    Object.assign(here.place.env, { API_KEY: secret })
    await expect(here.run(chainOf([{ instruction: `Use ${secret}` }, {}]))).rejects.toThrow(
      /holds the value of the environment variable API_KEY/,
    )
    const inputs = [{ name: 'word', type: 'string' }]
    await expect(here.run(chainOf([{}, {}], { inputs }), { inputs: { word: `x${secret}` } })).rejects.toThrow(
      /the input word holds/,
    )
    expect(existsSync(join(here.place.runnerFolder, 'chain-logs'))).toBe(false)
  })

  test.each([
    ['GITHUB_TOKEN', true],
    ['AWS_SECRET_ACCESS_KEY', true],
    ['PGPASSWORD', true],
    ['npm_config__auth', true],
    ['EDITOR', false],
    ['HTTP_AUTHORIZATION', true],
    ['GIT_AUTHOR_NAME', false],
    ['AUTHOR', false],
    ['SSH_AUTH_SOCK', false],
    ['PWD', false],
  ])('%s looks secret: %s', (name, isSecret) => {
    expect(secretsOf({ [name]: 'some-long-value' }).nameIn('a some-long-value b') !== null).toBe(isSecret)
  })

  test('a password in an address is one, whatever the variable is named', () => {
    const env = {
      DATABASE_URL: 'postgres://shop:hunter2-horse@db.internal/shop',
      HOME_PAGE: 'https://a.example/',
    }
    expect(secretsOf(env).redact('connecting with hunter2-horse to https://a.example/')).toBe(
      'connecting with [redacted DATABASE_URL] to https://a.example/',
    )
  })

  test('what a gate tells holds no part of one, wherever it is cut', async () => {
    const here = bench()
    Object.assign(here.place.env, { DEPLOY_TOKEN: secret })
    here.settings({
      agents: { claude: agentCommand('claude', here.agents, 'Anthropic') },
      mcp: { notes: { argv: [process.execPath, MCP_SERVER], env: { NOTES_WORD: secret } } },
    })
    here.write(join(here.place.project, 'secret.txt'), secret)
    const fails = (script: string) => ({ type: 'bash_exit_code', script, on_fail: 'warn' })
    const gates = [
      fails(`printf '%0190d%s' 0 "$DEPLOY_TOKEN" >&2; exit 1`),
      { type: 'json_schema', path: 'secret.txt', schema: {}, on_fail: 'warn' },
      { type: 'mcp_call', server: 'notes', tool: 'long', on_fail: 'warn' },
    ]
    const { summary } = await here.run(chainOf([{ gates }]))
    expect(readFileSync(summary.logPath, 'utf8')).not.toMatch(/hunter2|correct-horse/)
  })

  test('short and plain values are left alone', () => {
    expect(
      secretsOf({ A_TOKEN: 'short', B_TOKEN: '12345678901', C_KEY: 'true' }).redact('short 12345678901 true'),
    ).toBe('short 12345678901 true')
  })
})

describe('rule.runRows: a log gives the row of its run and those of its steps', () => {
  test('joined to the session that started it', async () => {
    const here = bench()
    Object.assign(here.place.env, { CLAUDE_CODE_SESSION_ID: '7d1f0c1e-5b0a-4c38-9f51-0d5a3b0c1a01' })
    here.rules({ times: 1, exit: 1 }, {})
    const { summary, events } = await here.run(chainOf([{}, { run_if: false }]))
    const rows = readRunRows(summary.logPath)
    expect(rows?.run).toEqual({
      ...{
        runId: summary.runId,
        chain: 'sample',
        chainVersion: '1.0.0',
        status: 'succeeded',
        modelCalls: 2,
        resumes: 0,
      },
      ...{
        sessionId: '7d1f0c1e-5b0a-4c38-9f51-0d5a3b0c1a01',
        project: here.place.project,
        primary: 'claude',
      },
      ...{ startedAt: events[0]?.at, endedAt: events.at(-1)?.at, logPath: summary.logPath },
      yamlSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(rows?.steps).toMatchObject([
      { step: 's1', status: 'succeeded', attempts: 2, agent: 'claude', family: 'Anthropic' },
      { step: 's2', status: 'skipped', attempts: 0, agent: null, reason: 'run_if does not hold' },
    ])
  })

  test('a log without its end is running, a damaged one is broken, and what is no log gives no row', async () => {
    const here = bench()
    const { summary } = await here.run(chainOf([{}, {}]))
    const lines = readFileSync(summary.logPath, 'utf8').trimEnd().split('\n')
    const other = (text: string) => here.write(join(here.dir, 'other.jsonl'), text)
    expect(readRunRows(other(`${lines.slice(0, 6).join('\n')}\n`))).toMatchObject({
      run: { status: 'running', endedAt: null },
      steps: [{ step: 's1' }],
    })
    expect(readRunRows(other(`${lines.slice(0, 3).join('\n')}\n{}\n`))?.run.status).toBe('broken')
    expect(readRunRows(other('hello\n'))).toBeNull()
    expect(readRunRows(other(''))).toBeNull()
  })
})
