import { describe, expect, it } from 'vitest'
import { codexFormat } from '../../../src/scan/codex/format.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import {
  codex,
  id,
  messageOf,
  type Outcome,
  type Row,
  scan,
  scanContent,
  second,
  write,
} from '../../support/transcripts.ts'

const ends = ({ messages }: Outcome) =>
  messages.map(({ message, trace }) => `${message.words}: ${trace?.end}`)
const OLD = { cli_version: '0.98.0', originator: 'codex_cli_rs', source: 'cli', history_mode: undefined }
const input = (text: string, more: Row = {}) => ({
  ...{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
  ...more,
})
const places = (outcome: Outcome) =>
  outcome.messages.map(({ message }) => [
    message.words,
    message.source.line,
    ...message.alsoAt.map(({ line }) => line),
  ])

describe('which rows are Codex’s', () => {
  const bare = { id: 'x', timestamp: null, instructions: null }
  it.each<[Row, boolean]>([
    ...['session_meta', 'response_item', 'event_msg', 'turn_context', 'compacted', 'world_state'].flatMap(
      (type): [Row, boolean][] => [
        [{ type, payload: {} }, true],
        [{ type, payload: 7 }, false],
        [{ type }, false],
      ],
    ),
    [{ type: 'other', payload: {} }, false],
    [{ record_type: 'state' }, true],
    [{ record_type: 'other' }, false],
    [bare, true],
    [{ ...bare, id: 7 }, false],
    [{ id: 'x', timestamp: null }, false],
    [{ id: 'x', instructions: null }, false],
    [{ type: 'message', role: 'user', content: [] }, true],
    [{ type: 'message', role: 'user', content: 'x' }, false],
    [{ type: 'message', content: [] }, false],
  ])('%j: %s', (row, isOurs) => {
    expect(codexFormat.wrote(row)).toBe(isOurs)
  })

  it('where it keeps them, and what its first row says of the whole', () => {
    expect(codexFormat.home).toEqual({
      ...{ option: 'codex', variable: 'CODEX_HOME', folder: '.codex' },
      transcripts: ['sessions', 'archived_sessions'],
    })
    const notes: Record<string, unknown[]> = {}
    const note = (name: string) => (value: unknown) => {
      notes[name] = [...(notes[name] ?? []), value]
    }
    const whole = {
      ...{ session: note('session'), derivedFrom: note('derivedFrom'), cwd: note('cwd') },
      ...{ version: note('version'), at: note('at') },
    }
    const payload = { id: 'a', forked_from_id: 'f', cwd: '/c', cli_version: '1' }
    codexFormat.describe({ type: 'session_meta', timestamp: second(1), payload }, whole)
    codexFormat.describe({ type: 'event_msg', timestamp: second(2), payload }, whole)
    expect(notes).toEqual({
      ...{ session: ['a'], derivedFrom: ['f'], cwd: ['/c'], version: ['1'] },
      at: [second(1), second(2)],
    })
  })

  it('a line of its list of typed prompts, with a time in seconds', () => {
    expect(codexFormat.listedPrompt({ text: 'go', session_id: 's', ts: 1 })).toEqual({
      ...{ words: 'go', session: 's', at: '1970-01-01T00:00:01.000Z', cwd: null, expanded: 'go' },
    })
    expect(codexFormat.listedPrompt({ text: 'go' })).toMatchObject({ session: '', at: null })
    expect(codexFormat.listedPrompt({ text: 7, session_id: 's' })).toBeNull()
  })
})

describe('a message and the event that repeats it', () => {
  it('is one message with two places, also after the turn has ended; each event is one place', () => {
    const t = codex()
    t.turn('user')
    t.user([['user.text', 'go']])
    t.user([['user.text', 'on']])
    t.complete('ok')
    for (const words of ['go', 'on', 'go', 'new']) t.echo(words)
    expect(places(scanContent(t.rows))).toEqual([
      ['go', 3, 6],
      ['on', 4, 7],
      ['go', 8],
      ['new', 9],
    ])
  })

  it('of another thread it is a place of what stands before, or none', () => {
    const t = codex()
    t.turn('user')
    t.user([['user.text', 'go']])
    t.echo('go', { thread_id: 'other' })
    t.echo('of the other', { thread_id: 'other' })
    expect(places(scanContent(t.rows))).toEqual([['go', 3, 4]])
  })

  it('alone it is of the turn that it names, not of the one that runs', () => {
    const t = codex()
    const first = t.turn('exec')
    t.turn('user')
    t.echo('by exec', { turn_id: first })
    t.echo('typed')
    t.echo('nobody knows', { turn_id: undefined })
    expect(scanContent(t.rows).messages.map(({ message }) => message.label)).toEqual([
      ...['launcher', 'person', 'unresolved'],
    ])
  })

  it('an item without a turn’s id is of the turn that runs', () => {
    const t = codex()
    const first = t.turn('exec')
    t.turn('user')
    const kinds = (turn_id?: string) => ({
      internal_chat_message_metadata_passthrough: { turn_id, content_item_kinds: ['user.text'] },
    })
    t.item(input('typed', kinds()))
    t.item(input('by exec', kinds(first)))
    expect(scanContent(t.rows).messages.map(({ message }) => message.label)).toEqual(['person', 'launcher'])
  })

  it.each([
    ['the same text', 'go', 'go', ['person go']],
    ['the end of a text that the program put more before', 'context\ngo', 'go', ['person go']],
    ['the middle of it', 'a go b', 'go', ['notice a go b', 'person go']],
    ['nothing', 'go', '', ['notice go', 'person ']],
    ['another text', 'go', 'stop', ['notice go', 'person stop']],
  ])('before 0.171 the event says what is real input: %s', (_, item, event, expected) => {
    const t = codex(OLD)
    t.item(input(item))
    t.event({ type: 'user_message', message: event })
    const outcome = scanContent(t.rows)
    expect(outcome.messages.map(({ message }) => `${message.label} ${message.words}`)).toEqual(expected)
    if (expected.length === 1) expect(outcome.messages[0]?.message.alsoAt).toMatchObject([{ line: 3 }])
  })

  it.each<[string, (t: ReturnType<typeof codex>) => void]>([
    ['another event', t => t.event({ type: 'token_count' })],
    ['another item', t => t.item({ type: 'reasoning' })],
    ['a row of another kind', t => t.row('turn_context', {})],
  ])('an item that %s follows is none', (_, follow) => {
    const t = codex(OLD)
    t.item(input('injected'))
    follow(t)
    t.event({ type: 'user_message', message: 'injected' })
    expect(scanContent(t.rows).messages.map(({ message }) => message.label)).toEqual(['notice', 'person'])
  })

  it('an item of which some parts have kinds is judged by them', () => {
    const t = codex()
    t.turn('user')
    t.item({
      ...input('a'),
      content: [
        { type: 'input_text', text: 'injected' },
        { type: 'input_text', text: 'typed' },
      ],
      internal_chat_message_metadata_passthrough: { content_item_kinds: [null, 'user.text'] },
    })
    expect(messageOf(scanContent(t.rows), 'typed').message.label).toBe('person')
  })

  it('a system’s message is no user’s', () => {
    const t = codex()
    t.turn('user')
    t.item({ ...input('x'), role: 'system' })
    expect(scanContent(t.rows).messages).toEqual([])
  })
})

describe('copies of a thread', () => {
  const fork = (more: Row, at: number) => {
    const first = codex({ ...OLD, timestamp: second(0) })
    const copy = codex({ ...OLD, timestamp: second(0), forked_from_id: first.thread, ...more })
    for (const t of [first, copy])
      for (const words of ['go', 'go', 'on']) {
        t.item(input(words))
        t.event({ type: 'user_message', message: words })
      }
    for (const row of copy.rows) row.timestamp = new Date(Date.parse(second(0)) + at).toISOString()
    const root = tempFolder()
    write(root, 'a.jsonl', first.rows)
    write(root, 'b.jsonl', copy.rows)
    return scan([root])
  }

  it('of the older kind: what is copied in the file’s first moment is the first thread’s', () => {
    const outcome = fork({}, 999)
    expect(outcome.messages.map(({ message }) => message.words)).toEqual(['go', 'go', 'on'])
    expect(outcome.messages.map(({ message }) => message.alsoAt.length)).toEqual([3, 3, 3])
  })

  it.each<[string, Row, string[]]>([
    ['what is said later', { timestamp: second(-5) }, ['go', 'go', 'on']],
    [
      'a fork that begins without copies',
      { history_mode: 'paginated' },
      ['go', 'go', 'go', 'go', 'on', 'on'],
    ],
    ['no fork', { forked_from_id: undefined }, ['go', 'go', 'go', 'go', 'on', 'on']],
  ])('%s', (_, more, words) => {
    expect(
      fork(more, 0)
        .messages.map(({ message }) => message.words)
        .sort(),
    ).toEqual(words)
  })

  it('the same words later in a fork are another message', () => {
    const first = codex({ ...OLD, timestamp: second(0) })
    const copy = codex({ ...OLD, timestamp: second(0), forked_from_id: first.thread })
    for (const t of [first, copy]) {
      for (const row of t.rows) row.timestamp = second(0)
      t.item(input('go'))
      t.event({ type: 'user_message', message: 'go' })
    }
    for (const [at, row] of copy.rows.slice(1).entries()) row.timestamp = second(60 + at)
    const root = tempFolder()
    write(root, 'a.jsonl', first.rows)
    write(root, 'b.jsonl', copy.rows)
    expect(scan([root]).messages).toHaveLength(2)
  })

  it('one file twice, and one whose items have no ids: each message is one', () => {
    const t = codex()
    t.turn('user')
    t.user([['user.text', 'a']], { id: undefined })
    t.user([['user.text', 'a']], { id: undefined })
    const root = tempFolder()
    write(root, 'a.jsonl', t.rows)
    write(root, 'b.jsonl', t.rows)
    expect(scan([root]).messages.map(({ message }) => message.alsoAt.length)).toEqual([1, 1])
  })

  it('the same id in two threads, two texts under one id: each is its own', () => {
    const root = tempFolder()
    for (const words of ['a', 'a', 'b']) {
      const t = codex()
      t.turn('user')
      t.user([['user.text', words]], { id: 'same' })
      t.user([['user.text', `${words} again`]], { id: 'same' })
      write(root, `${t.thread}.jsonl`, t.rows)
    }
    expect(scan([root]).messages).toHaveLength(6)
  })
})

describe('how a turn ends', () => {
  it.each<[string, (t: ReturnType<typeof codex>) => unknown, string]>([
    ['last words', t => t.complete('ok'), 'done'],
    [
      'an answer before',
      t => [t.item({ type: 'message', role: 'assistant', content: [] }), t.complete()],
      'done',
    ],
    ['an answer in an event', t => [t.reply(''), t.complete()], 'done'],
    ['nothing', t => t.complete(), 'unknown'],
    ['an error before', t => [t.event({ type: 'error' }), t.complete('ok')], 'error'],
    ['an error of the stream before', t => [t.event({ type: 'stream_error' }), t.complete('ok')], 'error'],
    ['an error in it', t => t.event({ type: 'task_complete', error: {}, last_agent_message: 'x' }), 'error'],
    ['interrupted', t => t.event({ type: 'turn_aborted', reason: 'interrupted' }), 'interrupted'],
    ['replaced', t => t.event({ type: 'turn_aborted', reason: 'replaced' }), 'unknown'],
    ['the end of the file', t => t.reply('ok'), 'unknown'],
    ['an error at the end of the file', t => t.event({ type: 'error' }), 'error'],
  ])('%s', (_, end, expected) => {
    const t = codex()
    t.turn('user')
    t.typed('go')
    end(t)
    expect(ends(scanContent(t.rows))).toEqual([`go: ${expected}`])
  })

  it.each([
    ['a `!` that nothing answers', false, 'local'],
    ['one that is answered', true, 'done'],
  ])('%s, with an end and without', (_, isAnswered, expected) => {
    for (const isComplete of [true, false]) {
      const t = codex(isComplete ? {} : OLD)
      if (isComplete) t.turn(null)
      t.user([['shell.user_command', '<user_shell_command>\n<command>\nls\n</command>\n']])
      if (isAnswered) t.reply('ok')
      if (isComplete) t.complete()
      expect(ends(scanContent(t.rows))).toEqual([`ls: ${expected}`])
    }
  })

  it('at the time of its last row, whatever that row is; a turn that a next one follows too', () => {
    const lastAt = (more: (t: ReturnType<typeof codex>) => void) => {
      const t = codex()
      t.turn('user')
      t.typed('go')
      more(t)
      const at = t.rows.at(-1)?.timestamp
      t.event({ type: 'turn_aborted', reason: 'interrupted' })
      const last = t.rows.at(-1) as Row
      return [scanContent(t.rows).messages[0]?.trace?.endedAt, last.timestamp, at]
    }
    for (const more of [() => {}, (t: ReturnType<typeof codex>) => void t.item({ type: 'reasoning' })]) {
      const [endedAt, last] = lastAt(more)
      expect(endedAt).toBe(last)
    }
    const t = codex(OLD)
    t.item(input('one'))
    t.event({ type: 'user_message', message: 'one' })
    const { timestamp } = t.item({ type: 'message', role: 'assistant', content: [] })
    t.item(input('two'))
    t.event({ type: 'user_message', message: 'two' })
    expect(messageOf(scanContent(t.rows), 'one').trace).toMatchObject({ end: 'done', endedAt: timestamp })
    t.rows.splice(4)
    expect(messageOf(scanContent(t.rows), 'one').trace).toMatchObject({ end: 'done', endedAt: timestamp })
  })

  it('rows without a time are of the time before', () => {
    const t = codex()
    t.turn('user')
    const { timestamp } = t.rows.at(-1) as Row
    t.user([['user.text', 'go']])
    t.complete('ok')
    for (const row of t.rows.slice(2)) delete row.timestamp
    const [only] = scanContent(t.rows).messages
    expect([only?.message.at, only?.trace?.endedAt]).toEqual([timestamp, timestamp])
  })

  it.each<[unknown, string[]]>([
    [1, ['one: done', '!: local', 'two: abandoned', 'three: abandoned']],
    [1.9, ['one: done', '!: local', 'two: abandoned', 'three: abandoned']],
    [2, ['one: abandoned', '!: abandoned', 'two: abandoned', 'three: abandoned']],
    [99, ['one: abandoned', '!: abandoned', 'two: abandoned', 'three: abandoned']],
    [0, ['one: done', '!: local', 'two: done', 'three: done']],
    [0.5, ['one: done', '!: local', 'two: done', 'three: done']],
    [-1, ['one: done', '!: local', 'two: done', 'three: done']],
    ['1', ['one: done', '!: local', 'two: done', 'three: done']],
  ])('a rollback by %j turns: a `!` and what steered are no turns of their own', (num_turns, expected) => {
    const t = codex()
    t.turn('user')
    t.typed('one')
    t.complete('ok')
    t.turn(null)
    t.user([['shell.user_command', '<user_shell_command>\n<command>\n!\n</command>\n']])
    t.complete()
    t.turn('user')
    t.typed('two')
    t.typed('three')
    t.complete('ok')
    t.event({ type: 'thread_rolled_back', num_turns })
    expect(ends(scanContent(t.rows))).toEqual(expected)
  })
})

it('the last words of a turn are those that its end names', () => {
  const t = codex()
  t.turn('user')
  t.typed('go')
  t.reply('first')
  t.complete('last')
  expect(scanContent(t.rows).messages[0]?.trace?.lastWords).toBe('last')
})

it.each([
  [null, null],
  ['user', 'user'],
  [7, undefined],
])('a turn that %j began: evidence says %j', (trigger, expected) => {
  const t = codex()
  t.turn(trigger)
  t.typed('go')
  expect(scanContent(t.rows).messages[0]?.message.evidence.fields.turn_trigger).toBe(expected)
})

describe('what an event tells of a turn', () => {
  const trace = (...items: Row[]) => {
    const t = codex()
    t.turn('user')
    t.typed('go')
    for (const item of items) t.event({ type: 'item_completed', thread_id: t.thread, item })
    return scanContent(t.rows).messages[0]?.trace
  }
  it('agents that were started, each of them, and no other call of theirs', () => {
    const item = { type: 'CollabAgentToolCall', prompt: 'count', receiver_thread_ids: ['a', 'b', 7] }
    expect(trace({ ...item, tool: 'spawn_agent' }, { ...item, tool: 'wait' })?.agents).toEqual(
      ['a', 'b', null].map(one => ({ id: one, description: 'count' })),
    )
    expect(trace({ ...item, tool: 'spawn_agent', prompt: 7, receiver_thread_ids: 'a' })?.agents).toEqual([])
  })

  it('files that were changed, each once; words, the last of them', () => {
    const item = { type: 'FileChange', changes: { a: {}, b: {} } }
    expect(trace(item, item, { type: 'FileChange' })?.filesEdited).toEqual(['a', 'b'])
    const said = (...texts: string[]) => ({ type: 'AgentMessage', content: texts.map(text => ({ text })) })
    expect(trace(said('a'), said('b', 'c'))?.lastWords).toBe('b\nc')
  })

  it('the outputs of tools are counted, whatever tool it was', () => {
    const t = codex()
    for (const type of ['function_call_output', 'custom_tool_call_output', 'function_call', 'reasoning'])
      t.item({ type })
    expect(scanContent(t.rows).sources[0]?.counts.toolResults).toBe(2)
  })
})

describe('bare rows of version 0.20', () => {
  it('after another program’s head rows without a payload are none of these', () => {
    const t = codex()
    t.rows.push({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'bare' }] })
    expect(scanContent(t.rows).messages).toEqual([])
  })

  it('have no time, whatever rows say; the first row is no message', () => {
    const rows: Row[] = [
      { id: id(0, 0x21), timestamp: second(0), instructions: null },
      {
        type: 'message',
        timestamp: second(4),
        role: 'user',
        content: [{ type: 'input_text', text: 'whose?' }],
      },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'ok' }] },
    ]
    const [only] = scanContent(rows).messages
    expect(only?.message).toMatchObject({ at: null, session: id(0, 0x21), kind: 'bare_old_rollout' })
    expect(only?.trace).toMatchObject({ end: 'done', lastWords: 'ok' })
  })
})
