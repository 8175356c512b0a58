import { describe, expect, it } from 'vitest'
import { judgeQueuedAlone } from '../../../src/scan/claude/judge-queued.ts'
import { mainLine, type Prompt } from '../../../src/scan/claude/main-line.ts'
import { emptyQueue, promptQueue } from '../../../src/scan/claude/prompt-queue.ts'
import type { Queued } from '../../../src/scan/claude/queued.ts'
import type { Row } from '../../support/transcripts.ts'
import { short } from '../../support/verdicts.ts'

const context = { version: '2.1.0', cwd: null, isInteractive: true }

function queue(...rows: [operation: string, content?: unknown, more?: Row][]) {
  const read = promptQueue(emptyQueue())
  for (const [at, [operation, content, more]] of rows.entries())
    read.read({ operation, content, sessionId: 's', ...more }, { line: at + 1, offset: at * 10 }, context)
  return read
}
const waits = (read: ReturnType<typeof queue>) =>
  read.waiting().map(({ words, state, line, before }) => [words, state, line, ...before.map(one => one.line)])

describe('the queue of prompts', () => {
  it('what was put in, taken out and taken back is one prompt with all its rows', () => {
    const absorbed = { reason: 'absorbed_mid_turn' }
    expect(waits(queue(['enqueue', 'a'], ['enqueue', 'b']))).toEqual([
      ['a', 'put', 1],
      ['b', 'put', 2],
    ])
    expect(waits(queue(['enqueue', 'a'], ['remove', 'a', absorbed]))).toEqual([['a', 'absorbed', 2, 1]])
    expect(waits(queue(['enqueue', 'a'], ['remove', 'a']))).toEqual([['a', 'removed', 2, 1]])
    expect(waits(queue(['enqueue', 'a'], ['popAll', 'a'], ['enqueue', 'a'], ['remove', 'a']))).toEqual([
      ['a', 'removed', 4, 1, 2, 3],
    ])
    expect(waits(queue(['enqueue', 'a'], ['enqueue', 'a'], ['popAll', 'a']))).toEqual([
      ['a', 'put', 2],
      ['a', 'taken_back', 3, 1],
    ])
    expect(waits(queue(['enqueue', 7], ['other', 'a'], ['dequeue']))).toEqual([])
  })

  it.each<[string, Row, string[], boolean]>([
    ['the command’s', { commandUuid: 'c' }, ['x', 'c'], true],
    ['the delivery’s', { deliveryId: 'd' }, ['d'], true],
    ['another', { commandUuid: 'c' }, ['x'], false],
  ])('a row delivers by an id before the text: %s', (_, ids, given, isFound) => {
    const read = queue(['enqueue', 'text'], ['enqueue', 'other', ids])
    expect(read.deliverMidTurn('text', given)?.words).toBe(isFound ? 'other' : 'text')
    expect(read.deliverMidTurn('nothing', given)?.words).toBeUndefined()
  })

  it.each<[string, string]>([
    ['as it is', 'go'],
    ['with blanks at its end', 'go \n'],
    ['a command', '<command-name>/go</command-name>'],
    ['a `!`', '<bash-input>go</bash-input>'],
    ['with the host’s mark', '[MESSAGE FROM NON-USER SOURCE - NOT USER INPUT]\ngo'],
    ['an envelope', 'See:\n<agent-message>\ngo\n</agent-message>\nx'],
  ])('and by its text: %s', (form, text) => {
    const words =
      form === 'a command' ? '/go' : form === 'an envelope' ? '<agent-message>\ngo\n</agent-message>' : 'go'
    expect(queue(['enqueue', words]).deliverMidTurn(text, [])?.words).toBe(words)
    expect(queue(['enqueue', 'other']).deliverMidTurn(text, [])).toBeUndefined()
  })

  it('the oldest first, in whatever state; one that holds it whole before one of the same task', () => {
    const note = (more: string) => `<task-notification>\n<task-id>7</task-id>${more}`
    const read = queue(
      ['enqueue', note('short')],
      ['enqueue', note('whole')],
      ['enqueue', 'a'],
      ['remove', 'b'],
      ['enqueue', 'b'],
    )
    expect(read.deliverMidTurn(note('whole'), [])?.line).toBe(2)
    expect(read.deliverMidTurn(note('another'), [])?.line).toBe(1)
    expect(read.deliverMidTurn(`x${note('another')}`, [])).toBeUndefined()
    expect(['b', 'b', 'b'].map(text => read.deliverMidTurn(text, [])?.line)).toEqual([4, 5, undefined])
    expect(waits(read)).toEqual([['a', 'put', 3]])
  })

  it.each<[string, unknown, boolean, (number | undefined)[]]>([
    ['typed, while nothing is delivered', 'typed', false, [3, undefined]],
    ['typed, while the queue delivers', 'typed', true, [1, 3]],
    ['queued', 'queued', false, [1, 2]],
    ['of a program', 'sdk', false, [1, undefined]],
    ['of an older version', undefined, false, [1, undefined]],
  ])('a prompt that begins a turn: %s', (_, source, isDelivering, lines) => {
    const read = queue(
      ['enqueue', 'a'],
      ['remove', 'a x'],
      ['popAll', 'a x x'],
      ['remove', 'absorbed', { reason: 'absorbed_mid_turn' }],
    )
    const whole = promptQueue({ waiting: read.waiting().map(one => ({ ...one, words: 'a' })), isDelivering })
    expect([0, 1].map(() => whole.deliverPrompt('a', source)?.line)).toEqual(lines)
  })

  it('delivers from a row that says so, also when it is read on', () => {
    const read = queue(['enqueue', 'a'], ['dequeue'])
    expect([read.isDelivering, queue().isDelivering]).toEqual([true, false])
    expect(
      promptQueue({ waiting: read.waiting(), isDelivering: true }).deliverPrompt('a', 'typed')?.line,
    ).toBe(1)
  })
})

describe('rule.personsWords: words that the queue alone holds', () => {
  const alone = (words: string, more: Partial<Queued> = {}) =>
    short(
      judgeQueuedAlone({
        ...{ words, state: 'absorbed', ids: [], before: [], at: null, session: 's', line: 1, offset: 0 },
        ...{ ...context, ...more },
      }),
    )
  it.each<[string, string, Partial<Queued>, string]>([
    ['absorbed', 'go', {}, 'person medium queued_mid_turn: go'],
    ['absorbed by a program', 'go', { isInteractive: false }, 'unresolved low queued_mid_turn: go'],
    ['absorbed by nobody known', 'go', { isInteractive: null }, 'unresolved low queued_mid_turn: go'],
    ['taken back', 'go', { state: 'taken_back' }, 'person medium queued_taken_back: go'],
    [
      'taken back by a program',
      'go',
      { state: 'taken_back', isInteractive: false },
      'unresolved low queued_not_delivered?: go',
    ],
    ['waiting', 'go', { state: 'put' }, 'unresolved low queued_not_delivered?: go'],
    ['removed', 'go', { state: 'removed' }, 'unresolved low queued_not_delivered?: go'],
    ['removed by 2.0', 'go', { state: 'removed', version: '2.0.30' }, 'person medium queued_mid_turn: go'],
    [
      'removed by a version like it',
      'go',
      { state: 'removed', version: '2.01' },
      'unresolved low queued_not_delivered?: go',
    ],
    [
      'a peer’s',
      '<cross-session-message x>\ngo\n</cross-session-message>',
      {},
      'unresolved low queued_peer: go',
    ],
    ['a task’s note', '<task-notification>x', {}, 'notice medium task_notification: <task-notification>x'],
    ...[
      '<agent-message x',
      '<teammate-message x',
      '<system-reminder>x',
      '<channel x',
      '[MESSAGE FROM NON-USER SOURCE',
    ].map((text): [string, string, Partial<Queued>, string] => [
      text,
      text,
      {},
      `unresolved low queued_mid_turn: ${text}`,
    ]),
    ['words that name one', 'a <channel x', {}, 'person medium queued_mid_turn: a <channel x'],
    [
      'words that hold an envelope',
      'a\n<agent-message>\nx\n</agent-message>',
      {},
      'person medium queued_mid_turn: a\n<agent-message>\nx\n</agent-message>',
    ],
  ])('%s', (_, words, more, expected) => {
    expect(alone(words, more)).toBe(expected)
  })
})

describe('the main line and what a rewind leaves', () => {
  type Step = [uuid: string | null, parent: string | null | undefined, type?: string]
  const added = (steps: Step[], before: Prompt[] = []) => {
    const line = mainLine(before)
    return steps.map(([uuid, parentUuid, type = 'user'], at) => {
      const { isSeen, left } = line.add({ uuid, parentUuid, type }, at)
      line.join(100 + at)
      return isSeen ? 'seen' : left
    })
  }
  it.each<[string, Step[], unknown[]]>([
    [
      'one after the other',
      [
        ['a', null],
        ['b', 'x'],
        ['c', 'y'],
      ],
      [[], [], []],
    ],
    [
      'two after one row',
      [
        ['a', null],
        ['b', 'x'],
        ['c', 'x'],
      ],
      [[], [], [1, 101]],
    ],
    [
      'back to the beginning',
      [
        ['a', null],
        ['b', 'x'],
        ['c', null],
      ],
      [[], [], [0, 100, 1, 101]],
    ],
    [
      'twice',
      [
        ['a', 'x'],
        ['b', 'x'],
        ['c', 'x'],
      ],
      [[], [0, 100], [1, 101]],
    ],
    [
      'back before one that was left',
      [
        ['a', 'x'],
        ['b', 'y'],
        ['c', 'x'],
        ['d', 'y'],
      ],
      [[], [], [0, 100, 1, 101], []],
    ],
    [
      'a row that is read again',
      [
        ['a', null],
        ['b', 'x'],
        ['a', null],
      ],
      [[], [], 'seen'],
    ],
    [
      'a row that was left and stands there again',
      [
        ['a', 'x'],
        ['b', 'x'],
        ['a', 'y'],
      ],
      [[], [0, 100], []],
    ],
    [
      'rows that name no parent',
      [
        ['a', undefined],
        ['b', undefined],
      ],
      [[], []],
    ],
    [
      'rows without an id',
      [
        [null, 'x'],
        [null, 'y'],
      ],
      [[], []],
    ],
    [
      'a command of the system',
      [
        ['a', 'x'],
        ['b', 'x', 'system'],
      ],
      [[], []],
    ],
    [
      'a command of the system that is left takes no earlier prompt with it',
      [
        ['a', 'x'],
        ['b', 'y'],
        ['c', 'x', 'system'],
        ['d', 'y'],
        ['e', 'x'],
      ],
      [[], [], [], [1, 101, 2, 102], [0, 100, 3, 103]],
    ],
  ])('%s', (_, steps, expected) => {
    expect(added(steps)).toEqual(expected)
  })

  it('is read on from what is kept', () => {
    const before: Prompt[] = [{ seq: 7, uuid: 'a', parent: 'x', joined: [8] }]
    expect(added([['b', 'x']], before)).toEqual([[7, 8]])
  })
})
