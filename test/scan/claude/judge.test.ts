import { describe, expect, it } from 'vitest'
import { judge } from '../../../src/scan/claude/judge.ts'
import type { Row } from '../../support/transcripts.ts'
import { short } from '../../support/verdicts.ts'

const user = (text: unknown, more: Row = {}): Row => ({ type: 'user', message: { content: text }, ...more })
const told = (row: Row, isFromQueue = false) => judge(row, isFromQueue).map(short)
const human = { origin: { kind: 'human' } }
const typed = (text: string, more: Row = {}) =>
  user(text, { ...human, promptSource: 'typed', turnOrigin: 'human', entrypoint: 'cli', ...more })
const command = (name: string) => `<command-name>${name}</command-name>`
const from = (kind: string, more: Row = {}) => ({ origin: { kind, ...more } })

describe('rule.personsWords: a user’s row', () => {
  it.each<[string, Row, string[]]>([
    ['typed', typed('go'), ['person high typed+: go']],
    ['queued', typed('go', { promptSource: 'queued' }), ['person high queued+: go']],
    [
      'a suggestion',
      typed('go', { promptSource: 'suggestion_accepted' }),
      ['person high suggestion_accepted+: go'],
    ],
    ['without an origin of the turn', typed('go', { turnOrigin: undefined }), ['person high typed+: go']],
    [
      'pasted alone',
      typed('<pasted_content id="1">\nx\n</pasted_content id="1">'),
      ['person medium pasted+: x'],
    ],
    [
      'rewritten, with no person',
      user('go', { promptRewritten: true, promptSource: 'typed' }),
      ['unresolved low no_evidence+?: go'.replace('+', '')],
    ],
    [
      'virtual, with no person',
      user('go', { isVirtual: true, promptSource: 'typed' }),
      ['unresolved low no_evidence?: go'],
    ],
    [
      'a program’s',
      user('go', { promptSource: 'sdk', entrypoint: 'sdk-ts' }),
      ['launcher high sdk_prompt+: go'],
    ],
    [
      'a program’s by its turn alone',
      user('go', { turnOrigin: 'sdk', entrypoint: 'sdk-ts' }),
      ['launcher high sdk_prompt+: go'],
    ],
    [
      'a program’s of a like name',
      user('go', { promptSource: 'sdk', entrypoint: 'sdkx' }),
      ['unresolved low sdk_prompt_app_entrypoint+: go'],
    ],
    [
      'a program that claims a person',
      typed('go', { promptSource: 'sdk' }),
      ['unresolved low sdk_claims_human+: go'],
    ],
    [
      'in the background',
      typed('go', { sessionKind: 'bg' }),
      ['unresolved low bg_launch_prompt_looks_typed+: go'],
    ],
    ['not typed', typed('go', { textNotTyped: true }), ['unresolved low not_typed+: go']],
    ['handed off', typed('go', { handedOff: true }), ['unresolved low not_typed+: go']],
    ['of the queue alone', typed('go', { queueTranscriptOnly: true }), ['unresolved low not_typed+: go']],
    ['virtual', typed('go', { isVirtual: true }), ['unresolved low not_typed+: go']],
    ['rewritten', typed('go', { promptRewritten: true }), ['unresolved high typed_rewritten+: go']],
    ['without content', user(undefined), []],
    ['of another content', user({ type: 'text' }), []],
    ['a summary', user('x', { isCompactSummary: true }), ['notice high compact_summary: x']],
    ['shown only', typed('x', { isVisibleInTranscriptOnly: true }), ['notice high shown_only: x']],
    [
      'what was written for a summary',
      user('x', { isCompactSummary: true, summarizeMetadata: { userContext: 'mind it' }, entrypoint: 'cli' }),
      ['notice high compact_summary: x', 'person medium summary_context: mind it'],
    ],
    [
      'the same of another program',
      user('x', {
        isCompactSummary: true,
        summarizeMetadata: { userContext: 'mind it' },
        entrypoint: 'sdk-ts',
      }),
      ['notice high compact_summary: x', 'unresolved low summary_context: mind it'],
    ],
    [
      'nothing written for one',
      user('x', { isCompactSummary: true, summarizeMetadata: { userContext: '' }, entrypoint: 'cli' }),
      ['notice high compact_summary: x'],
    ],
    [
      'the same of no summary',
      typed('x', { summarizeMetadata: { userContext: 'mind it' } }),
      ['person high typed+: x'],
    ],
    [
      'the same of an agent',
      user('x', {
        isCompactSummary: true,
        summarizeMetadata: { userContext: 'y' },
        entrypoint: 'cli',
        isSidechain: true,
      }),
      ['notice high compact_summary: x'],
    ],
    ['a wakeup', typed('x', { wakeupSource: 'loop' }), ['notice high scheduled_wakeup+: x']],
    ['a scheduled task', typed('x', { scheduledTaskId: 't' }), ['notice high scheduled_wakeup+: x']],
    ['a hook', typed('x', { rowSource: 'hook' }), ['notice high hook_feedback: x']],
    ['a hook’s text', typed('x', { hookText: true }), ['notice high hook_feedback: x']],
    ['the host', typed('x', { rowSource: 'harness' }), ['notice high harness_text: x']],
    ['the host, for itself', typed('x', { rowSource: 'harness', isMeta: true }), ['notice high meta: x']],
    [
      'an interruption',
      user('[Request interrupted by user]', { rowSource: 'harness' }),
      ['notice high interrupt: [Request interrupted by user]'],
    ],
    [
      'words that name one',
      user('x [Request interrupted by user', { rowSource: 'harness' }),
      ['notice high harness_text: x [Request interrupted by user'],
    ],
    ['meta', typed('x', { isMeta: true }), ['notice high meta: x']],
    ['a command', user(command('/a'), { rowSource: 'local' }), ['person medium slash_command+: /a']],
    [
      'a command of a person',
      user(command('/a'), { ...human, turnOrigin: 'human' }),
      ['person high slash_command+: /a'],
    ],
    [
      'a command of a program',
      user(command('/a'), { rowSource: 'local', turnOrigin: 'sdk' }),
      ['launcher high slash_command+: /a'],
    ],
    [
      'a command in a program',
      user(command('/a'), { rowSource: 'local', entrypoint: 'sdk-cli' }),
      ['launcher high slash_command+: /a'],
    ],
    ['a command that was typed as text', typed(command('/a')), [`person high typed+: ${command('/a')}`]],
    ['a `!`', user('<bash-input>ls</bash-input>', { rowSource: 'local' }), ['person medium bash_input+: ls']],
    [
      'a `!` of a program',
      user('<bash-input>ls</bash-input>', { rowSource: 'local', turnOrigin: 'sdk' }),
      ['launcher medium bash_input+: ls'],
    ],
    [
      'its output',
      user('<bash-stdout>x', { rowSource: 'local' }),
      ['notice high local_output: <bash-stdout>x'],
    ],
    [
      'such an output by another way',
      user('<bash-stdout>x', { turnOrigin: 'human' }),
      ['unresolved low no_evidence?: <bash-stdout>x'],
    ],
    [
      'a `!` by another way',
      user('<bash-input>ls</bash-input>', { turnOrigin: 'human' }),
      ['unresolved low no_evidence?: <bash-input>ls</bash-input>'],
    ],
    ['a person’s without a source', user('x', human), ['unresolved low no_evidence?: x']],
    ['a source without a person', user('x', { promptSource: 'typed' }), ['unresolved low no_evidence?: x']],
    ['a turn of another origin', typed('x', { turnOrigin: 'system' }), ['unresolved low no_evidence?: x']],
  ])('%s', (_, row, expected) => {
    expect(told(row)).toEqual(expected)
  })

  it.each<[string, Row, string[]]>([
    ['its first prompt', { parentUuid: null }, ['launcher high subagent_prompt_by_parent_model+: x']],
    ['a row that names no parent', {}, ['unresolved low sidechain_text: x']],
    ['a text', { parentUuid: 'p' }, ['unresolved low sidechain_text: x']],
    ['a hook’s', { parentUuid: 'p', rowSource: 'hook' }, ['notice high hook_feedback: x']],
    [
      'a task’s note',
      { parentUuid: 'p', ...from('task-notification') },
      ['notice high task_notification+: x'],
    ],
    [
      'a person’s at a terminal',
      { parentUuid: 'p', ...human, isMeta: true, entrypoint: 'cli' },
      ['person medium typed_to_agent: x'],
    ],
    [
      'a person’s that the host does not mark',
      { parentUuid: 'p', ...human, entrypoint: 'cli' },
      ['unresolved low sidechain_text: x'],
    ],
    [
      'a person’s elsewhere',
      { parentUuid: 'p', ...human, isMeta: true, entrypoint: 'sdk-ts' },
      ['unresolved low sidechain_text: x'],
    ],
    [
      'the host’s own at a terminal',
      { parentUuid: 'p', isMeta: true, entrypoint: 'cli' },
      ['unresolved low sidechain_text: x'],
    ],
  ])('of an agent: %s', (_, more, expected) => {
    expect(told(user('x', { isSidechain: true, ...more }))).toEqual(expected)
  })

  it.each<[string, Row, string]>([
    ['Warmup', { parentUuid: null }, 'notice high warmup'],
    ['Warmup', { parentUuid: null, rowSource: 'recorded' }, 'launcher high subagent_prompt_by_parent_model+'],
    ['Warmup now', { parentUuid: null }, 'launcher high subagent_prompt_by_parent_model+'],
    ['[Request interrupted by user]', { parentUuid: 'p' }, 'notice high interrupt'],
    [
      '[Request interrupted by user]',
      { parentUuid: 'p', promptSource: 'typed' },
      'unresolved low sidechain_text',
    ],
  ])('of an agent: %s %j', (text, more, expected) => {
    expect(told(user(text, { isSidechain: true, ...more }))).toEqual([`${expected}: ${text}`])
  })

  it('what the host wrote around a person’s words to an agent is none of them', () => {
    const text =
      'The user sent a new message while you were working:\ngo\n\nThis is how Claude Code surfaces messages the user sends mid-turn'
    const row = user(text, { isSidechain: true, parentUuid: 'p', ...human, isMeta: true, entrypoint: 'cli' })
    expect(told(row)).toEqual(['person medium typed_to_agent: go'])
  })
})

describe('rule.personsWords: an origin that is no person’s', () => {
  const agent = '<agent-message from="a">\nx\n</agent-message>'
  it.each<[string, string, Row, string]>([
    ['a peer', 'x', from('peer', { body: 'go', msg_id: 'i' }), 'peer high peer_idle+: go'],
    ['a peer with an empty body', 'x', from('peer', { body: '', msg_id: 'i' }), 'peer high peer_idle+: '],
    ['a peer without a body', `a\n${agent}`, from('peer', { msg_id: 'i' }), 'peer high peer_idle+: x'],
    ['an agent', agent, from('peer'), 'peer high agent_message+: x'],
    ['a peer without an envelope', 'x', from('peer'), 'peer medium peer_idle+: x'],
    ['a task', 'x', from('task-notification'), 'notice high task_notification+: x'],
    [
      'a plugin',
      'x',
      { ...from('plugin'), pluginPrompt: { text: 'go' } },
      'launcher medium plugin_prompt+: go',
    ],
    ['a plugin without its text', 'x', from('plugin'), 'launcher medium plugin_prompt+: x'],
    [
      'a plugin as the person',
      'x',
      from('plugin', { asUser: true }),
      'unresolved medium plugin_prompt_as_user+: x',
    ],
    ['a plugin that only says so', 'x', from('plugin', { asUser: 'x' }), 'launcher medium plugin_prompt+: x'],
    [
      'the coordinator',
      'The coordinator sent a message while you were working:\ngo\n\nAddress this before completing your current task.',
      from('coordinator'),
      'launcher high coordinator_message+: go',
    ],
    ['nobody, marked', 'x', { ...from('unclassified'), isMeta: true }, 'notice high host_text+: x'],
    [
      'nobody, of the host’s turn',
      'x',
      { ...from('unclassified'), turnOrigin: 'host_synthetic' },
      'notice high host_text+: x',
    ],
    ['nobody', 'x', { ...from('unclassified'), turnOrigin: 'human' }, 'unresolved low no_evidence?: x'],
    ['the host, which goes on', 'x', from('auto-continuation'), 'notice high host_text+: x'],
    ['an observer', 'x', from('observer'), 'notice high host_text+: x'],
    ['an observer’s activity', 'x', from('observer-activity'), 'notice high host_text+: x'],
    ['a channel', 'x', from('channel'), 'unresolved low came_by_channel+: x'],
    ['slack', 'x', from('slack-ping'), 'unresolved low came_by_channel+: x'],
    ['a call', 'x', from('voice-call'), 'unresolved low came_by_channel+: x'],
    ...['scheduled', 'task_notification', 'auto_continuation', 'host_synthetic'].flatMap(
      (turnOrigin): [string, string, Row, string][] => [
        [`none, of a turn ${turnOrigin}`, 'x', { turnOrigin }, 'notice high host_text+: x'],
        [
          `a person, of a turn ${turnOrigin}`,
          'x',
          { turnOrigin, ...human },
          'unresolved low no_evidence?: x',
        ],
      ],
    ),
  ])('%s', (_, text, more, expected) => {
    expect(told(user(text, more))).toEqual([expected])
  })
})

describe('rule.personsWords: a row of a version that says nothing of where it came from', () => {
  const thinking = { thinkingMetadata: {} }
  const v2 = { version: '2.0.30' }
  const input = '<bash-input>ls</bash-input>'
  it.each<[string, string, Row, boolean, string]>([
    ['meta', 'x', { isMeta: true, ...thinking }, false, 'notice high meta: x'],
    ['with thinking', 'x', { ...v2, ...thinking }, false, 'person medium typed_old+: x'],
    ['with thinking, from the queue', 'x', { ...v2, ...thinking }, true, 'person medium typed_old+: x'],
    ['from the queue', 'x', v2, true, 'launcher medium sdk_old+: x'],
    ['from the queue, a command', command('/a'), v2, true, 'launcher medium slash_command+: /a'],
    ['a command', command('/a'), v2, false, 'person medium slash_command+: /a'],
    ['a `!`', input, v2, false, 'person medium bash_input+: ls'],
    ['nothing', 'x', v2, false, 'unresolved low no_evidence+?: x'],
    ['version 1', 'x', { version: '1.0.60' }, true, 'unresolved low no_evidence+?: x'],
    ['version 0', 'x', { version: '0.2' }, true, 'unresolved low no_evidence+?: x'],
    ['version 10', 'x', { version: '10.1' }, true, 'launcher medium sdk_old+: x'],
    ['no version', 'x', {}, true, 'unresolved low no_evidence+?: x'],
    [
      'a command of version 1',
      command('/a'),
      { version: '1.0.60' },
      false,
      'unresolved low slash_command+: /a',
    ],
    [
      'an interruption',
      '[Request interrupted by user for tool use]',
      v2,
      false,
      'notice medium interrupt: [Request interrupted by user for tool use]',
    ],
    [
      'such a text with thinking',
      '[Request interrupted by user]',
      { ...v2, ...thinking },
      false,
      'person medium typed_old+: [Request interrupted by user]',
    ],
    [
      'such a text from the queue',
      '[Request interrupted by user]',
      v2,
      true,
      'launcher medium sdk_old+: [Request interrupted by user]',
    ],
    [
      'such a text with more',
      '[Request interrupted by user] no',
      v2,
      false,
      'unresolved low no_evidence+?: [Request interrupted by user] no',
    ],
    [
      'an output',
      '<local-command-stdout>x',
      v2,
      false,
      'notice medium local_output: <local-command-stdout>x',
    ],
    [
      'an output’s form with thinking',
      '<bash-stderr>x',
      { ...v2, ...thinking },
      false,
      'person medium typed_old+: <bash-stderr>x',
    ],
    [
      'an output’s form from the queue',
      '<bash-stderr>x',
      v2,
      true,
      'launcher medium sdk_old+: <bash-stderr>x',
    ],
  ])('%s', (_, text, more, isFromQueue, expected) => {
    expect(told(user(text, more), isFromQueue)).toEqual([expected])
  })

  it.each(['origin', 'promptSource', 'turnOrigin', 'rowSource'])(
    'a row that has %s is none of them',
    field => {
      expect(told(user('x', { [field]: 'x', ...thinking }))).toEqual(['unresolved low no_evidence?: x'])
    },
  )
})

describe('rule.personsWords: an attachment', () => {
  const queued = (prompt: unknown, more: Row = {}, row: Row = {}): Row => ({
    ...{ type: 'attachment', entrypoint: 'cli' },
    attachment: { type: 'queued_command', prompt, ...more },
    ...row,
  })
  const by = { ...human, humanTurn: true, commandMode: 'prompt' }
  const note = '<task-notification>x'
  it.each<[string, Row, string[]]>([
    ['typed while a turn runs', queued('go', by), ['person high queued_mid_turn: go']],
    ['a `!`', queued('ls', { ...by, commandMode: 'bash' }), ['person medium bash_input: ls']],
    [
      'pasted alone',
      queued('<pasted_content id="1">x</pasted_content id="1">', by),
      ['person medium pasted: x'],
    ],
    [
      'a turn that does not say',
      queued('go', { ...by, humanTurn: undefined }),
      ['person medium queued_mid_turn: go'],
    ],
    [
      'a turn that is no person’s',
      queued('go', { ...by, humanTurn: false }),
      ['unresolved low queued_mid_turn: go'],
    ],
    ['rewritten', queued('go', { ...by, promptRewritten: true }), ['unresolved high typed_rewritten: go']],
    ...['textNotTyped', 'handedOff', 'queueTranscriptOnly', 'isVirtual'].map(
      (name): [string, Row, string[]] => [
        name,
        queued('go', { ...by, [name]: true }),
        ['unresolved low not_typed: go'],
      ],
    ),
    ['marked by the host', queued('go', { ...by, isMeta: true }), ['notice high host_text: go']],
    ['a peer', queued('x', from('peer', { body: 'go', msg_id: 'i' })), ['peer high peer_mid_turn: go']],
    ['the coordinator', queued('x', from('coordinator')), ['launcher high coordinator_message: x']],
    [
      'an agent',
      queued('<agent-message>\nx\n</agent-message>', from('peer')),
      ['peer high agent_message: x'],
    ],
    [
      'a task’s note',
      queued('x', { commandMode: 'task-notification' }),
      ['notice high task_notification: x'],
    ],
    [
      'a task’s note that a person is named for',
      queued('x', { ...by, commandMode: 'task-notification' }),
      ['unresolved low queued_mid_turn: x'],
    ],
    ['a note by its form alone', queued(note), [`notice high task_notification: ${note}`]],
    ['its form with a person', queued(note, human), [`person medium queued_mid_turn: ${note}`]],
    [
      'its form with a mode',
      queued(note, { commandMode: 'prompt' }),
      [`person medium queued_mid_turn: ${note}`],
    ],
    ['to an agent', queued('x', by, { isSidechain: true }), ['unresolved low sidechain_text: x']],
    [
      'to an agent, marked',
      queued('x', { ...by, isMeta: true }, { isSidechain: true }),
      ['person medium typed_to_agent: x'],
    ],
    [
      'to an agent, marked and rewritten',
      queued('x', { ...by, isMeta: true, promptRewritten: true }, { isSidechain: true }),
      ['notice high host_text: x'],
    ],
    ['before rows had an origin, at a terminal', queued('x'), ['person medium queued_mid_turn: x']],
    [
      'before, by a program',
      queued('x', {}, { entrypoint: 'sdk-ts' }),
      ['launcher medium queued_mid_turn: x'],
    ],
    ['before, by another', queued('x', {}, { entrypoint: 'remote' }), ['unresolved low queued_mid_turn: x']],
    ['another origin at a terminal', queued('x', from('dream')), ['unresolved low queued_mid_turn: x']],
    [
      'another origin by a program',
      queued('x', from('dream'), { entrypoint: 'sdk-ts' }),
      ['unresolved low queued_mid_turn: x'],
    ],
    [
      'a plugin’s note',
      { type: 'attachment', attachment: { type: 'plugin_note', content: 'x', heldContent: 'y' } },
      ['notice high plugin_note: x'],
    ],
    [
      'a note that is held',
      { type: 'attachment', attachment: { type: 'plugin_note', heldContent: 'y' } },
      ['notice high plugin_note: y'],
    ],
    ['a note without a word', { type: 'attachment', attachment: { type: 'plugin_note' } }, []],
    ['another attachment', { type: 'attachment', attachment: { type: 'file', prompt: 'x' } }, []],
  ])('%s', (_, row, expected) => {
    expect(told(row)).toEqual(expected)
  })
})

describe('rule.personsWords: a system row', () => {
  const blocked = (content: string, more: Row = {}, reason?: string): Row => ({
    ...{ type: 'system', content, entrypoint: 'cli' },
    promptSubmitEnding: { ending: { kind: 'blocked_by_hook', ...(reason ? { reason } : {}) } },
    ...more,
  })
  const local = (content: string, entrypoint?: string) => ({
    type: 'system',
    subtype: 'local_command',
    content,
    entrypoint,
  })
  it.each<[string, Row, string[]]>([
    ['a command', local(command('/a')), ['person medium plugin_command_in_system_row+: /a']],
    [
      'a command of a program',
      local(command('/a'), 'sdk-ts'),
      ['launcher medium plugin_command_in_system_row+: /a'],
    ],
    ['a command’s output', local('x'), []],
    [
      'a prompt that a hook blocked',
      blocked('no\n\nOriginal prompt: go'),
      ['person medium blocked_prompt+: go'],
    ],
    [
      'by a program',
      blocked('Original prompt: go', { entrypoint: 'sdk-ts' }),
      ['launcher medium blocked_prompt+: go'],
    ],
    [
      'by another',
      blocked('Original prompt: go', { entrypoint: 'remote' }),
      ['unresolved low blocked_prompt+: go'],
    ],
    [
      'by nobody known',
      blocked('Original prompt: go', { entrypoint: undefined }),
      ['unresolved low blocked_prompt+: go'],
    ],
    [
      'a hook whose own words hold the mark',
      blocked('by hook: Original prompt: no\n\nOriginal prompt: go', {}, 'Original prompt: no'),
      ['person medium blocked_prompt+: go'],
    ],
    ['without the prompt', blocked('no'), []],
    [
      'another ending',
      { ...blocked('Original prompt: go'), promptSubmitEnding: { ending: { kind: 'sent' } } },
      [],
    ],
    ['of an agent', blocked('Original prompt: go', { isSidechain: true }), []],
    ['without content', { ...blocked(''), content: undefined }, []],
    ['another row', { type: 'progress', content: 'Original prompt: go' }, []],
  ])('%s', (_, row, expected) => {
    expect(told(row)).toEqual(expected)
  })
})
