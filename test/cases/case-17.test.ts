import { describe, expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'
import {
  type ClaudeTranscript,
  claude,
  codex,
  id,
  messageOf,
  personsWords,
  type Row,
  scan,
  scanContent,
  told,
  write,
} from '../support/transcripts.ts'

const ids = (number: number) => ({ commandUuid: id(number, 0x51), deliveryId: id(number, 0x52) })

function enqueued(s: ClaudeTranscript, words: string): void {
  s.queue('enqueue', words)
}

function absorbed(s: ClaudeTranscript, words: string, number: number): void {
  s.queue('remove', words, { reason: 'absorbed_mid_turn', ...ids(number) })
}

function attached(s: ClaudeTranscript, words: unknown, number: number, more: Row = {}): void {
  const { commandUuid, deliveryId } = ids(number)
  s.attachment({
    type: 'queued_command',
    prompt: words,
    source_uuid: commandUuid,
    delivery_id: deliveryId,
    commandMode: 'prompt',
    origin: { kind: 'human' },
    humanTurn: true,
    ...more,
  })
}

function running(more: Row = {}): ClaudeTranscript {
  const s = claude(more)
  s.typed('start')
  s.call('Bash', { command: 'sleep 9' })
  return s
}

const lineOf = (s: ClaudeTranscript, test: (row: Row) => boolean) => s.rows.findIndex(test) + 1

describe('case 17: text typed while a turn runs is found once', () => {
  test('in three rows: one message that names all its places', () => {
    const s = running()
    enqueued(s, 'and the buckets')
    absorbed(s, 'and the buckets', 1)
    s.result('slept')
    attached(s, 'and the buckets', 1)
    s.reply('done')
    s.turnEnd()
    const outcome = scanContent(s.rows)
    expect(personsWords(outcome)).toEqual(['start', 'and the buckets'])
    const { message, trace } = messageOf(outcome, 'and the buckets')
    expect(message.confidence).toBe('high')
    expect(message.source.line).toBe(lineOf(s, row => row.type === 'attachment'))
    expect(message.alsoAt.map(({ line }) => line)).toEqual(
      s.rows.flatMap((row, at) => (row.type === 'queue-operation' ? [at + 1] : [])),
    )
    expect(trace).toMatchObject({ end: 'done', lastWords: 'done' })
  })

  test.each([
    [
      'enqueue and remove',
      (s: ClaudeTranscript) => {
        enqueued(s, 'more')
        absorbed(s, 'more', 1)
      },
      'medium',
    ],
    ['remove alone', (s: ClaudeTranscript) => absorbed(s, 'more', 1), 'medium'],
    ['the attachment alone', (s: ClaudeTranscript) => attached(s, 'more', 1), 'high'],
    [
      'enqueue and attachment, without ids',
      (s: ClaudeTranscript) => {
        enqueued(s, 'more')
        attached(s, 'more', 1, { source_uuid: undefined, delivery_id: undefined })
      },
      'high',
    ],
    [
      'remove and attachment whose texts differ by a pasted block: the ids tie them',
      (s: ClaudeTranscript) => {
        absorbed(s, 'more [Pasted text #1 +2 lines]', 1)
        attached(s, 'more\n<pasted_content id="1">x</pasted_content id="1">', 1)
      },
      'high',
    ],
    [
      'remove and an attachment of several blocks',
      (s: ClaudeTranscript) => {
        absorbed(s, 'x', 1)
        attached(s, [{ type: 'text', text: 'more' }], 1)
      },
      'high',
    ],
  ])('in %s', (_, writeRows, confidence) => {
    const s = running()
    writeRows(s)
    s.result('slept')
    s.reply('done')
    expect(told(scanContent(s.rows))).toEqual([
      ['person', 'high', 'start'],
      ['person', confidence, 'more'],
    ])
  })

  test('2.0.30: in the queue alone', () => {
    const s = claude({ version: '2.0.30', entrypoint: undefined })
    s.user('start', { thinkingMetadata: { level: 'none' } })
    enqueued(s, 'more')
    s.queue('remove', 'more')
    expect(personsWords(scanContent(s.rows))).toEqual(['start', 'more'])
  })

  test('the same words typed twice while a turn runs are two messages', () => {
    const s = running()
    enqueued(s, 'go on')
    enqueued(s, 'go on')
    absorbed(s, 'go on', 1)
    absorbed(s, 'go on', 2)
    s.result('slept')
    attached(s, 'go on', 1)
    attached(s, 'go on', 2)
    s.reply('done')
    const outcome = scanContent(s.rows)
    expect(personsWords(outcome)).toEqual(['start', 'go on', 'go on'])
    for (const { message } of outcome.messages.slice(1)) expect(message.alsoAt).toHaveLength(2)
  })

  test.each([
    ['2.1.247', { version: '2.1.247' }, 'absorbed_mid_turn', {}],
    [
      '2.0.30',
      { version: '2.0.30', entrypoint: undefined },
      undefined,
      { thinkingMetadata: { level: 'none' } },
    ],
  ])(
    '%s: the same words in a running turn and later as a prompt are two messages',
    (_, more, reason, typed) => {
      const s = claude(more)
      const prompt = (words: string) => (reason === undefined ? s.user(words, typed) : s.typed(words))
      prompt('start')
      enqueued(s, 'go on')
      s.queue('remove', 'go on', reason === undefined ? {} : { reason })
      s.reply('done')
      s.turnEnd()
      prompt('go on')
      s.reply('done')
      expect(personsWords(scanContent(s.rows))).toEqual(['start', 'go on', 'go on'])
    },
  )

  test('a prompt that waited in the queue and began a turn is one message; typed again later, another', () => {
    const s = running()
    enqueued(s, 'go on')
    s.result('slept')
    s.reply('done')
    s.turnEnd()
    s.queue('dequeue')
    s.typed('go on', { promptSource: 'queued' })
    s.reply('done')
    s.turnEnd()
    s.typed('go on')
    s.reply('done')
    const outcome = scanContent(s.rows)
    expect(personsWords(outcome)).toEqual(['start', 'go on', 'go on'])
    expect(outcome.messages.map(({ message }) => message.alsoAt.length)).toEqual([0, 1, 0])
  })

  test('words that a crash left in the queue, and the same words typed again after it', () => {
    const s = running()
    enqueued(s, 'go on')
    s.typed('go on')
    s.reply('done')
    expect(told(scanContent(s.rows))).toEqual([
      ['person', 'high', 'start'],
      ['unresolved', 'low', 'go on'],
      ['person', 'high', 'go on'],
    ])
  })

  test('2.0.30: two prompts of a program in the queue at once', () => {
    const s = claude({ version: '2.0.30', entrypoint: undefined })
    enqueued(s, 'one')
    s.queue('dequeue')
    enqueued(s, 'two')
    s.user('one')
    s.reply('ok')
    s.queue('dequeue')
    s.user('two')
    s.reply('ok')
    expect(told(scanContent(s.rows))).toEqual([
      ['launcher', 'medium', 'one'],
      ['launcher', 'medium', 'two'],
    ])
  })

  test('a session that a terminal began and a program went on with: each row is judged by what stood before it', () => {
    const s = running()
    absorbed(s, 'typed', 1)
    s.reply('done')
    s.sdk('go')
    s.chain({ type: 'system', subtype: 'informational', content: 'x', entrypoint: 'sdk-cli' })
    absorbed(s, 'of a program', 2)
    expect(told(scanContent(s.rows))).toEqual([
      ['person', 'high', 'start'],
      ['person', 'medium', 'typed'],
      ['launcher', 'high', 'go'],
      ['unresolved', 'low', 'of a program'],
    ])
  })

  test('also in the list of typed prompts, as it was typed', () => {
    const s = running()
    enqueued(s, 'and the buckets')
    absorbed(s, 'and the buckets', 1)
    attached(s, 'and the buckets', 1)
    const root = tempFolder()
    write(root, `projects/-home-dev-shed/${s.session}.jsonl`, s.rows)
    write(
      root,
      'history.jsonl',
      ['start', 'and the buckets'].map(display => ({
        ...{ display, pastedContents: {}, project: '/home/dev/shed', sessionId: s.session },
        timestamp: Date.parse('2026-03-01T10:00:01.000Z'),
      })),
    )
    const outcome = scan([root])
    expect(told(outcome)).toEqual([
      ['person', 'high', 'start'],
      ['person', 'high', 'and the buckets'],
    ])
    expect(messageOf(outcome, 'and the buckets').message.alsoAt).toHaveLength(3)
  })

  test('Codex: steered text stands in an item and an event', () => {
    const t = codex()
    t.turn('user')
    t.typed('start')
    t.typed('more')
    t.complete('ok')
    const outcome = scanContent(t.rows)
    expect(personsWords(outcome)).toEqual(['start', 'more'])
    for (const { message } of outcome.messages) expect(message.alsoAt).toHaveLength(1)
  })
})
