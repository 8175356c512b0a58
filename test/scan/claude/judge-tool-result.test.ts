import { describe, expect, it } from 'vitest'
import { judgeToolResult } from '../../../src/scan/claude/judge-tool-result.ts'
import type { Row } from '../../support/transcripts.ts'
import { short } from '../../support/verdicts.ts'

const result = (text: unknown = 'x') => ({ type: 'tool_result', content: text })
const told = (row: Row, ...more: Row[]) =>
  judgeToolResult({ entrypoint: 'cli', ...row }, more.length === 0 ? [result()] : more).map(short)
const decided = (source: unknown) => ({ permissionDecision: { source } })
const person = decided('user_reject')

describe('rule.personsWords: beside a tool’s result', () => {
  it.each<[string, Row, string[]]>([
    ['a reason of the person', { userFeedback: 'no', ...person }, ['person high denial_reason: no']],
    [
      'where rows name no program',
      { userFeedback: 'no', entrypoint: undefined, ...person },
      ['person high denial_reason: no'],
    ],
    [
      'a click of a program',
      { userFeedback: 'no', entrypoint: 'sdk-ts', ...person },
      ['unresolved low denial_reason: no'],
    ],
    [
      'a click in an editor',
      { userFeedback: 'no', entrypoint: 'claude-vscode', ...person },
      ['unresolved low denial_reason: no'],
    ],
    ['a setting', { userFeedback: 'no', ...decided('config') }, ['unresolved low denial_reason: no']],
    ['no source', { userFeedback: 'no', ...decided(undefined) }, ['unresolved low denial_reason: no']],
    [
      'a source that names a user later',
      { userFeedback: 'no', ...decided('the user') },
      ['unresolved low denial_reason: no'],
    ],
    [
      'no decision, marked as a person’s',
      { userFeedback: 'no', holdsPersonsWords: true, entrypoint: undefined },
      ['person medium denial_reason: no'],
    ],
    [
      'no decision, unmarked',
      { userFeedback: 'no', entrypoint: undefined },
      ['unresolved low denial_reason: no'],
    ],
    [
      'no decision, at a terminal',
      { userFeedback: 'no', holdsPersonsWords: true },
      ['unresolved low denial_reason: no'],
    ],
    [
      'another decision, marked',
      { userFeedback: 'no', holdsPersonsWords: true, entrypoint: undefined, ...decided('config') },
      ['unresolved low denial_reason: no'],
    ],
    [
      'the host’s own text',
      { userFeedback: 'The user wants to clarify these questions. x', ...person },
      ['notice high canned_feedback: The user wants to clarify these questions. x'],
    ],
    [
      'a text that holds it',
      { userFeedback: 'so: The user wants to clarify these questions.', ...person },
      ['person high denial_reason: so: The user wants to clarify these questions.'],
    ],
    ['an empty reason', { userFeedback: '', ...person }, []],
    ['a result marked as a person’s words', { holdsPersonsWords: true }, ['unresolved low denial_reason: x']],
    ['a plain result', {}, []],
    [
      'to an agent, by the person',
      { userFeedback: 'no', isSidechain: true, ...person },
      ['person high denial_reason: no'],
    ],
    ['to an agent, by a setting', { userFeedback: 'no', isSidechain: true, ...decided('config') }, []],
  ])('%s', (_, row, expected) => {
    expect(told(row)).toEqual(expected)
  })

  it('an empty result is no words, whoever is named for them', () => {
    expect(told({ holdsPersonsWords: true }, result(''), result('y'))).toEqual([
      'unresolved low denial_reason: y',
    ])
  })

  it.each<[string, Row, string, number]>([
    ['told as the host words it', {}, 'STOP what you are doing', 1],
    ['another text', {}, 'go on', 0],
    ['with a reason', { userFeedback: '' }, 'STOP what you are doing', 0],
    ['another result', { toolUseResult: 'Error' }, 'STOP what you are doing', 0],
  ])('a denial without a word: %s', (_, more, text, count) => {
    const notices = told({ toolUseResult: 'User rejected tool use', ...more }, result(text))
    expect(notices).toEqual(Array(count).fill(`notice high denial_without_words: ${text}`))
  })

  it.each<[string, string, string[]]>([
    ['a note', 'mind it', ['person medium approval_note: mind it', 'unresolved low beside_result: mind it']],
    [
      'an interruption',
      '[Request interrupted by user]',
      Array(2).fill('notice high interrupt: [Request interrupted by user]'),
    ],
    ['a reminder', '<system-reminder>x', Array(2).fill('notice high beside_result: <system-reminder>x')],
    [
      'a task’s note',
      '<task-notification>x',
      Array(2).fill('notice high beside_result: <task-notification>x'),
    ],
    [
      'words that name one',
      'x [Request interrupted by user',
      [
        'person medium approval_note: x [Request interrupted by user',
        'unresolved low beside_result: x [Request interrupted by user',
      ],
    ],
    [
      'words that name the other',
      'x <system-reminder>',
      [
        'person medium approval_note: x <system-reminder>',
        'unresolved low beside_result: x <system-reminder>',
      ],
    ],
    ['nothing', '', []],
  ])('a text beside it: %s', (_, text, expected) => {
    const block = { type: 'text', text }
    expect([...told(person, result(), block), ...told(decided('hook'), result(), block)]).toEqual(expected)
  })
})

describe('rule.personsWords: answers to questions', () => {
  const shed = {
    question: 'Which?',
    options: ['Red', 'Blue, large', 'Red, Blue', 'Green'].map(label => ({ label })),
  }
  const other = { question: 'How?', options: [{ label: 'Slowly' }] }
  const answered = (answers: Row, more: Row = {}, row: Row = person, isMultiple = true) =>
    told({
      ...row,
      toolUseResult: { questions: [{ ...shed, multiSelect: isMultiple }, other], answers, ...more },
    })
  const choice = (words: string) => `person medium question_answer_choice: ${words}`
  const free = (words: string) => `person high question_answer: ${words}`

  it.each<[string, unknown, string[]]>([
    ['one', 'Red', [choice('Red')]],
    ['several', 'Red, Green', [choice('Red, Green')]],
    ['one that holds a comma', 'Blue, large', [choice('Blue, large')]],
    ['one in quotes', '"Blue, large", Red', [choice('"Blue, large", Red')]],
    ['one that begins like another', 'Red, Blue, Green', [choice('Red, Blue, Green')]],
    ['one that two make as well', 'Red, Blue, large', [choice('Red, Blue, large')]],
    ['chosen and typed again', 'Red, Red', [choice('Red'), free('Red')]],
    ['chosen, and nothing typed', 'Red, ', [choice('Red')]],
    ['chosen, and nothing typed in quotes', 'Red, ""', [choice('Red')]],
    ['typed', 'the old one', [free('the old one')]],
    ['typed, like a choice', 'Redder', [free('Redder')]],
    ['chosen and typed', 'Red, the old one', [choice('Red'), free('the old one')]],
    ['two chosen and typed', 'Green, Red, x', [choice('Green, Red'), free('x')]],
    ['chosen and typed in quotes', 'Red, "a, \\"b\\""', [choice('Red'), free('a, "b"')]],
    ['typed with a quote that is none', '"a', [free('"a')]],
    ['typed as a number in quotes', 'Red, "7"', [choice('Red'), free('7')]],
    ['a list', ['Red', 'x', 7, ''], [choice('Red'), free('x')]],
    ['an empty one', '', []],
    ['of a wrong type', 7, []],
  ])('%s', (_, answer, expected) => {
    expect(answered({ 'Which?': answer })).toEqual(expected)
  })

  it('where one may be chosen, what is no choice was typed whole', () => {
    expect(answered({ 'Which?': 'Red, the old one' }, {}, person, false)).toEqual([free('Red, the old one')])
    expect(answered({ 'How?': 'Slowly, "x"' })).toEqual([free('Slowly, "x"')])
    expect(answered({ 'How?': 'Red' })).toEqual([free('Red')])
  })

  it('notes beside them, also where nothing was chosen, and a reply to all of them', () => {
    const annotations = { 'Which?': { notes: 'mind it' } }
    expect(answered({ 'Which?': 'Red' }, { annotations })).toEqual([
      choice('Red'),
      'person medium question_note: mind it',
    ])
    expect(answered({ 'Which?': '(notes only)' }, { annotations })).toEqual([
      ...['notice high canned_answer: (notes only)', 'person medium question_note: mind it'],
    ])
    expect(answered({ 'Which?': '(notes only)' })).toEqual([free('(notes only)')])
    expect(answered({}, { response: 'later' })).toEqual([free('later')])
    expect(answered({}, { response: '' })).toEqual([])
  })

  it('a program’s are unresolved, chosen or not; without questions there are none', () => {
    expect(answered({ 'Which?': 'Red, x' }, { response: 'y' }, decided('config'))).toEqual([
      ...['Red', 'x', 'y'].map(words => `unresolved low question_answer: ${words}`),
    ])
    expect(answered({ 'Which?': 'Red' }, { questions: [] })).toEqual([])
    expect(answered({ 'Which?': 'Red' }, { answers: 'Red' })).toEqual([])
  })
})
