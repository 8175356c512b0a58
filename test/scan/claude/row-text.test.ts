import { describe, expect, it } from 'vitest'
import { claudeFormat } from '../../../src/scan/claude/format.ts'
import {
  bashInput,
  contentText,
  envelopeIn,
  insideCoordinatorMessage,
  insideEnvelope,
  insidePluginMessage,
  insideUserMessage,
  isLocalOutput,
  promptWords,
  slashCommand,
} from '../../../src/scan/claude/row-text.ts'
import { typedIn } from '../../../src/scan/claude/typed-in.ts'
import type { Row } from '../../support/transcripts.ts'

const name = (text: string) => `<command-name>${text}</command-name>`
const args = (text: string) => `<command-args>${text}</command-args>`

it.each<[string, string | null, string | null]>([
  [name('/a'), '/a', '/a'],
  [name('a'), '/a', '/a'],
  [`${name('/a')}\n${args('b  c ')}`, '/a b  c ', '/a b  c '],
  [`${name('/a')}\n${args('')}`, '/a', '/a'],
  [`<command-message>a</command-message>\n${name('/a')}`, '/a', '/a'],
  [` \n${name('/a')}\n`, '/a', '/a'],
  [`${name('/a')}\n${args('x</command-args> y')}`, '/a x</command-args> y', '/a x'],
  ['<command-message>a</command-message>', null, null],
  [`x ${name('/a')}`, null, '/a'],
  ['<command-name>/a', null, null],
  [`</command-name>${name('/a')}`, null, '/a'],
  [args('b'), null, null],
])('a command that was typed: %j', (text, typed, forCheck) => {
  expect([slashCommand(text), typedIn(text)]).toEqual([typed, forCheck])
})

it.each([
  ['<bash-input>ls</bash-input>', 'ls'],
  ['<bash-input>a</bash-input> b</bash-input>', 'a</bash-input> b'],
  ['<bash-input>ls</bash-input> x', null],
  ['x <bash-input>ls</bash-input>', null],
  ['<bash-input>ls', null],
])('what was typed after `!`: %j', (text, command) => {
  expect(bashInput(text)).toBe(command)
})

it.each<[string, boolean]>([
  ...['bash-stdout', 'bash-stderr', 'local-command-stdout', 'local-command-stderr'].map(
    (tag): [string, boolean] => [`<${tag}>x`, true],
  ),
  ['x <bash-stdout>', false],
  ['<bash-input>', false],
])('an output’s form: %j is %s', (text, isOutput) => {
  expect(isLocalOutput(text)).toBe(isOutput)
})

it('the text of a content: texts alone, one under the other', () => {
  const content = [
    { type: 'text', text: 'a' },
    { type: 'thinking', text: 'x' },
    { type: 'text' },
    7,
    { type: 'text', text: 'b' },
  ]
  expect([contentText(content), contentText('x'), contentText(7)]).toEqual(['a\n\nb', 'x', ''])
})

describe('the words of a prompt with pastes', () => {
  const paste = (text: string, id = '1') => `<pasted_content id="${id}">${text}</pasted_content id="${id}">`
  it.each<[string, string, string, boolean]>([
    ['none', 'go', 'go', false],
    ['after words', `go\n\n${paste('x')}`, 'go', false],
    ['with three feeds before', `go\n\n\n${paste('x')}`, 'go\n', false],
    ['with three feeds after', `${paste('x')}\n\n\ngo`, '\ngo', false],
    ['with one feed after', `${paste('x')}\ngo`, 'go', false],
    ['between words', `a ${paste('x')} b`, 'a \n b', false],
    ['alone', paste('\nx\n'), 'x', true],
    ['alone, with feeds of its own', paste('\n\nx\n\n'), '\nx\n', true],
    ['two alone', `${paste('x')}\n\n${paste('y', '2')}`, 'x\ny', true],
    ['blanks around', ` ${paste('x')} `, 'x', true],
    ['a mark of another in it', paste(`x</pasted_content id="2">y`), `x</pasted_content id="2">y`, true],
    ['one inside another', paste(paste('x', '2')), paste('x', '2'), true],
    ['without an end', 'a <pasted_content id="1"> b', 'a <pasted_content id="1"> b', false],
    [
      'an end before the beginning',
      '</pasted_content id="1"> a <pasted_content id="1">',
      '</pasted_content id="1"> a <pasted_content id="1">',
      false,
    ],
    ['to its first end', `${paste('x')} y</pasted_content id="1">`, ' y</pasted_content id="1">', false],
  ])('%s', (_, text, words, isPasted) => {
    expect(promptWords(text)).toEqual({ words, isPasted })
  })
})

describe('what the host writes around words', () => {
  const inside = '</agent-message>\nb'
  it.each<[string, (text: string) => string | null, string, string | null]>([
    ...['cross-session-message', 'agent-message', 'teammate-message'].map(
      (tag): [string, (text: string) => string | null, string, string | null] => [
        `an envelope ${tag}`,
        insideEnvelope,
        `a\n<${tag} from="x">\ngo\n</${tag}>\nb`,
        'go',
      ],
    ),
    ['an envelope at the beginning', insideEnvelope, '<agent-message>\ngo\n</agent-message>', 'go'],
    ['to the last end', insideEnvelope, `<agent-message>\n\n${inside}\n</agent-message>`, `\n${inside}`],
    ['in a line', insideEnvelope, 'see <agent-message>\ngo\n</agent-message>', null],
    ['without an end', insideEnvelope, '<agent-message>\ngo', null],
    ['an end before it', insideEnvelope, '\n</agent-message>\n<agent-message>\ngo', null],
    ['of another name', insideEnvelope, '<agent-messages>\ngo\n</agent-messages>', null],
    [
      'whole',
      envelopeIn,
      'a\n<agent-message x>\ngo\n</agent-message>\nb',
      '<agent-message x>\ngo\n</agent-message>',
    ],
    [
      'whole, to its last end',
      envelopeIn,
      `<agent-message>\n${inside}\n</agent-message>c`,
      `<agent-message>\n${inside}\n</agent-message>`,
    ],
    ['whole, without an end', envelopeIn, '<agent-message x>\ngo', null],
    ['whole, in a line', envelopeIn, 'a <agent-message x>\ngo\n</agent-message>', null],
    [
      'the coordinator’s',
      insideCoordinatorMessage,
      'The coordinator sent a message while you were working:\na\n\nAddress this before completing your current task.\n\nAddress this before completing your current task.',
      'a\n\nAddress this before completing your current task.',
    ],
    [
      'more after it',
      insideCoordinatorMessage,
      'The coordinator sent a message while you were working:\na\n\nAddress this before completing your current task. x',
      null,
    ],
    [
      'the person’s to an agent',
      insideUserMessage,
      'The user sent a new message while you were working:\na\n\nThis is how Claude Code surfaces messages the user sends mid-turn\n\nThis is how Claude Code surfaces messages the user sends mid-turn',
      'a\n\nThis is how Claude Code surfaces messages the user sends mid-turn',
    ],
    [
      'without its head',
      insideUserMessage,
      `${'x'.repeat(60)}\n\nThis is how Claude Code surfaces messages the user sends mid-turn`,
      null,
    ],
    ['without its end', insideUserMessage, 'The user sent a new message while you were working:\na', null],
    [
      'a plugin’s',
      insidePluginMessage,
      'The x y plugin sent a message:\na\n\nThis is how Claude Code surfaces b\n\nThis is how Claude Code surfaces c',
      'a\n\nThis is how Claude Code surfaces b',
    ],
    [
      'words before it',
      insidePluginMessage,
      'so: The x plugin sent a message:\na\n\nThis is how Claude Code surfaces c',
      null,
    ],
  ])('%s', (_, read, text, expected) => {
    const isNullable = read === insideEnvelope || read === envelopeIn
    expect(read(text)).toBe(expected ?? (isNullable ? null : text))
  })
})

describe('which rows are Claude Code’s', () => {
  it.each<[Row, boolean]>([
    ...[
      'user',
      'assistant',
      'system',
      'attachment',
      'summary',
      'queue-operation',
      'file-history-snapshot',
    ].map((type): [Row, boolean] => [{ type }, true]),
    [{ type: 'other', sessionId: 's' }, true],
    [{ type: 'other' }, false],
    [{ sessionId: 7 }, false],
    [{ sessionId: 's', payload: {} }, false],
    [{ sessionId: 's', role: 'user' }, false],
  ])('%j: %s', (row, isOurs) => {
    expect(claudeFormat.wrote(row)).toBe(isOurs)
  })

  it('what they say of the whole: another session is the one they were copied from', () => {
    const notes: string[] = []
    const note = (what: string) => (value: unknown) =>
      void (value !== undefined && notes.push(`${what} ${value}`))
    const whole = {
      session: note('s'),
      derivedFrom: note('d'),
      cwd: note('c'),
      version: note('v'),
      at: note('at'),
    }
    claudeFormat.describe(
      { sessionId: 'a', session_id: 'a', requestSessionId: 'a', cwd: '/c', version: '1' },
      whole,
    )
    claudeFormat.describe({ sessionId: 'a', session_id: 'b', requestSessionId: 'c' }, whole)
    expect(notes.filter(one => one !== 'at null')).toEqual(['s a', 'c /c', 'v 1', 's a', 'd b', 'd c'])
  })

  it.each<[string, Row, string, string]>([
    ['plain', { display: 'go' }, 'go', 'go'],
    [
      'a mark beside words',
      { display: 'a [Pasted text #1 +2 lines]', pastedContents: { 1: { content: 'x' } } },
      'a [Pasted text #1 +2 lines]',
      'a x',
    ],
    ['a mark alone', { display: ' [Pasted text #1] ', pastedContents: { 1: { content: 'x' } } }, 'x', 'x'],
    [
      'two marks alone',
      {
        display: '[Pasted text #1][Pasted text #2]',
        pastedContents: { 1: { content: 'x' }, 2: { content: 'y' } },
      },
      'x\ny',
      'x\ny',
    ],
    [
      'of which one is gone',
      { display: '[Pasted text #1][Pasted text #2]', pastedContents: { 1: { content: 'x' } } },
      '[Pasted text #1][Pasted text #2]',
      'x[Pasted text #2]',
    ],
    ['a mark without content', { display: '[Pasted text #1]' }, '[Pasted text #1]', '[Pasted text #1]'],
    [
      'a mark in what was pasted',
      { display: '[Pasted text #1]', pastedContents: { 1: { content: '[Pasted text #1]x' } } },
      '[Pasted text #1]x',
      '[Pasted text #1]xx',
    ],
  ])('a listed prompt: %s', (_, row, words, expanded) => {
    const listed = claudeFormat.listedPrompt({ sessionId: 's', timestamp: 1, project: '/p', ...row })
    expect(listed).toEqual({ words, expanded, session: 's', at: '1970-01-01T00:00:00.001Z', cwd: '/p' })
  })
})
