import { describe, expect, it } from 'vitest'
import { type CodexCalls, followCommandItem, followItem } from '../../../src/scan/codex/follow.ts'
import { emptyTrace, noTurn } from '../../../src/scan/extract/turn.ts'
import type { Row } from '../../support/transcripts.ts'

/** What a turn of one message did after these items. */
function followed(...items: Row[]) {
  const turn = { ...noTurn(), open: [{ seq: 0, trace: emptyTrace() }] }
  const calls: CodexCalls = {}
  for (const item of items)
    if (item.type === 'CommandExecution') followCommandItem(turn, calls, item)
    else followItem(turn, calls, item)
  return { ...(turn.open[0] as { trace: ReturnType<typeof emptyTrace> }).trace, ...turn, calls }
}

const call = (more: Row, type = 'function_call') => ({ type, call_id: 'c', ...more })
const output = (value: unknown, type = 'function_call_output') => ({ type, call_id: 'c', output: value })
const ran = (...items: Row[]) => followed(...items).commands

describe('a command that a call gives', () => {
  it.each<[string, Row, string]>([
    ['as a line', call({ arguments: '{"cmd":"ls -l"}' }), 'ls -l'],
    ['as a line of the older name', call({ arguments: '{"command":"ls"}' }), 'ls'],
    ['both', call({ arguments: '{"cmd":"a","command":"b"}' }), 'a'],
    ['to a shell', call({ arguments: '{"command":["bash","-lc","ls | wc"]}' }), 'ls | wc'],
    ['to a shell that is no login', call({ arguments: '{"command":["sh","-c","ls"]}' }), 'ls'],
    ['to a shell, with more', call({ arguments: '{"command":["sh","-c","ls","x"]}' }), 'sh -c ls x'],
    ['with another option', call({ arguments: '{"command":["sh","-xc","ls"]}' }), 'sh -xc ls'],
    ['with a long option', call({ arguments: '{"command":["tar","--l-c","x"]}' }), 'tar --l-c x'],
    ['as words', call({ arguments: '{"command":["git","log",7]}' }), 'git log'],
    ['to a tool of its own', call({ input: '{"cmd":"ls"}' }, 'custom_tool_call'), 'ls'],
    ['to the local shell', call({ action: { command: ['ls', '-l'] } }, 'local_shell_call'), 'ls -l'],
  ])('%s', (_, item, command) => {
    expect(ran(item, output('Exit code: 3'))).toEqual([{ command, exit: 3 }])
    expect(ran(item, output('Exit code: 3', 'custom_tool_call_output'))).toHaveLength(1)
  })

  it.each<[string, Row]>([
    ['without an id', { type: 'function_call', arguments: '{"cmd":"ls"}' }],
    ['that is no JSON', call({ arguments: '{"cmd":"ls"' })],
    ['that is no object', call({ arguments: '["ls"]' })],
    ['of another kind', call({ arguments: '{"cmd":"ls"}' }, 'web_search_call')],
    ['of a wrong type', call({ arguments: '{"cmd":7}' })],
  ])('none in a call %s', (_, item) => {
    expect(ran(item, output('Exit code: 0'))).toEqual([])
  })

  it('counts once it has an output, and each output once', () => {
    const item = call({ arguments: '{"cmd":"ls"}' })
    expect(ran(item)).toEqual([])
    expect(ran(output('x'))).toEqual([])
    expect(ran(item, output('x'), output('x'))).toHaveLength(1)
    expect(ran(item, { type: 'function_call_output', call_id: 'other', output: 'x' })).toEqual([])
    expect(followed(item, output('x')).calls).toEqual({})
  })

  it('that an event tells whole counts once beside its call and output', () => {
    const whole = { type: 'CommandExecution', id: 'c', command: ['sh', '-c', 'ls'], exit_code: 4 }
    const item = call({ arguments: '{"cmd":"ls"}' })
    expect(ran(item, whole, output('Exit code: 4'))).toEqual([{ command: 'ls', exit: 4 }])
    expect(ran({ ...whole, exit_code: 0 })).toEqual([{ command: 'ls', exit: 0 }])
    expect(ran({ ...whole, exit_code: '4' })).toEqual([{ command: 'ls', exit: null }])
    expect(ran({ ...whole, command: 7 })).toEqual([])
    const commit = { ...whole, command: ['git', 'commit'], aggregated_output: '[main 1a2b3c4] x' }
    expect(followed(commit, commit).commits).toEqual(['1a2b3c4'])
  })
})

describe('the exit that an output shows', () => {
  it.each<[string, unknown, number | null]>([
    ['a line', 'x\nProcess exited with code 3\ny', 3],
    ['a line of another version', 'Exit code: 12\nOutput', 12],
    ['below nothing', 'Exit code: -1', -1],
    ['not at the beginning of a line', 'the Exit code: 3', null],
    ['not at the end of one', 'Exit code: 3 of 4', null],
    ['none', 'x', null],
    ['beside the text', JSON.stringify({ output: 'x', metadata: { exit_code: 5 } }), 5],
    [
      'beside a text that names another',
      JSON.stringify({ output: 'Exit code: 3', metadata: { exit_code: 0 } }),
      0,
    ],
    ['in the content of an object', { content: 'Exit code: 6' }, 6],
    ['of a wrong type', 7, null],
  ])('%s', (_, value, exit) => {
    expect(ran(call({ arguments: '{"cmd":"x"}' }), output(value))).toEqual([{ command: 'x', exit }])
  })

  it('the text in an output that is JSON names commits', () => {
    const item = call({ arguments: '{"cmd":"git commit"}' })
    expect(followed(item, output(JSON.stringify({ output: 'x\n[main 1a2b3c4] y' }))).commits).toEqual([
      '1a2b3c4',
    ])
    expect(followed(item, output('[main 1a2b3c4] y\n[main 1a2b3c4] z')).commits).toEqual(['1a2b3c4'])
  })
})

describe('files that a patch names', () => {
  it.each<[string, Row, string[]]>([
    [
      'added, changed, deleted',
      call({ input: '*** Add File: a\n*** Update File: b c\n*** Delete File: d\n' }),
      ['a', 'b c', 'd'],
    ],
    ['each once', call({ input: '*** Add File: a\n*** Update File: a' }), ['a']],
    ['in JSON', call({ arguments: '{"command":["apply_patch","*** Add File: a \\n+x"]}' }), ['a']],
    ['none', call({ input: '*** Move File: a\n** Add File: b' }), []],
  ])('%s', (_, item, files) => {
    expect(followed(item).filesEdited).toEqual(files)
  })
})

describe('the assistant’s words', () => {
  const said = (item: Row) => {
    const { lastWords, hasReply } = followed({ type: 'message', ...item })
    return [lastWords, hasReply]
  }
  it.each<[string, Row, [string | null, boolean]]>([
    [
      'of several parts',
      { role: 'assistant', content: [{ text: 'a' }, {}, { text: 'b' }] },
      ['a\n\nb', true],
    ],
    ['without a word', { role: 'assistant', content: [{ text: '' }] }, [null, true]],
    ['of another role', { role: 'developer', content: [{ text: 'a' }] }, [null, false]],
  ])('%s', (_, item, expected) => {
    expect(said(item)).toEqual(expected)
  })

  it('an answer without a word leaves the last ones', () => {
    const message = (text: string) => ({ type: 'message', role: 'assistant', content: [{ text }] })
    expect(followed(message('a'), message('')).lastWords).toBe('a')
  })
})
