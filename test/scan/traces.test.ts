import { describe, expect, it } from 'vitest'
import {
  type ClaudeTranscript,
  claude,
  codex,
  id,
  messageOf,
  type Outcome,
  type Row,
  scanContent,
} from '../support/transcripts.ts'

const ends = ({ messages }: Outcome) =>
  messages.map(({ message, trace }) => [message.words, trace?.end ?? null])

function midTurn(s: ClaudeTranscript, words: string, number = 1): void {
  s.attachment({
    type: 'queued_command',
    prompt: words,
    source_uuid: id(number, 0x51),
    commandMode: 'prompt',
    origin: { kind: 'human' },
    humanTurn: true,
  })
}

function interrupt(s: ClaudeTranscript, text = '[Request interrupted by user]'): void {
  s.user([{ type: 'text', text }], { rowSource: 'harness', interruptedMessageId: 'm' })
}

describe('Claude Code: what followed a message', () => {
  it('a turn that is done, with its time and the last words', () => {
    const s = claude()
    s.typed('go')
    s.reply('first words')
    s.reply('last words')
    const end = s.turnEnd()
    expect(scanContent(s.rows).messages[0]?.trace).toEqual({
      ...{ end: 'done', endedAt: end.timestamp, lastWords: 'last words' },
      ...{ filesEdited: [], commands: [], commits: [], agents: [] },
    })
  })

  it('files edited, commands with their exit, commits named, agents', () => {
    const s = claude()
    s.typed('go')
    const uses: [name: string, input: Row, output: unknown, more: Row][] = [
      ['Edit', { file_path: '/a' }, 'ok', {}],
      ['Edit', { file_path: '/a' }, 'ok', {}],
      ['Write', { file_path: '/b' }, 'ok', {}],
      ['NotebookEdit', { notebook_path: '/n.ipynb' }, 'ok', {}],
      ['Read', { file_path: '/read' }, 'x', {}],
      ['Bash', { command: 'ls' }, 'a', { toolUseResult: { stdout: 'a', interrupted: false } }],
      ['Bash', { command: 'sleep 9' }, 'x', { toolUseResult: { stdout: '', interrupted: true } }],
      ['Bash', { command: 'serve' }, 'x', { toolUseResult: { backgroundTaskId: 'b1' } }],
      [
        'Bash',
        { command: 'git commit -m x' },
        '[main 1a2b3c4] x\n 1 file changed',
        { toolUseResult: { stdout: '[main 1a2b3c4] x\n 1 file changed\n[topic (root-commit) 89abcdef] y' } },
      ],
      ['Bash', { command: 'echo "[main 7777777]"' }, '[main 7777777]', {}],
      ['Agent', { description: 'count', prompt: 'x' }, 'ok', { toolUseResult: { agentId: 'a1' } }],
      ['Task', { description: 'old' }, 'ok', {}],
    ]
    for (const [name, input, output, more] of uses) {
      s.call(name, input)
      s.result(output, more)
    }
    const call = (name: string, input: Row, output: string) => {
      const id = s.call(name, input)
      s.user([{ type: 'tool_result', tool_use_id: id, is_error: true, content: output }])
    }
    call('Edit', { file_path: '/failed' }, 'no such file')
    call('Bash', { command: 'false' }, 'Exit code 3\nsomething')
    call('Bash', { command: 'x' }, 'Error: Exit code 127')
    call('Bash', { command: 'y' }, 'denied')
    s.reply('done')
    s.turnEnd()
    expect(scanContent(s.rows).messages[0]?.trace).toMatchObject({
      filesEdited: ['/a', '/b', '/n.ipynb'],
      commands: [
        { command: 'ls', exit: 0 },
        { command: 'sleep 9', exit: null },
        { command: 'serve', exit: null },
        { command: 'git commit -m x', exit: 0 },
        { command: 'echo "[main 7777777]"', exit: 0 },
        { command: 'false', exit: 3 },
        { command: 'x', exit: 127 },
        { command: 'y', exit: null },
      ],
      commits: ['1a2b3c4', '89abcdef'],
      agents: [
        { id: 'a1', description: 'count' },
        { id: null, description: 'old' },
      ],
    })
  })

  it('results that come back in another order, and a result that nobody asked for', () => {
    const s = claude()
    s.typed('go')
    const [a, b] = [s.call('Bash', { command: 'a' }), s.call('Bash', { command: 'b' })]
    for (const call of [b, a, 'nobody', a])
      s.user([{ type: 'tool_result', tool_use_id: call, content: call === a ? 'x' : 'y' }])
    s.reply('done')
    expect(scanContent(s.rows).messages[0]?.trace?.commands).toEqual([
      { command: 'b', exit: 0 },
      { command: 'a', exit: 0 },
    ])
  })

  it('interrupted, in the text and in a tool', () => {
    const s = claude()
    s.typed('one')
    s.reply('half')
    interrupt(s)
    s.typed('two')
    s.call('Bash', { command: 'x' })
    interrupt(s, '[Request interrupted by user for tool use]')
    s.typed('three')
    s.reply('ok')
    s.turnEnd()
    expect(ends(scanContent(s.rows)).filter(([, end]) => end !== null)).toEqual([
      ['one', 'interrupted'],
      ['two', 'interrupted'],
      ['three', 'done'],
    ])
  })

  it('an error of the model’s provider, with and without an end of the turn; the next turn is done', () => {
    const s = claude()
    s.typed('one')
    s.reply('API Error: 400', { isApiErrorMessage: true, apiErrorStatus: 400 })
    s.turnEnd()
    s.typed('two')
    s.reply('API Error: 500', { isApiErrorMessage: true })
    s.typed('three')
    s.reply('API Error: 529', { isApiErrorMessage: true })
    s.reply('ok after all')
    s.turnEnd()
    expect(ends(scanContent(s.rows))).toEqual([
      ['one', 'error'],
      ['two', 'error'],
      ['three', 'done'],
    ])
  })

  it('running, and without an answer: unknown, with what happened so far', () => {
    const s = claude()
    s.typed('one')
    s.reply('ok')
    s.turnEnd()
    s.typed('two')
    s.call('Bash', { command: 'ls' })
    s.result('x')
    const outcome = scanContent(s.rows)
    expect(messageOf(outcome, 'two').trace).toMatchObject({
      ...{ end: 'unknown', endedAt: null, commands: [{ command: 'ls', exit: 0 }] },
    })
    s.typed('three')
    expect(ends(scanContent(s.rows))).toEqual([
      ['one', 'done'],
      ['two', 'unknown'],
      ['three', 'unknown'],
    ])
  })

  it('a program’s prompts end without a row for it', () => {
    const s = claude({ entrypoint: 'sdk-cli' })
    s.sdk('one')
    s.reply('ok')
    s.sdk('two')
    s.reply('ok')
    expect(ends(scanContent(s.rows))).toEqual([
      ['one', 'done'],
      ['two', 'done'],
    ])
  })

  it('commands for the terminal: local, unless the model answered', () => {
    const s = claude()
    s.user('<command-name>/clear</command-name>', { rowSource: 'local' })
    s.user('<bash-input>ls</bash-input>', { rowSource: 'local' })
    s.user('<bash-stdout>x</bash-stdout>', { rowSource: 'local', turnOrigin: 'human' })
    s.reply('I see')
    s.turnEnd()
    s.user('<command-name>/tally</command-name>', { origin: { kind: 'human' }, turnOrigin: 'human' })
    s.user('Tally these', { isMeta: true, turnCompanion: true })
    s.reply('3')
    s.turnEnd()
    s.chain({ type: 'system', subtype: 'local_command', content: '<command-name>/modsay</command-name>' })
    s.typed('go')
    s.reply('ok')
    s.turnEnd()
    expect(ends(scanContent(s.rows)).filter(([, end]) => end !== null)).toEqual([
      ['/clear', 'local'],
      ['ls', 'done'],
      ['/tally', 'done'],
      ['/modsay', 'local'],
      ['go', 'done'],
    ])
  })

  it('words given while a turn runs share it from there on', () => {
    const s = claude()
    s.typed('start')
    s.call('Bash', { command: 'one' })
    s.result('x')
    midTurn(s, 'and more')
    const call = s.call('Bash', { command: 'two' })
    s.user(
      [
        { type: 'tool_result', tool_use_id: call, content: 'x' },
        { type: 'text', text: 'a note' },
      ],
      { permissionDecision: { source: 'user_temporary' } },
    )
    s.call('Edit', { file_path: '/a' })
    s.result('ok')
    s.reply('done')
    s.turnEnd()
    const outcome = scanContent(s.rows)
    const commands = (words: string) =>
      messageOf(outcome, words).trace?.commands.map(({ command }) => command)
    expect(commands('start')).toEqual(['one', 'two'])
    expect(commands('and more')).toEqual(['two'])
    for (const words of ['start', 'and more', 'a note'])
      expect(messageOf(outcome, words).trace).toMatchObject({
        ...{ end: 'done', lastWords: 'done', filesEdited: ['/a'] },
      })
  })

  it('a rewind: what was said after that point is abandoned, with what was said in its turns', () => {
    const s = claude()
    s.typed('one')
    s.reply('ok')
    const end = s.turnEnd().uuid
    s.typed('two')
    s.call('Bash', { command: 'x' })
    s.result('x')
    midTurn(s, 'in two')
    s.reply('ok')
    s.turnEnd()
    s.typed('three')
    s.reply('ok')
    s.turnEnd()
    s.typed('two, better', { parentUuid: end })
    s.reply('ok')
    s.turnEnd()
    expect(ends(scanContent(s.rows))).toEqual([
      ['one', 'done'],
      ['two', 'abandoned'],
      ['in two', 'abandoned'],
      ['three', 'abandoned'],
      ['two, better', 'done'],
    ])
    s.typed('two, best', { parentUuid: end })
    expect(ends(scanContent(s.rows)).at(-2)).toEqual(['two, better', 'abandoned'])
  })

  it('a rewind to the beginning, and one of a turn that runs', () => {
    const s = claude()
    s.typed('one')
    s.reply('half')
    s.typed('one, better', { parentUuid: null })
    s.reply('ok')
    s.turnEnd()
    expect(ends(scanContent(s.rows))).toEqual([
      ['one', 'abandoned'],
      ['one, better', 'done'],
    ])
  })

  it('rows that do not say what they were written after show no rewind', () => {
    const s = claude()
    for (const words of ['one', 'two', 'three']) {
      s.typed(words, { parentUuid: undefined, uuid: undefined })
      s.reply('ok')
      s.turnEnd()
    }
    expect(ends(scanContent(s.rows))).toEqual([
      ['one', 'done'],
      ['two', 'done'],
      ['three', 'done'],
    ])
  })

  it('compaction ends no turn and begins none', () => {
    const s = claude()
    s.typed('one')
    s.chain({ type: 'system', subtype: 'compact_boundary', parentUuid: null, logicalParentUuid: 'x' })
    s.user('This session is being continued', { isCompactSummary: true, isVisibleInTranscriptOnly: true })
    s.call('Bash', { command: 'after' })
    s.result('x')
    s.reply('ok')
    s.turnEnd()
    expect(messageOf(scanContent(s.rows), 'one').trace).toMatchObject({
      end: 'done',
      commands: [{ command: 'after' }],
    })
  })

  it('what a peer, a wakeup or a notification began is not counted to the person’s last message', () => {
    const s = claude()
    s.typed('one')
    s.reply('ok')
    s.turnEnd()
    const begins: Row[] = [
      { origin: { kind: 'peer', body: 'peer' }, isMeta: true, turnOrigin: 'peer' },
      { wakeupSource: 'loop_wakeup', isMeta: true, turnOrigin: 'scheduled' },
      { origin: { kind: 'task-notification' }, turnOrigin: 'task_notification' },
      { origin: { kind: 'plugin', name: 'm' }, pluginPrompt: { text: 'p' } },
    ]
    for (const [at, more] of begins.entries()) {
      s.user('x', more)
      s.call('Bash', { command: `other ${at}` })
      s.result('x')
      s.reply('other')
      s.turnEnd()
    }
    expect(messageOf(scanContent(s.rows), 'one').trace).toMatchObject({
      ...{ end: 'done', commands: [], lastWords: 'ok' },
    })
  })

  it('an agent’s own rows are not the session’s turn', () => {
    const s = claude({ version: '1.0.128', entrypoint: undefined })
    s.user('one')
    s.call('Task', { description: 'count' })
    s.user('count', { isSidechain: true, parentUuid: null })
    s.chain({
      type: 'assistant',
      isSidechain: true,
      message: { id: 'm', content: [{ type: 'text', text: 'of the agent' }], stop_reason: 'end_turn' },
    })
    s.chain({ type: 'system', subtype: 'turn_duration', isSidechain: true })
    s.result('ok')
    s.reply('of the session')
    const outcome = scanContent(s.rows)
    expect(messageOf(outcome, 'one').trace).toMatchObject({
      ...{ end: 'done', lastWords: 'of the session', agents: [{ description: 'count' }] },
    })
  })

  it('last words that are very long are cut and say so', () => {
    const s = claude()
    s.typed('one')
    s.reply('x'.repeat(100_000))
    const words = scanContent(s.rows).messages[0]?.trace?.lastWords ?? ''
    expect(words.length).toBeLessThan(20_000)
    expect(words.endsWith('[…]')).toBe(true)
  })

  it('messages that are nobody’s or a peer’s have no trace, all others have one', () => {
    const s = claude()
    s.typed('one')
    s.typed('whose?', { promptRewritten: true })
    s.sdk('of a program')
    s.user('x', { origin: { kind: 'peer', body: 'of a peer' }, isMeta: true })
    s.user('meta', { isMeta: true })
    s.queue('enqueue', 'waits')
    const traced = scanContent(s.rows).messages.map(({ message, trace }) => [message.words, trace !== null])
    expect(traced).toEqual([
      ['one', true],
      ['whose?', true],
      ['of a program', true],
      ['of a peer', false],
      ['meta', false],
      ['waits', true],
    ])
  })
})

describe('Codex: what followed a message', () => {
  it('done, with commands, patches, agents and the last words', () => {
    const t = codex()
    t.turn('user')
    t.typed('go')
    t.item({ type: 'function_call', call_id: 'a', arguments: '{"cmd":"ls"}' })
    t.event({
      type: 'item_completed',
      thread_id: t.thread,
      item: {
        ...{ type: 'CommandExecution', id: 'a', command: ['/bin/bash', '-lc', 'ls'], exit_code: 0 },
        aggregated_output: 'x',
      },
    })
    t.item({ type: 'function_call_output', call_id: 'a', output: 'Process exited with code 0\n' })
    t.item({ type: 'function_call', call_id: 'b', arguments: '{"command":["bash","-lc","git commit -m x"]}' })
    t.item({
      type: 'function_call_output',
      call_id: 'b',
      output: JSON.stringify({ output: '[main 1a2b3c4] x\n', metadata: { exit_code: 0 } }),
    })
    t.item({
      type: 'custom_tool_call',
      call_id: 'c',
      input: '*** Begin Patch\n*** Update File: a.txt\n*** Add File: b c.txt\n*** End Patch',
    })
    t.event({
      type: 'item_completed',
      thread_id: t.thread,
      item: { type: 'FileChange', changes: { '/d': {}, 'a.txt': {} } },
    })
    t.event({
      type: 'item_completed',
      thread_id: t.thread,
      item: {
        type: 'CollabAgentToolCall',
        tool: 'spawn_agent',
        prompt: 'count',
        receiver_thread_ids: ['child', 7],
      },
    })
    t.reply('ok')
    const end = t.complete('last')
    expect(scanContent(t.rows).messages[0]?.trace).toEqual({
      ...{ end: 'done', endedAt: end.timestamp, lastWords: 'last' },
      filesEdited: ['a.txt', 'b c.txt', '/d'],
      commands: [
        { command: 'ls', exit: 0 },
        { command: 'git commit -m x', exit: 0 },
      ],
      commits: ['1a2b3c4'],
      agents: [
        { id: 'child', description: 'count' },
        { id: null, description: 'count' },
      ],
    })
  })

  it('interrupted, failed, running, and without an answer', () => {
    const t = codex()
    t.turn('user')
    t.typed('one')
    t.event({ type: 'turn_aborted', reason: 'interrupted' })
    t.turn('user')
    t.typed('two')
    t.event({ type: 'error', message: 'quota' })
    t.complete(null)
    t.turn('user')
    t.typed('three')
    t.event({ type: 'task_complete', error: { message: 'x' }, last_agent_message: null })
    t.turn('user')
    t.typed('four')
    t.reply('ok')
    t.event({ type: 'turn_aborted', reason: 'replaced' })
    t.turn('user')
    t.typed('five')
    t.reply('half')
    expect(ends(scanContent(t.rows))).toEqual([
      ['one', 'interrupted'],
      ['two', 'error'],
      ['three', 'error'],
      ['four', 'unknown'],
      ['five', 'unknown'],
    ])
  })

  it('steered words share the running turn, those in a queue have their own', () => {
    const t = codex()
    t.turn('user')
    t.typed('one')
    t.item({ type: 'function_call', call_id: 'a', arguments: '{"cmd":"ls"}' })
    t.item({ type: 'function_call_output', call_id: 'a', output: 'Exit code: 2\n' })
    t.typed('steered')
    t.reply('ok')
    t.complete('ok')
    t.turn('user')
    t.typed('queued')
    t.reply('fine')
    t.complete('fine')
    const outcome = scanContent(t.rows)
    expect(messageOf(outcome, 'one').trace).toMatchObject({ commands: [{ command: 'ls', exit: 2 }] })
    expect(messageOf(outcome, 'steered').trace).toMatchObject({ end: 'done', commands: [], lastWords: 'ok' })
    expect(messageOf(outcome, 'queued').trace).toMatchObject({ end: 'done', lastWords: 'fine' })
  })

  it('a `!` is local', () => {
    const t = codex()
    t.turn(null)
    t.user([['shell.user_command', '<user_shell_command>\n<command>\nls\n</command>\n</user_shell_command>']])
    t.complete(null)
    expect(ends(scanContent(t.rows))).toEqual([['ls', 'local']])
  })

  it('a thread that was rolled back: the turns that were taken back are abandoned', () => {
    const t = codex()
    for (const words of ['one', 'two', 'three']) {
      t.turn('user')
      t.typed(words)
      t.typed(`steered in ${words}`)
      t.reply('ok')
      t.complete('ok')
    }
    t.event({ type: 'thread_rolled_back', num_turns: 2 })
    t.turn('user')
    t.typed('two, better')
    t.reply('ok')
    t.complete('ok')
    expect(ends(scanContent(t.rows))).toEqual([
      ['one', 'done'],
      ['steered in one', 'done'],
      ['two', 'abandoned'],
      ['steered in two', 'abandoned'],
      ['three', 'abandoned'],
      ['steered in three', 'abandoned'],
      ['two, better', 'done'],
    ])
  })

  it('versions without turns: each prompt begins one', () => {
    const t = codex({
      cli_version: '0.98.0',
      originator: 'codex_cli_rs',
      source: 'cli',
      history_mode: undefined,
    })
    for (const words of ['one', 'two']) {
      t.item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: words }] })
      t.event({ type: 'user_message', message: words })
      t.event({ type: 'agent_message', message: `to ${words}` })
      t.item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: `to ${words}` }] })
    }
    const outcome = scanContent(t.rows)
    expect(ends(outcome)).toEqual([
      ['one', 'done'],
      ['two', 'done'],
    ])
    expect(messageOf(outcome, 'one').trace?.lastWords).toBe('to one')
  })
})
