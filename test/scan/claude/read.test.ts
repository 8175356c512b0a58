import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../support/temp-folder.ts'
import {
  type ClaudeTranscript,
  claude,
  messageOf,
  type Outcome,
  type Row,
  scan,
  scanContent,
  second,
  write,
} from '../../support/transcripts.ts'

const human = { origin: { kind: 'human' } }
const command = '<command-name>/a</command-name>'
const ends = ({ messages }: Outcome) =>
  messages.map(({ message, trace }) => `${message.words}: ${trace?.end}`)
const scanned = (write: (s: ClaudeTranscript) => void, more: Row = {}) => {
  const s = claude(more)
  write(s)
  return scanContent(s.rows)
}
const kinds = ({ messages }: Outcome) => messages.map(({ message }) => `${message.kind}: ${message.words}`)

describe('which turn a message is of, and how it ends', () => {
  it.each<[string, (s: ClaudeTranscript) => unknown, string[]]>([
    ['answered', s => [s.typed('one'), s.reply('ok')], ['one: done']],
    ['and its end', s => [s.typed('one'), s.call('Bash', {}), s.turnEnd()], ['one: done']],
    [
      'an agent’s end is none',
      s => [s.typed('one'), s.call('Bash', {}), s.turnEnd({ isSidechain: true })],
      ['one: unknown'],
    ],
    [
      'an error and its end',
      s => [s.typed('one'), s.reply('x', { isApiErrorMessage: true }), s.turnEnd()],
      ['one: error'],
    ],
    ['without an answer', s => s.typed('one'), ['one: unknown']],
    ['a command', s => s.user(command, { rowSource: 'local' }), ['/a: local']],
    [
      'a command that is answered',
      s => [s.user(command, { rowSource: 'local' }), s.reply('ok')],
      ['/a: done'],
    ],
    ['a `!`', s => s.user('<bash-input>ls</bash-input>', { rowSource: 'local' }), ['ls: local']],
    [
      'a plugin’s command',
      s => s.chain({ type: 'system', subtype: 'local_command', content: command }),
      ['/a: local'],
    ],
    [
      'a command while a turn runs is of that turn',
      s => [s.typed('one'), s.call('Bash', {}), s.user(command, { rowSource: 'local' }), s.reply('ok')],
      ['one: done', '/a: done'],
    ],
    [
      'a command before any answer ends the turn before',
      s => [s.typed('one'), s.user(command, { rowSource: 'local' })],
      ['one: unknown', '/a: local'],
    ],
    [
      'a command after the answer has its own',
      s => [s.typed('one'), s.reply('ok'), s.user(command, { rowSource: 'local' })],
      ['one: done', '/a: local'],
    ],
    [
      'a prompt while a turn runs ends it',
      s => [s.typed('one'), s.call('Bash', {}), s.typed('two'), s.reply('ok')],
      ['one: unknown', 'two: done'],
    ],
    [
      'prompts that waited together are one turn',
      s => [
        s.typed('one', { promptSource: 'queued' }),
        s.typed('two', { promptSource: 'queued' }),
        s.reply('ok'),
      ],
      ['one: done', 'two: done'],
    ],
    [
      'typed ones are not',
      s => [s.typed('one'), s.typed('two'), s.reply('ok')],
      ['one: unknown', 'two: done'],
    ],
    [
      'nor after an answer',
      s => [s.typed('one'), s.call('Bash', {}), s.typed('two', { promptSource: 'queued' }), s.reply('ok')],
      ['one: unknown', 'two: done'],
    ],
    [
      'nor after a command',
      s => [
        s.user(command, { rowSource: 'local' }),
        s.typed('two', { promptSource: 'queued' }),
        s.reply('ok'),
      ],
      ['/a: local', 'two: done'],
    ],
    [
      'nor where another row stands between them',
      s => [
        s.typed('one'),
        s.chain({ type: 'progress' }),
        s.typed('two', { promptSource: 'queued' }),
        s.reply('ok'),
      ],
      ['one: unknown', 'two: done'],
    ],
    [
      'an interruption ends it',
      s => [
        s.typed('one'),
        s.call('Bash', {}),
        s.user('[Request interrupted by user]', { rowSource: 'harness' }),
      ],
      ['one: interrupted', '[Request interrupted by user]: undefined'],
    ],
    [
      'an agent’s does not',
      s => [
        ...[s.typed('one'), s.reply('ok')],
        s.user('[Request interrupted by user]', { rowSource: 'harness', isSidechain: true }),
      ],
      ['one: done', '[Request interrupted by user]: undefined'],
    ],
    [
      'a row that stands there twice begins nothing',
      s => {
        const one = s.typed('one')
        s.call('Bash', {})
        s.bare(one)
        s.reply('ok')
      },
      ['one: done'],
    ],
    [
      'what a rewind leaves, with what was said in its turn',
      s => {
        s.typed('one', { parentUuid: 'p' })
        s.attachment({
          type: 'queued_command',
          prompt: 'more',
          ...human,
          humanTurn: true,
          commandMode: 'prompt',
        })
        s.reply('ok')
        s.typed('again', { parentUuid: 'p' })
        s.reply('ok')
      },
      ['one: abandoned', 'more: abandoned', 'again: done'],
    ],
    [
      'a prompt that was taken back from the queue',
      s => [s.typed('one'), s.queue('enqueue', 'two'), s.queue('popAll', 'two')],
      ['one: unknown', 'two: abandoned'],
    ],
  ])('%s', (_, rows, expected) => {
    expect(ends(scanned(rows))).toEqual(expected)
  })

  it('at the time of its last row', () => {
    const endedAt = (write: (s: ClaudeTranscript) => Row) => {
      const s = claude()
      s.typed('one')
      s.reply('ok')
      const last = write(s)
      return [messageOf(scanContent(s.rows), 'one').trace?.endedAt, last.timestamp]
    }
    for (const write of [
      (s: ClaudeTranscript) => s.reply('more'),
      (s: ClaudeTranscript) => s.turnEnd(),
      (s: ClaudeTranscript) => s.user('[Request interrupted by user]', { rowSource: 'harness' }),
    ]) {
      const [told, last] = endedAt(write)
      expect(told).toBe(last)
    }
    const [told, last] = endedAt(s => s.reply('of an agent', { isSidechain: true }))
    expect(told).not.toBe(last)
  })

  it('a result of a tool moves the time of an interruption that has none; an agent’s does not', () => {
    for (const [isSidechain, expected] of [
      [false, second(2)],
      [true, second(1)],
    ]) {
      const outcome = scanned(s => {
        s.typed('one')
        s.call('Bash', { command: 'ls' })
        s.result('x', { isSidechain })
        s.user('[Request interrupted by user]', { rowSource: 'harness', timestamp: undefined })
      })
      expect(messageOf(outcome, 'one').trace).toMatchObject({
        endedAt: expected,
        commands: isSidechain ? [] : [{}],
      })
      expect(outcome.sources[0]?.counts.toolResults).toBe(1)
    }
  })
})

describe('what the queue held', () => {
  const places = ({ messages }: Outcome) =>
    messages.map(({ message }) => [
      message.words,
      message.source.line,
      ...message.alsoAt.map(({ line }) => line),
    ])

  it.each<[string, (s: ClaudeTranscript) => unknown, unknown[]]>([
    [
      'a prompt that it delivers',
      s => [s.queue('enqueue', 'a'), s.queue('dequeue'), s.sdk('a')],
      [['a', 3, 1]],
    ],
    [
      'with all its rows',
      s => [
        s.queue('enqueue', 'a'),
        s.queue('popAll', 'a'),
        s.queue('enqueue', 'a'),
        s.queue('dequeue'),
        s.sdk('a'),
      ],
      [['a', 5, 1, 2, 3]],
    ],
    [
      'the same words typed beside it',
      s => [s.queue('enqueue', 'a'), s.typed('a')],
      [
        ['a', 2],
        ['a', 1],
      ].reverse(),
    ],
    [
      'an answer ends the delivery',
      s => [s.queue('dequeue'), s.queue('enqueue', 'a'), s.reply('x'), s.typed('a')],
      [
        ['a', 2],
        ['a', 4],
      ],
    ],
    [
      'an agent’s answer does not',
      s => [s.queue('dequeue'), s.queue('enqueue', 'a'), s.reply('x', { isSidechain: true }), s.typed('a')],
      [['a', 4, 2]],
    ],
    [
      'other words that a row delivers under its id',
      s => [
        s.queue('enqueue', 'short', { deliveryId: 'd' }),
        s.attachment({
          type: 'queued_command',
          prompt: 'a whole text',
          delivery_id: 'd',
          ...human,
          humanTurn: true,
          commandMode: 'prompt',
        }),
      ],
      [['a whole text', 2]],
    ],
    [
      'a longer text than a row delivers',
      s => [
        s.queue('enqueue', 'more around a text', { commandUuid: 'd' }),
        s.attachment({
          type: 'queued_command',
          prompt: 'a text',
          source_uuid: 'd',
          ...human,
          humanTurn: true,
          commandMode: 'prompt',
        }),
      ],
      [['a text', 2, 1]],
    ],
    [
      'a command of a plugin',
      s => [
        s.queue('enqueue', '/a'),
        s.chain({ type: 'system', subtype: 'local_command', content: command }),
      ],
      [['/a', 2, 1]],
    ],
  ])('%s', (_, rows, expected) => {
    expect(places(scanned(rows))).toEqual(expected)
  })

  it('an older prompt is a program’s only where the queue delivered it', () => {
    const label = (...operations: string[]) =>
      scanned(
        s => {
          s.queue('enqueue', 'a')
          for (const operation of operations) s.queue(operation)
          s.user('a')
        },
        { version: '2.0.30', entrypoint: undefined },
      ).messages.at(-1)?.message.label
    expect([label('dequeue'), label()]).toEqual(['launcher', 'unresolved'])
  })

  it('words that nothing delivers have the version, the folder and the terminal of their time', () => {
    const outcome = scanned(s => {
      s.queue('enqueue', 'before', { sessionId: undefined })
      s.queue('remove', 'before', { reason: 'absorbed_mid_turn', sessionId: undefined })
      s.typed('one', { cwd: '/then' })
      s.queue('remove', 'mid', { reason: 'absorbed_mid_turn' })
      s.sdk('two', { cwd: '/now' })
      s.queue('remove', 'last', { reason: 'absorbed_mid_turn' })
    })
    expect(messageOf(outcome, 'mid').message).toMatchObject({ label: 'person', cwd: '/then' })
    expect(messageOf(outcome, 'last').message).toMatchObject({ label: 'unresolved', cwd: '/now' })
    expect(messageOf(outcome, 'before').message).toMatchObject({ label: 'unresolved', cwd: null })
    expect(messageOf(outcome, 'before').message.session).toBe(messageOf(outcome, 'one').message.session)
    expect(messageOf(outcome, 'before').message.alsoAt).toHaveLength(1)
  })

  it('thinking in an older row shows a terminal', () => {
    const outcome = scanned(
      s => {
        s.user('one', { thinkingMetadata: {} })
        s.queue('remove', 'mid', { reason: 'absorbed_mid_turn' })
      },
      { version: '2.0.30', entrypoint: undefined },
    )
    expect(messageOf(outcome, 'mid').message.label).toBe('person')
  })
})

describe('copies of a session', () => {
  const both = (first: Row[], copy: Row[]) => {
    const root = tempFolder()
    write(root, 'a.jsonl', first)
    write(root, 'b.jsonl', copy)
    return scan([root])
  }
  /** The rows as a copy that rewrites all ids but those of answers. */
  const rewritten = (rows: Row[]) => rows.map((row, at) => ({ ...row, uuid: `new ${at}`, sessionId: 'copy' }))

  it('the same words before the same answer are one message, each as often as they were said', () => {
    const s = claude()
    s.typed('go')
    s.typed('go')
    s.typed('other')
    s.reply('ok')
    s.typed('go')
    s.reply('ok')
    const outcome = both(s.rows, rewritten(s.rows))
    expect(outcome.messages.map(({ message }) => [message.words, message.alsoAt.length])).toEqual([
      ['go', 1],
      ['go', 1],
      ['other', 1],
      ['go', 1],
    ])
  })

  it('an answer in several rows, one that the host made up, and one of an agent tie nothing more', () => {
    const s = claude()
    s.typed('go')
    s.reply('ok')
    const answer = s.rows.at(-1)?.message as Row
    s.typed('again')
    s.chain({ type: 'assistant', message: { ...answer } })
    s.typed('third')
    s.chain({ type: 'assistant', message: { id: 'x', model: '<synthetic>', content: [] } })
    s.chain({ type: 'assistant', isSidechain: true, message: { id: 'y', content: [] } })
    const copy = claude()
    copy.typed('again')
    copy.chain({ type: 'assistant', message: { ...answer } })
    copy.typed('third')
    copy.chain({ type: 'assistant', message: { id: 'x', model: '<synthetic>', content: [] } })
    copy.chain({ type: 'assistant', isSidechain: true, message: { id: 'y', content: [] } })
    expect(both(s.rows, copy.rows).messages.map(({ message }) => message.alsoAt.length)).toEqual(
      Array(5).fill(0),
    )
  })

  it('several messages of one row are each its own, also with the same words', () => {
    const s = claude()
    const [block, text] = [
      { type: 'tool_result', content: 'x' },
      { type: 'text', text: 'mind it' },
    ]
    s.user([block, text, text], { permissionDecision: { source: 'user_temporary' } })
    expect(both(s.rows, s.rows).messages.map(({ message }) => message.alsoAt.length)).toEqual([1, 1])
  })

  it('two texts under one id, and rows without one, are their own', () => {
    const s = claude()
    s.typed('a', { uuid: 'same' })
    s.typed('b', { uuid: 'same' })
    s.typed('c', { uuid: undefined })
    s.typed('c', { uuid: undefined })
    expect(both(s.rows, s.rows).messages).toHaveLength(4)
  })

  it('a plugin’s note that is written twice under an id of its own is one', () => {
    const outcome = scanned(s => {
      for (const field of ['heldContent', 'content'])
        s.attachment({ type: 'plugin_note', name: 'm', rowUuid: 'n', [field]: 'x' })
    })
    expect(outcome.messages.map(({ message }) => message.alsoAt.length)).toEqual([1])
  })
})

it('a message keeps the id that its origin gave it, its row, its time and its folder', () => {
  const outcome = scanned(s => {
    s.user('x', {
      origin: { kind: 'peer', body: 'go', msg_id: 'm' },
      uuid: 'u',
      cwd: undefined,
      timestamp: second(9),
    })
    s.typed('later', { cwd: '/c' })
    s.typed('last', { cwd: undefined })
  })
  expect(messageOf(outcome, 'go').message).toMatchObject({
    ...{ at: second(9), cwd: null, source: { row: 'u' } },
    evidence: { correlation: { msgId: 'm' } },
  })
  expect(messageOf(outcome, 'last').message.cwd).toBe('/c')
  expect(kinds(outcome)).toContain('peer_idle: go')
})
