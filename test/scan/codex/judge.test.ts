import { describe, expect, it } from 'vitest'
import {
  eventText,
  type Part,
  partsOf,
  shellCommand,
  textOfParts,
  turnIdOf,
} from '../../../src/scan/codex/item-text.ts'
import {
  judgeBareMessage,
  judgeInput,
  judgeOldMessage,
  judgeParts,
  judgeReviewInstructions,
} from '../../../src/scan/codex/judge.ts'
import { authorOf, isChild, type Thread, threadOf, unknownThread } from '../../../src/scan/codex/thread.ts'
import type { Verdict } from '../../../src/scan/extract/verdict.ts'

const thread = (more: Partial<Thread> = {}): Thread => ({ ...unknownThread('t'), ...more })
const part = (kind: string | null, text: string | null = 'count', type = 'input_text'): Part => ({
  ...{ kind, text, type, isHook: false },
})
const short = ({ label, confidence, words, kind, saysNothing, launchedBy }: Verdict) =>
  [label, confidence, kind, words, saysNothing ? 'says nothing' : '', launchedBy ?? ''].join('|')

const TERMINAL = thread({ originator: 'codex-tui' })
const EXEC = thread({ originator: 'codex_exec', source: 'exec' })
const CHILD = thread({ source: 'subagent', parent: 'p' })
const SHELL = '<user_shell_command>\n<command>\nls\n</command>\n</user_shell_command>'

describe('rule.personsWords: whose words a message of Codex holds', () => {
  it.each<[string, Part[], Thread, Parameters<typeof judgeParts>[2], string]>([
    ['typed', [part('user.text')], EXEC, 'user', 'person|high|turn_trigger:user|count||'],
    ['an image alone', [part('user.image', null)], EXEC, 'user', 'person|high|turn_trigger:user|||'],
    ['exec', [part('user.text')], TERMINAL, 'exec', 'launcher|high|turn_trigger:exec|count||'],
    ['queue', [part('user.text')], TERMINAL, 'queue', 'launcher|medium|turn_trigger:queue|count||'],
    ['no trigger', [part('user.text')], TERMINAL, null, 'unresolved|low|no_evidence|count|says nothing|'],
    ['another one', [part('user.text')], TERMINAL, 'x', 'unresolved|low|no_evidence|count|says nothing|'],
    ['a child', [part('user.text')], CHILD, 'user', 'launcher|high|subagent_prompt_by_parent|count||p'],
    [
      'an injected part beside it',
      [part('x.y', 'no'), part('user.text')],
      EXEC,
      'user',
      'person|high|turn_trigger:user|count||',
    ],
    [
      'a parent alone',
      [part('user.text')],
      thread({ parent: 'p' }),
      'user',
      'launcher|high|subagent_prompt_by_parent|count||p',
    ],
    ['the shell', [part('shell.user_command', SHELL)], EXEC, null, 'person|medium|bang_shell_command|ls||'],
    [
      'the shell of a child',
      [part('shell.user_command', SHELL)],
      CHILD,
      null,
      'launcher|medium|bang_shell_command|ls||p',
    ],
    [
      'the shell in another form',
      [part('shell.user_command', 'ls')],
      EXEC,
      null,
      'unresolved|low|bang_shell_command|ls||',
    ],
    [
      'the shell after another part',
      [part('x.y', ''), part('shell.user_command', SHELL)],
      EXEC,
      null,
      `unresolved|low|bang_shell_command|\n${SHELL}||`,
    ],
    ['an unknown part', [part('unknown')], EXEC, 'user', 'unresolved|low|no_evidence|count|says nothing|'],
    ['a part without a kind', [part(null)], EXEC, 'user', 'unresolved|low|no_evidence|count|says nothing|'],
    [
      'an action',
      [part('unknown', '<user_action>x')],
      EXEC,
      'user',
      'notice|high|injected:unknown|<user_action>x||',
    ],
    [
      'words that name one',
      [part('unknown', 'a <user_action>')],
      EXEC,
      'user',
      'unresolved|low|no_evidence|a <user_action>|says nothing|',
    ],
    [
      'an injected part',
      [part('x.y'), part('unknown', 'b')],
      EXEC,
      'user',
      'notice|high|injected:x.y,unknown|count\nb||',
    ],
  ])('%s', (_, parts, of, trigger, expected) => {
    expect(short(judgeParts(parts, of, trigger))).toBe(expected)
  })

  it.each<[string, Thread, string]>([
    ['at a terminal', TERMINAL, 'person|high|cli_user_message|count||'],
    ['by exec', EXEC, 'launcher|high|exec|count||'],
    ['of a child', CHILD, 'launcher|high|subagent_prompt_by_parent|count||'],
    ['of nobody known', thread(), 'unresolved|low|no_evidence|count|says nothing|'],
  ])('real input %s', (_, of, expected) => {
    expect(short(judgeInput('count', of, {}))).toBe(expected)
    expect(short(judgeOldMessage([part(null, 'before\ncount')], of, 'count'))).toBe(expected)
  })

  it.each<[string, Thread, string, string]>([
    ['a command at a terminal', TERMINAL, SHELL, 'person|medium|bang_shell_command|ls||'],
    ['a command’s form by exec', EXEC, SHELL, `notice|medium|injected|${SHELL}||`],
    ['anything else', TERMINAL, 'x', 'notice|medium|injected|x||'],
  ])('no real input: %s', (_, of, text, expected) => {
    expect(short(judgeOldMessage([part(null, text)], of, null))).toBe(expected)
  })

  it.each<[string, Thread, string]>([
    ['at a terminal', TERMINAL, 'person|medium|review_instructions_in_event|count||'],
    ['by exec', EXEC, 'launcher|medium|review_instructions_in_event|count||'],
    ['of nobody known', thread(), 'unresolved|low|review_instructions_in_event|count||'],
  ])('instructions for a review %s', (_, of, expected) => {
    expect(short(judgeReviewInstructions('count', of, {}))).toBe(expected)
  })

  it.each([
    ['<environment_context>x', 'notice|medium|injected|<environment_context>x||'],
    ['<user_instructions>x', 'notice|medium|injected|<user_instructions>x||'],
    ['x <environment_context>', 'unresolved|low|bare_old_rollout|x <environment_context>|says nothing|'],
    ['x', 'unresolved|low|bare_old_rollout|x|says nothing|'],
  ])('a bare row: %j', (text, expected) => {
    expect(short(judgeBareMessage([part(null, text)]))).toBe(expected)
  })
})

describe('who made a thread', () => {
  it.each<[string, Record<string, unknown>, Partial<Thread>]>([
    [
      'all that it states',
      {
        ...{ id: 'a', cwd: '/c', cli_version: '1', originator: 'o', source: 'cli', parent_thread_id: 'p' },
        ...{ forked_from_id: 'f', history_mode: 'paginated', timestamp: '2026-03-01T10:00:00Z' },
      },
      {
        ...{ id: 'a', cwd: '/c', version: '1', originator: 'o', source: 'cli', parent: 'p', forkedFrom: 'f' },
        ...{ isPaginated: true, startedAt: '2026-03-01T10:00:00.000Z' },
      },
    ],
    [
      'nothing',
      {},
      { id: 'before', source: null, isPaginated: false, startedAt: null, cwd: null, version: '' },
    ],
    ['a subagent’s source', { source: { subagent: 'review' } }, { source: 'subagent' }],
    ['another object', { source: { x: 1 } }, { source: null }],
    ['a subagent’s thread', { thread_source: 'subagent', source: 'vscode' }, { source: 'subagent' }],
    ['a person’s thread', { thread_source: 'user', source: 'cli' }, { source: 'cli' }],
    ['a history of another mode', { history_mode: 'whole' }, { isPaginated: false }],
    ['the session beside the thread', { session_id: 's' }, { id: 'before' }],
  ])('%s', (_, meta, expected) => {
    expect(threadOf(meta, unknownThread('before'))).toMatchObject(expected)
  })

  it.each<[Partial<Thread>, ReturnType<typeof authorOf>]>([
    [{ originator: 'codex-tui' }, 'person'],
    [{ originator: 'codex-tui', source: 'exec' }, 'launcher'],
    [{ originator: 'codex_exec' }, 'launcher'],
    [{ source: 'exec' }, 'launcher'],
    [{ originator: 'codex_cli_rs' }, 'person'],
    [{ originator: 'codex_cli_rs', source: 'cli' }, 'person'],
    [{ originator: 'codex_cli_rs', source: 'vscode' }, null],
    [{ originator: 'other', source: 'cli' }, null],
    [{ originator: 'codex-tui', parent: 'p' }, 'launcher'],
    [{ originator: 'codex-tui', source: 'subagent' }, 'launcher'],
    [{}, null],
  ])('%j: %s', (more, author) => {
    expect(authorOf(thread(more))).toBe(author)
    expect(isChild(thread(more))).toBe(more.parent !== undefined || more.source === 'subagent')
  })
})

describe('the text of an item', () => {
  it('the parts with their kinds, at the same places', () => {
    const item = {
      content: [{ type: 'input_text', text: 'a' }, { type: 'input_image' }, { text: 7 }],
      internal_chat_message_metadata_passthrough: {
        ...{ turn_id: 'turn', content_item_kinds: ['user.text', 7] },
        content_item_metadata: [{ provenance: { hook: true } }, { provenance: { hook: 'x' } }],
      },
    }
    expect(partsOf(item)).toEqual([
      { type: 'input_text', text: 'a', kind: 'user.text', isHook: true },
      { type: 'input_image', text: null, kind: null, isHook: false },
      { type: '', text: null, kind: null, isHook: false },
    ])
    expect([turnIdOf(item), turnIdOf({}), partsOf({}), partsOf({ content: 'x' })]).toEqual([
      'turn',
      null,
      [],
      [],
    ])
  })

  const image = part(null, null, 'input_image')
  const text = (words: string) => part(null, words)
  it.each<[string, Part[], string]>([
    ['one under the other', [text('a'), text('b')], 'a\nb'],
    ['without what is no text', [text('a'), image, text('b')], 'a\nb'],
    [
      'without the marks around an image',
      [text('<image name="x">'), image, text('</image>'), text('a')],
      'a',
    ],
    ['a short mark', [text('<image>'), image], ''],
    [
      'such marks where no image stands',
      [text('<image>'), text('x'), text('</image>')],
      '<image>\nx\n</image>',
    ],
    [
      'words before an image that only begin like one',
      [text('<image> see'), image, text('</image> so')],
      '<image> see\n</image> so',
    ],
    ['words before an image that end like one', [text('see <image>'), image], 'see <image>'],
    ['a mark of another name', [text('<imagery>'), image], '<imagery>'],
  ])('%s', (_, parts, expected) => {
    expect(textOfParts(parts)).toBe(expected)
  })

  it.each([
    ['<user_shell_command>\n<command>\nls\n-l\n</command>\n<result>', 'ls\n-l'],
    ['<user_shell_command>\n<command>\na\n</command>\nb\n</command>\n', 'a'],
    ['<user_shell_command>\n<command>\n</command> x\n</command>\n', '</command> x'],
    ['x<user_shell_command>\n<command>\nls\n</command>\n', null],
    ['<user_shell_command>\n<command>\nls</command>\n', null],
  ])('what was typed after `!`: %j', (words, command) => {
    expect(shellCommand(words)).toBe(command)
  })

  it('the text of what an event holds: texts alone', () => {
    const content = [
      { type: 'text', text: 'a' },
      { type: 'image', text: 'x' },
      { type: 'text' },
      { type: 'text', text: 'b' },
    ]
    expect(eventText(content)).toBe('a\n\nb')
    expect(eventText('x')).toBe('')
  })
})
