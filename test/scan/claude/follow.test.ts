import { describe, expect, it } from 'vitest'
import { followAssistant, followResults, noteCalls, type ToolCalls } from '../../../src/scan/claude/follow.ts'
import { emptyTrace, noTurn } from '../../../src/scan/extract/turn.ts'
import type { Row } from '../../support/transcripts.ts'

const place = { line: 1, offset: 0, row: 'r', session: 's', at: null }

/** What a turn of one message did after a call and its result. */
function followed(name: string, input: Row, result: Row = {}, row: Row = {}, callRow: Row = {}) {
  const turn = { ...noTurn(), open: [{ seq: 0, trace: emptyTrace() }] }
  const calls: ToolCalls = {}
  noteCalls(calls, { message: { content: [{ type: 'tool_use', id: 'c', name, input }] }, ...callRow })
  const block = { type: 'tool_result', tool_use_id: 'c', content: '', ...result }
  const sends = followResults(turn, calls, { message: { content: [block, block] }, ...row }, place)
  return { ...(turn.open[0] as { trace: ReturnType<typeof emptyTrace> }).trace, sends, calls }
}

describe('what a tool did', () => {
  it.each<[string, Row, Row, number | null]>([
    ['no error', {}, {}, 0],
    ['an error with a number', { is_error: true, content: 'Exit code 3\nx' }, {}, 3],
    ['an error in another form', { is_error: true, content: 'Error: Exit code 127' }, {}, 127],
    ['a number that no error states', { content: 'Exit code 3' }, {}, 0],
    ['an error without a number', { is_error: true, content: 'x' }, {}, null],
    ['a number further on', { is_error: true, content: 'x\nExit code 3' }, {}, null],
    ['interrupted', {}, { toolUseResult: { interrupted: true } }, null],
    ['not interrupted', {}, { toolUseResult: { interrupted: false } }, 0],
    ['in the background', {}, { toolUseResult: { backgroundTaskId: 'b' } }, null],
  ])('the exit of a command: %s', (_, result, row, exit) => {
    expect(followed('Bash', { command: 'ls' }, result, row).commands).toEqual([{ command: 'ls', exit }])
  })

  it('commits, from what was printed rather than what the model was given', () => {
    const commits = (content: string, stdout?: string) =>
      followed('Bash', { command: 'git commit' }, { content }, stdout ? { toolUseResult: { stdout } } : {})
        .commits
    expect(commits('[a 1111111] x\n[a 1111111] x')).toEqual(['1111111'])
    expect(commits('[a 1111111] x', '[a 2222222] x')).toEqual(['2222222'])
  })

  it.each<[string, Row, Row, string[]]>([
    ...['Edit', 'Write', 'MultiEdit'].map((name): [string, Row, Row, string[]] => [
      name,
      { file_path: '/a' },
      {},
      ['/a'],
    ]),
    ['NotebookEdit', { notebook_path: '/n' }, {}, ['/n']],
    ['Read', { file_path: '/a' }, {}, []],
    ['Edit', { file_path: '/a' }, { is_error: true }, []],
    ['Edit', {}, {}, []],
  ])('files that %s changed: %j %j', (name, input, result, files) => {
    expect(followed(name, input, result).filesEdited).toEqual(files)
  })

  it.each<[string, Row, Row, unknown[]]>([
    ['Agent', {}, { toolUseResult: { agentId: 'a' } }, [{ id: 'a', description: 'd' }]],
    ['Task', {}, {}, [{ id: null, description: 'd' }]],
    ['Task', { is_error: true }, {}, []],
    ['TaskOutput', {}, { toolUseResult: { agentId: 'a' } }, []],
  ])('agents that %s started: %j %j', (name, result, row, agents) => {
    expect(followed(name, { description: 'd' }, result, row).agents).toEqual(agents)
  })

  it.each<[string, string, Row, Row, Row, Row, unknown[]]>([
    ['sent', 'SendMessage', { message: 'go' }, {}, { toolUseResult: { msg_id: 'm' } }, {}, ['m go s']],
    ['sent by an agent', 'SendMessage', { message: 'go' }, { content: '{"msg_id":"m"}' }, {}, {}, ['m go s']],
    [
      'in a copied row',
      'SendMessage',
      { message: 'go' },
      {},
      { toolUseResult: { msg_id: 'm' } },
      { requestSessionId: 'first' },
      ['m go first'],
    ],
    ['without an id', 'SendMessage', { message: 'go' }, { content: 'x' }, {}, {}, []],
    ['by another tool', 'Other', { message: 'go' }, {}, { toolUseResult: { msg_id: 'm' } }, {}, []],
    ['without words', 'SendMessage', {}, {}, { toolUseResult: { msg_id: 'm' } }, {}, []],
  ])('a message %s', (_, name, input, result, row, callRow, expected) => {
    const { sends } = followed(name, input, result, row, callRow)
    expect(sends.map(({ msgId, words, session }) => `${msgId} ${words} ${session}`)).toEqual(expected)
  })

  it('each result is taken once, and only that of a call; a command of another tool is none', () => {
    expect(followed('Bash', { command: 'ls' })).toMatchObject({ commands: [{ command: 'ls' }], calls: {} })
    expect(followed('Bash', { command: 'ls' }, { tool_use_id: 'other' }).commands).toEqual([])
    expect(followed('Monitor', { command: 'ls' }).commands).toEqual([])
    const calls: ToolCalls = {}
    noteCalls(calls, { message: { content: [{ type: 'text', id: 'c' }, { type: 'tool_use' }] } })
    expect(calls).toEqual({})
  })
})

describe('what the assistant says', () => {
  const said = (...rows: Row[]) => {
    const turn = { ...noTurn(), open: [{ seq: 0, trace: emptyTrace() }] }
    for (const row of rows) followAssistant(turn, row)
    return [turn.hasReply, turn.end, turn.open[0]?.trace.lastWords]
  }
  const row = (text: string, stop_reason: string | null, more: Row = {}) => ({
    message: { content: text === '' ? [] : [{ type: 'text', text }], stop_reason },
    ...more,
  })
  it.each<[string, Row[], unknown[]]>([
    ['its end', [row('a', 'end_turn')], [true, 'done', 'a']],
    ['a stop sequence', [row('a', 'stop_sequence')], [true, 'done', 'a']],
    ['a call', [row('a', 'tool_use')], [true, 'unknown', 'a']],
    ['more after its end', [row('a', 'end_turn'), row('', 'tool_use')], [true, 'unknown', 'a']],
    ['an error', [row('a', 'stop_sequence', { isApiErrorMessage: true })], [true, 'error', 'a']],
    [
      'an error that it came through',
      [row('a', null, { isApiErrorMessage: true }), row('b', 'end_turn')],
      [true, 'done', 'b'],
    ],
    ['nothing', [row('', null)], [true, 'unknown', null]],
  ])('%s', (_, rows, expected) => {
    expect(said(...rows)).toEqual(expected)
  })
})
