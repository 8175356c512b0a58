import { expect, test } from 'claude-code/testing'

// The hooks' logic against stand-ins for the host's calls, run by `claude plugin test`. That the real host behaves as
// they do is shown by test/host of the project.

const RECORD = '/rec'
const ID = '6a6bf114-3c1f-4b52-9f65-0f3a2b1c4d5e'
const PEER = '0f3a2b1c-4d5e-4b52-9f65-6a6bf1143c1f'
const ADDRESS = 'uds:/run/cc-socks/8103.sock'

type Files = Record<string, string>

/** Answers every call of the mod from a record in memory; `mayWrite` false refuses each write. */
function host(on: any, files: Files, mayWrite = () => true) {
  const logs: string[] = []
  on('session.info', () => ({ value: { transcriptPath: '/cfg/projects/p/x.jsonl', platform: 'linux' } }))
  on('session.id', () => ({ value: ID }))
  on('session.cwd', () => ({ value: '/work' }))
  on('session.version', () => ({ value: { version: '2.1.332' } }))
  on('env.get', () => ({ value: undefined }))
  on('settings.read', () => ({ value: {} }))
  on('tool.register', () => ({ value: { tool: 't' } }))
  on('command.register', () => ({ value: { command: 'chain' } }))
  on('ui.status', () => ({ value: undefined }))
  on('clock.every', () => ({ deny: 'no time passes in a test' }))
  on('session.end', () => ({ sessionId: ID }))
  on('ui.toast', () => ({ value: undefined }))
  on('ui.log', (_: unknown, e: any) => {
    logs.push(e.text)
    return { value: undefined }
  })
  on('fs.write', (_: unknown, e: any) => {
    if (!mayWrite()) return { deny: `$.fs.write(${e.path}) failed: EACCES` }
    files[e.path] = e.text
    return { value: undefined }
  })
  on('fs.read', (_: unknown, e: any) => (e.path in files ? { value: files[e.path] } : { deny: 'ENOENT' }))
  on('fs.stat', (_: unknown, e: any) =>
    e.path in files
      ? { value: { kind: 'file', size: 1, mtimeMs: 0, isLink: false } }
      : { deny: `$.fs.stat(${e.path}) failed: ENOENT` },
  )
  on('fs.list', (_: unknown, e: any) => {
    const names = Object.keys(files)
      .filter(path => path.startsWith(`${e.path}/`))
      .map(path => path.slice(e.path.length + 1))
    const items = new Map(names.map(name => [name.split('/')[0], name.includes('/') ? 'dir' : 'file']))
    return { value: [...items].map(([name, kind]) => ({ name, kind, size: 1, mtimeMs: 0, isLink: false })) }
  })
  return logs
}

/** What is recorded beside an event is written when the session’s end has passed. */
const written = ($: any) => $.session.end({ reason: 'other', sessionId: ID, resume: { id: ID } })

const entries = (files: Files) =>
  Object.entries(files)
    .filter(([path]) => path.startsWith(RECORD))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, text]) => JSON.parse(text))

const delivery = (text: string) =>
  `<cross-session-message from="${ADDRESS}" from-name="lead" from-mode="prompting">\n${text}\n</cross-session-message>`

const options = { options: { recordDir: RECORD, recordText: 'full' } }

test(
  'rule.everyMessage: a delivery is recorded as it arrived, and passed on untouched',
  options,
  async ($, on) => {
    const files: Files = {
      '/cfg/sessions/8103.json': JSON.stringify({ sessionId: PEER, messagingSocketPath: ADDRESS.slice(4) }),
    }
    host(on, files)
    on('session.start', (_: unknown, e: any) => ({ cwd: e.cwd }))
    let seen = ''
    on('session.receive', (_: unknown, e: any) => {
      seen = e.text
      return { text: e.text }
    })
    await $.session.start({ cwd: '/work', surface: null, isInteractive: false })
    const result = await $.session.receive({ origin: { kind: 'peer' }, text: delivery(' hello\r\n') })
    expect(result).toEqual({ text: delivery(' hello\r\n') })
    expect(seen).toBe(delivery(' hello\r\n'))
    await written($)
    const [start, message] = entries(files)
    expect(start.kind).toBe('start')
    expect(message.text).toBe(' hello\r\n')
    expect(message.peer).toEqual({ as: ADDRESS, sessionId: PEER })
    expect(message.envelope.before + message.text + message.envelope.after).toBe(delivery(' hello\r\n'))
    expect(message.outcome).toBe('queued')
  },
)

test('rule.receiveOutcome: what another mod consumes is recorded as consumed', options, async ($, on) => {
  const files: Files = {}
  host(on, files)
  on('session.start', (_: unknown, e: any) => ({ cwd: e.cwd }))
  on('session.receive', () => ({ consumed: 'muted' }))
  await $.session.start({ cwd: '/work', surface: null, isInteractive: false })
  expect(await $.session.receive({ origin: { kind: 'peer' }, text: delivery('x') })).toEqual({
    consumed: 'muted',
  })
  await written($)
  expect(entries(files).at(-1).outcome).toBe('consumed')
  expect(entries(files).at(-1).peer).toEqual({ as: ADDRESS })
})

test('rule.sessionsOnly: an agent’s message and a notice are not recorded', options, async ($, on) => {
  const files: Files = {}
  host(on, files)
  on('session.start', (_: unknown, e: any) => ({ cwd: e.cwd }))
  on('session.receive', (_: unknown, e: any) => ({ text: e.text }))
  await $.session.start({ cwd: '/work', surface: null, isInteractive: false })
  await $.session.receive({
    origin: { kind: 'peer' },
    text: '<agent-message from="wk">\nx\n</agent-message>',
    agentId: 'a1',
  })
  await $.session.receive({ origin: { kind: 'unclassified' }, text: delivery('x') })
  await $.session.receive({ origin: { kind: 'peer' }, text: '[Cross-session idle notice] x' })
  await written($)
  expect(entries(files).map(entry => entry.kind)).toEqual(['start'])
})

test(
  'rule.recordingMayFail: the session is told once that recording is degraded, and once that it works again',
  options,
  async ($, on) => {
    const files: Files = {}
    let mayWrite = false
    const logs = host(on, files, () => mayWrite)
    on('session.start', (_: unknown, e: any) => ({ cwd: e.cwd }))
    on('session.receive', (_: unknown, e: any) => ({ text: e.text }))
    await $.session.start({ cwd: '/work', surface: null, isInteractive: false })
    for (const text of ['a', 'b'])
      expect(await $.session.receive({ origin: { kind: 'peer' }, text: delivery(text) })).toEqual({
        text: delivery(text),
      })
    await written($)
    expect(logs.filter(log => log.includes('degraded')).length).toBe(1)
    mayWrite = true
    await $.session.receive({ origin: { kind: 'peer' }, text: delivery('c') })
    await written($)
    await written($)
    expect(logs.filter(log => log.includes('works again')).length).toBe(1)
    expect(entries(files).map(entry => entry.text ?? entry.kind)).toEqual(['c', 'start'])
  },
)
