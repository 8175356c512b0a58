import { hash } from 'node:crypto'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import type { Exclusion, ManifestSource } from '../../src/scan/manifest.ts'
import type { RecordLookup } from '../../src/scan/merge/record-lookup.ts'
import type { Message } from '../../src/scan/message.ts'
import { type ScanWork, scanTranscripts } from '../../src/scan/scan.ts'
import type { ScannedMessage } from '../../src/scan/scanned.ts'
import { tempFolder } from './temp-folder.ts'

export type Row = Record<string, unknown>

export interface ScanSettings {
  /** Where extracts are kept; a folder of its own where none is named. */
  cacheDir?: string
  revision?: string
  project?: string | null
  since?: string | null
  until?: string | null
  record?: RecordLookup | null
}

/** Everything that a scan said. */
export interface Outcome {
  messages: ScannedMessage[]
  sources: ManifestSource[]
  exclusions: Exclusion[]
  work: ScanWork
}

/** Scans roots to the end. */
export function scan(roots: string[], settings: ScanSettings = {}): Outcome {
  const { project = null, since = null, until = null, record = null } = settings
  const { messages, sources, exclusions, work } = scanTranscripts({
    options: { claude: roots, codex: [], project, since, until, recordDir: null },
    cacheDir: settings.cacheDir ?? tempFolder(),
    revision: settings.revision ?? 'test',
    record,
  })
  return { messages: [...messages()], sources, exclusions, work }
}

/** Scans one transcript with this content. */
export function scanContent(
  content: string | Buffer | Row[],
  settings: ScanSettings & { name?: string } = {},
): Outcome {
  return scan([write(tempFolder(), settings.name ?? 'transcript.jsonl', content)], settings)
}

/** Writes a transcript; rows become one line each. Returns its path. */
export function write(folder: string, name: string, content: string | Buffer | Row[]): string {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, Array.isArray(content) ? lines(content) : content)
  return path
}

/** Appends rows to a transcript. */
export function append(path: string, content: string | Buffer | Row[]): void {
  appendFileSync(path, Array.isArray(content) ? lines(content) : content)
}

export function lines(rows: Row[]): string {
  return rows.map(row => `${JSON.stringify(row)}\n`).join('')
}

export function personsWords(outcome: Outcome): string[] {
  return wordsWith(outcome, 'person')
}

export function wordsWith({ messages }: Outcome, label: Message['label']): string[] {
  return messages.filter(({ message }) => message.label === label).map(({ message }) => message.words)
}

/** The one message with these words; fails where there are more or none. */
export function messageOf({ messages }: Outcome, words: string): ScannedMessage {
  const found = messages.filter(({ message }) => message.words === words)
  expect(
    found.map(({ message }) => message.label),
    `messages with the words ${JSON.stringify(words.slice(0, 80))}`,
  ).toHaveLength(1)
  return found[0] as ScannedMessage
}

/** What a test says about a message: its label, its confidence, its words. */
export type Told = [label: Message['label'], confidence: Message['confidence'], words: string]

/** All messages as a test states them; each hash is checked against the words. */
export function told({ messages }: Outcome): Told[] {
  return messages.map(({ message }) => {
    expect(message.sha256).toBe(hash('sha256', message.words))
    return [message.label, message.confidence, message.words]
  })
}

const START = Date.parse('2026-03-01T10:00:00.000Z')

/** The time of a second of the test's day. */
export function second(number: number): string {
  return new Date(START + number * 1_000).toISOString()
}

/** An id in the form that both programs use. */
export function id(number: number, kind = 0): string {
  const hex = (value: number, length: number) => value.toString(16).padStart(length, '0')
  return `${hex(kind, 8)}-0000-4000-8000-${hex(number, 12)}`
}

/** A transcript of Claude Code, written row by row in the form of the newest version. */
export interface ClaudeTranscript {
  readonly session: string
  readonly rows: Row[]
  /** Adds a row that has a place in the conversation; returns it. */
  chain(row: Row): Row
  /** Adds a row as it stands. */
  bare(row: Row): Row
  typed(words: unknown, more?: Row): Row
  /** A row of the user's role with this content and nothing that says where it came from. */
  user(content: unknown, more?: Row): Row
  sdk(words: unknown, more?: Row): Row
  reply(words: string, more?: Row): Row
  /** The assistant calls a tool; returns the call's id. */
  call(name: string, input: Row): string
  /** The result of the last call. */
  result(output: unknown, more?: Row): Row
  turnEnd(more?: Row): Row
  queue(operation: string, content?: unknown, more?: Row): Row
  attachment(attachment: Row, more?: Row): Row
}

let sessions = 0

export function claude(more: Row = {}): ClaudeTranscript {
  const kind = ++sessions
  const session = typeof more.sessionId === 'string' ? more.sessionId : id(0, kind)
  const rows: Row[] = []
  let last: unknown = null
  let calls = 0
  let made = 0
  const common = {
    userType: 'external',
    entrypoint: 'cli',
    cwd: '/home/dev/shed',
    sessionId: session,
    version: '2.1.332',
    gitBranch: 'main',
    ...more,
  }
  const chain = (row: Row): Row => {
    const whole: Row = {
      parentUuid: last,
      isSidechain: false,
      uuid: id(made + 1, kind),
      timestamp: second(made),
      ...common,
      ...row,
    }
    made += 1
    for (const name of Object.keys(whole)) if (whole[name] === undefined) delete whole[name]
    rows.push(whole)
    last = whole.uuid ?? last
    return whole
  }
  const bare = (row: Row): Row => {
    rows.push(row)
    return row
  }
  const user = (content: unknown, row: Row = {}) =>
    chain({ type: 'user', message: { role: 'user', content }, ...row })
  const assistant = (content: Row[], stop: string, row: Row = {}) =>
    chain({
      type: 'assistant',
      message: {
        id: `msg_${kind}_${made}`,
        type: 'message',
        role: 'assistant',
        model: 'claude-opus-5-5',
        content,
        stop_reason: stop,
      },
      ...row,
    })
  return {
    session,
    rows,
    chain,
    bare,
    user,
    typed: (words, row = {}) =>
      user(words, { origin: { kind: 'human' }, promptSource: 'typed', turnOrigin: 'human', ...row }),
    sdk: (words, row = {}) =>
      user(words, {
        promptSource: 'sdk',
        sentAtMs: START,
        rowSource: 'local',
        turnOrigin: 'sdk',
        entrypoint: 'sdk-cli',
        ...row,
      }),
    reply: (words, row) => assistant([{ type: 'text', text: words }], 'end_turn', row),
    call(name, input) {
      const call = `toolu_${kind}_${++calls}`
      assistant([{ type: 'tool_use', id: call, name, input }], 'tool_use')
      return call
    },
    result: (output, row = {}) =>
      user([{ tool_use_id: `toolu_${kind}_${calls}`, type: 'tool_result', content: output }], {
        permissionDecision: { decision: 'accept', source: 'config' },
        ...row,
      }),
    turnEnd: row =>
      chain({ type: 'system', subtype: 'turn_duration', durationMs: 10, isMeta: false, ...row }),
    queue: (operation, content, row = {}) =>
      bare({
        type: 'queue-operation',
        operation,
        timestamp: second(made++),
        sessionId: session,
        ...(content === undefined ? {} : { content }),
        ...row,
      }),
    attachment: (attachment, row = {}) =>
      chain({ type: 'attachment', attachment, renderedRole: 'system', ...row }),
  }
}

/** A rollout of Codex, written row by row in the form of the newest version. */
export interface CodexTranscript {
  readonly thread: string
  readonly rows: Row[]
  row(type: string, payload: unknown): Row
  item(payload: Row): Row
  event(payload: Row): Row
  /** A turn begins; returns its id. */
  turn(trigger: unknown, more?: Row): string
  /** The user's message with the kind of each part. */
  user(parts: [kind: string, text: string][], more?: Row): Row
  /** The event that repeats a user's message. */
  echo(words: string, more?: Row): Row
  typed(words: string): void
  reply(words: string): void
  complete(last?: string | null): Row
}

export function codex(meta: Row = {}): CodexTranscript {
  const kind = 0x1000 + ++sessions
  const thread = typeof meta.id === 'string' ? meta.id : id(0, kind)
  const rows: Row[] = []
  let turn = ''
  let turns = 0
  let made = 0
  const row = (type: string, payload: unknown): Row => {
    const whole = { timestamp: second(made), ordinal: made++, type, payload }
    rows.push(whole)
    return whole
  }
  const item = (payload: Row) => row('response_item', payload)
  const event = (payload: Row) => row('event_msg', payload)
  const transcript: CodexTranscript = {
    ...{ thread, rows, row, item, event },
    turn(trigger, more = {}) {
      turn = id(++turns, kind)
      event({
        type: 'task_started',
        ...(trigger === undefined ? {} : { turn_attribution: { turn_id: turn, turn_trigger: trigger } }),
        turn_id: turn,
        ...more,
      })
      return turn
    },
    user: (parts, more = {}) =>
      item({
        type: 'message',
        id: `msg_${kind}_${made}`,
        role: 'user',
        content: parts.map(([, text]) => ({ type: 'input_text', text })),
        internal_chat_message_metadata_passthrough: {
          turn_id: turn,
          content_item_kinds: parts.map(([name]) => name),
          content_item_metadata: parts.map(([name]) => ({
            provenance: { type: name.startsWith('user.') ? 'user' : 'harness' },
          })),
        },
        ...more,
      }),
    echo: (words, more = {}) =>
      event({
        type: 'item_completed',
        thread_id: thread,
        turn_id: turn,
        item: { type: 'UserMessage', id: id(made, kind), content: [{ type: 'text', text: words }] },
        ...more,
      }),
    typed(words) {
      transcript.user([['user.text', words]])
      transcript.echo(words)
    },
    reply(words) {
      event({
        type: 'item_completed',
        thread_id: thread,
        turn_id: turn,
        item: { type: 'AgentMessage', content: [{ type: 'Text', text: words }] },
      })
      item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: words }] })
    },
    complete: (last = null) => event({ type: 'task_complete', turn_id: turn, last_agent_message: last }),
  }
  row('session_meta', {
    session_id: thread,
    id: thread,
    timestamp: second(0),
    cwd: '/home/dev/shed',
    originator: 'codex-tui',
    cli_version: '0.171.0',
    source: 'vscode',
    thread_source: 'user',
    history_mode: 'paginated',
    ...meta,
  })
  return transcript
}
