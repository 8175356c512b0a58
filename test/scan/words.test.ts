import { describe, expect, it } from 'vitest'
import { judgeToolResult } from '../../src/scan/claude/judge-tool-result.ts'
import { promptWords } from '../../src/scan/claude/row-text.ts'

const paste = (body: string, id = '8dd6') =>
  `<pasted_content id="${id}">\n${body}\n</pasted_content id="${id}">`

describe('promptWords: what was typed around pastes, exactly', () => {
  it.each([
    ['no paste', ' as it is \n\n', ' as it is \n\n', false],
    ['before', `Look: \n\n${paste('a\nb')}\n`, 'Look: ', false],
    ['before, three line feeds', `Look\n\n\n${paste('a')}\n`, 'Look\n', false],
    ['after', `\n\n${paste('a')}\n\n  go on`, '  go on', false],
    ['around', `one\n\n${paste('a')}\n\ntwo\n\n${paste('b')}\n\nthree`, 'one\ntwo\nthree', false],
    ['nothing typed', `\n\n${paste('a\n\nb')}\n`, 'a\n\nb', true],
    ['two pastes alone', `\n\n${paste('a')}\n\n\n\n${paste('b')}\n`, 'a\nb', true],
    [
      'an empty paste first',
      `x\n\n<pasted_content id="1a2b">\n</pasted_content id="1a2b">\n\ny`,
      'x\ny',
      false,
    ],
    [
      'a tag in the paste',
      `x\n\n${paste(`<\\/pasted_content id="8dd6">\n${paste('c', 'ffff')}`)}\n`,
      'x',
      false,
    ],
    ['no end', 'x\n\n<pasted_content id="8dd6">\na', 'x\n\n<pasted_content id="8dd6">\na', false],
  ])('%s', (_, text, words, isPasted) => {
    expect(promptWords(text)).toEqual({ words, isPasted })
  })
})

describe('answers: what was chosen and what was typed', () => {
  const judged = (answer: unknown, options: string[], multiSelect: boolean, more: object = {}) =>
    judgeToolResult(
      {
        permissionDecision: { source: 'user_temporary' },
        toolUseResult: {
          questions: [{ question: 'Q?', options: options.map(label => ({ label })), multiSelect }],
          answers: { 'Q?': answer },
          ...more,
        },
      },
      [],
    ).map(one => `${one.label}/${one.kind}: ${one.words}`)
  const choice = (words: string) => `person/question_answer_choice: ${words}`
  const typed = (words: string) => `person/question_answer: ${words}`

  it.each([
    ['one option', 'A', ['A', 'B'], false, [choice('A')]],
    ['one typed', 'A, "x"', ['A', 'B'], false, [typed('A, "x"')]],
    ['several options', 'A, "B, C"', ['A', 'B, C'], true, [choice('A, "B, C"')]],
    ['several options, as older versions wrote them', 'A, B, C', ['A', 'B, C'], true, [choice('A, B, C')]],
    ['options and typed', 'A, "x, \\"y\\""', ['A', 'B'], true, [choice('A'), typed('x, "y"')]],
    ['typed alone', '"x, y"', ['A', 'B'], true, [typed('x, y')]],
    ['typed alone, as older versions wrote it', 'x, y', ['A', 'B'], true, [typed('x, y')]],
    ['typed like the beginning of an option', 'Also this', ['Al', 'A'], true, [typed('Also this')]],
    ['an option that begins like another', 'A, B', ['A', 'A, B'], true, [choice('A, B')]],
    ['a list', ['A', 'x'], ['A', 'B'], true, [choice('A'), typed('x')]],
    ['typed words of the host', '(notes only)', ['A', 'B'], false, [typed('(notes only)')]],
  ])('%s', (_, answer, options, multiSelect, expected) => {
    expect(judged(answer, options, multiSelect)).toEqual(expected)
  })

  it('a note alone, and a response to all questions', () => {
    expect(judged('(notes only)', ['A'], false, { annotations: { 'Q?': { notes: 'n' } } })).toEqual([
      'notice/canned_answer: (notes only)',
      'person/question_note: n',
    ])
    expect(judged('', ['A'], false, { response: 'neither' })).toEqual(['person/question_answer: neither'])
  })
})
