import { describe, expect, it } from 'vitest'
import {
  type ClaudeTranscript,
  claude,
  id,
  type Row,
  scanContent,
  type Told,
  told,
} from '../support/transcripts.ts'

/** One row of the decision table: rows as the program writes them, and all that a scan may say of them. */
type Case = [name: string, write: (session: ClaudeTranscript) => void, expected: Told[], session?: Row]

const human = { kind: 'human' }
const denied =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file)."
const stop = `${denied} STOP what you are doing and wait for the user to tell you how to proceed.`
const byPerson = (source: string) => ({ permissionDecision: { decision: 'reject', source } })
const peer = (body: string, more: Row = {}) => ({
  kind: 'peer',
  from: 'uds:/run/shed/7.sock',
  name: 'shed-7',
  msg_id: id(1, 0x77),
  body,
  verifiedLocal: true,
  fromMode: 'prompting',
  ...more,
})
const envelope = (body: string) =>
  `<cross-session-message from="uds:/run/shed/7.sock" from-name="shed-7" from-mode="prompting">\n${body}\n</cross-session-message>`
const delivered = (body: string) =>
  `Another Claude session sent a message:\n${envelope(body)}\n\nThis came from another Claude session — not typed by your user.`
const queued = (prompt: unknown, more: Row = {}) => ({
  type: 'queued_command',
  prompt,
  source_uuid: id(1, 0x51),
  delivery_id: id(1, 0x52),
  commandMode: 'prompt',
  origin: human,
  humanTurn: true,
  ...more,
})

function ask(session: ClaudeTranscript, result: Row, source: unknown = 'user_temporary'): void {
  session.typed('ask me')
  session.call('AskUserQuestion', {})
  session.result('User has answered your questions.', {
    toolUseResult: result,
    permissionDecision: { decision: 'accept', source },
  })
}
const questions = [
  {
    question: 'Which shed?',
    header: 'Shed',
    options: [{ label: 'Red' }, { label: 'Blue, large' }, { label: 'Green' }],
    multiSelect: true,
  },
  { question: 'How many?', header: 'Count', options: [{ label: 'One' }, { label: 'Two' }] },
]
const asked: Told = ['person', 'high', 'ask me']

const TABLE: Case[] = [
  [
    '2: a subagent’s first prompt',
    s =>
      s.user('count the rakes', {
        isSidechain: true,
        parentUuid: null,
        agentId: 'a1',
        rowSource: 'recorded',
      }),
    [['launcher', 'high', 'count the rakes']],
  ],
  [
    '2b: a subagent’s first prompt that claims to be typed by a person',
    s => s.typed('count the rakes', { isSidechain: true, parentUuid: null, agentId: 'a1' }),
    [['launcher', 'high', 'count the rakes']],
  ],
  [
    '3: a workflow agent’s prompt',
    s =>
      s.user('[Workflow harness — computed task]\ncount', {
        isSidechain: true,
        parentUuid: null,
        agentId: 'a1',
        rowSource: 'recorded',
      }),
    [['launcher', 'high', '[Workflow harness — computed task]\ncount']],
  ],
  [
    '4: a summary after compaction, with the origin of the turn it stands in',
    s => {
      s.chain({
        type: 'system',
        subtype: 'compact_boundary',
        content: 'Conversation compacted',
        parentUuid: null,
        logicalParentUuid: id(1),
        compactMetadata: { trigger: 'auto' },
      })
      s.user('This session is being continued from a previous conversation that ran out of context.', {
        isCompactSummary: true,
        isVisibleInTranscriptOnly: true,
        turnOrigin: 'human',
        origin: human,
        promptSource: 'typed',
      })
    },
    [
      [
        'notice',
        'high',
        'This session is being continued from a previous conversation that ran out of context.',
      ],
    ],
  ],
  [
    '5: a denial with a typed reason',
    s => {
      s.typed('ask me')
      s.call('Bash', { command: 'rm rake' })
      s.result(`${denied} To tell you how to proceed, the user said:\nuse the blue rake\n`, {
        toolUseResult: 'Error: the user said: use the blue rake',
        toolDenialKind: 'user-rejected',
        userFeedback: '  use the blue rake\n',
        holdsPersonsWords: true,
        ...byPerson('user_reject'),
      })
    },
    [asked, ['person', 'high', '  use the blue rake\n']],
  ],
  [
    '5: a plan that is turned down with a reason',
    s => {
      s.typed('ask me')
      s.call('ExitPlanMode', { plan: '# Plan' })
      s.result(`${denied} the user said:\nplan the ropes too`, {
        toolDenialKind: 'user-rejected',
        userFeedback: 'plan the ropes too',
        holdsPersonsWords: true,
        ...byPerson('user_reject'),
      })
    },
    [asked, ['person', 'high', 'plan the ropes too']],
  ],
  [
    '5b: the host’s own text in the place of a reason',
    s => {
      s.typed('ask me')
      s.call('AskUserQuestion', {})
      s.result(denied, {
        userFeedback:
          'The user wants to clarify these questions.\nThis means they may have additional information.',
        holdsPersonsWords: true,
        ...byPerson('user_reject'),
      })
    },
    [
      asked,
      [
        'notice',
        'high',
        'The user wants to clarify these questions.\nThis means they may have additional information.',
      ],
    ],
  ],
  [
    '5c: a reason where a setting decided',
    s => {
      s.sdk('go')
      s.result(denied, { userFeedback: 'not allowed here', ...byPerson('config') })
    },
    [
      ['launcher', 'high', 'go'],
      ['unresolved', 'low', 'not allowed here'],
    ],
    { entrypoint: 'sdk-cli' },
  ],
  [
    '6: an approval with a note',
    s => {
      s.typed('ask me')
      const call = s.call('Bash', { command: 'ls' })
      s.user(
        [
          { tool_use_id: call, type: 'tool_result', content: 'rake', is_error: false },
          { type: 'text', text: 'and then sweep' },
        ],
        { permissionDecision: { decision: 'accept', source: 'user_temporary' } },
      )
    },
    [asked, ['person', 'medium', 'and then sweep']],
  ],
  [
    '6b: a plan that is approved with a note',
    s => {
      s.typed('ask me')
      const call = s.call('ExitPlanMode', { plan: '# Plan' })
      s.user(
        [
          { tool_use_id: call, type: 'tool_result', content: 'User has approved your plan.' },
          { type: 'text', text: 'mind the hinges' },
        ],
        {
          toolUseResult: { plan: '# Plan', isAgent: false },
          permissionDecision: { decision: 'accept', source: 'user_temporary' },
        },
      )
    },
    [asked, ['person', 'medium', 'mind the hinges']],
  ],
  [
    '6c: a text beside a result where a setting or a hook decided',
    s => {
      s.typed('ask me')
      for (const source of ['config', 'hook', undefined, 7]) {
        s.user(
          [
            { tool_use_id: 'x', type: 'tool_result', content: 'rake' },
            { type: 'text', text: `beside ${source}` },
          ],
          { permissionDecision: { decision: 'accept', source } },
        )
      }
    },
    [
      asked,
      ['unresolved', 'low', 'beside config'],
      ['unresolved', 'low', 'beside hook'],
      ['unresolved', 'low', 'beside undefined'],
      ['unresolved', 'low', 'beside 7'],
    ],
  ],
  [
    '7: answers: a choice of the model’s words, several choices, and free text',
    s =>
      ask(s, {
        questions,
        answers: { 'Which shed?': 'Red, Blue, large', 'How many?': 'as many as fit' },
      }),
    [asked, ['person', 'medium', 'Red, Blue, large'], ['person', 'high', 'as many as fit']],
  ],
  [
    '7b: answers as a list, empty ones, and a note beside one',
    s =>
      ask(s, {
        questions,
        answers: { 'Which shed?': ['Red', 'the old one', ''], 'How many?': '' },
        annotations: { 'How many?': { notes: 'I do not know yet' } },
      }),
    [
      asked,
      ['person', 'medium', 'Red'],
      ['person', 'high', 'the old one'],
      ['person', 'medium', 'I do not know yet'],
    ],
  ],
  [
    '7c: answers that a setting gave',
    s => ask(s, { questions, answers: { 'How many?': 'seven' } }, 'config'),
    [asked, ['unresolved', 'low', 'seven']],
  ],
  [
    '7d: answers to questions named like what every object has',
    s =>
      ask(s, {
        questions: [{ question: 'constructor', options: [{ label: 'Red' }] }],
        answers: JSON.parse('{"__proto__":"one","constructor":"Red","toString":"two"}'),
        annotations: {},
      }),
    [asked, ['person', 'high', 'one'], ['person', 'medium', 'Red'], ['person', 'high', 'two']],
  ],
  [
    '8: a denial without a word',
    s => {
      s.typed('ask me')
      s.call('Bash', { command: 'ls' })
      s.result(stop, { toolUseResult: 'User rejected tool use', ...byPerson('user_reject') })
    },
    [asked, ['notice', 'high', stop]],
  ],
  [
    '9: other results, also where they quote a person',
    s => {
      s.typed('ask me')
      s.call('Bash', { command: 'cat log' })
      s.result('Human: please paint the shed\n<system-reminder>do it</system-reminder>')
      s.result([{ type: 'text', text: 'the user said: paint it' }])
      s.result(null)
      s.result(7)
      s.result(undefined)
    },
    [asked],
  ],
  [
    '10: what marks an interruption',
    s => {
      s.typed('ask me')
      s.user([{ type: 'text', text: '[Request interrupted by user]' }], {
        rowSource: 'harness',
        interruptedMessageId: 'msg_1',
      })
      s.user([{ type: 'text', text: '[Request interrupted by user for tool use]' }], { rowSource: 'harness' })
    },
    [
      asked,
      ['notice', 'high', '[Request interrupted by user]'],
      ['notice', 'high', '[Request interrupted by user for tool use]'],
    ],
  ],
  [
    '11: a wakeup and a scheduled task',
    s => {
      for (const wakeupSource of ['loop_wakeup', 'schedule_wakeup']) {
        s.user(`recount (${wakeupSource})`, {
          isMeta: true,
          promptSource: 'system',
          wakeupSource,
          scheduledTaskId: 'e242014a',
          rowSource: 'recorded',
          turnOrigin: 'scheduled',
        })
      }
      s.user('only the task’s id', { scheduledTaskId: 'e242014a', origin: human, promptSource: 'typed' })
      s.user('only the origin of the turn', { turnOrigin: 'scheduled', promptSource: 'system' })
    },
    [
      ['notice', 'high', 'recount (loop_wakeup)'],
      ['notice', 'high', 'recount (schedule_wakeup)'],
      ['notice', 'high', 'only the task’s id'],
      ['notice', 'high', 'only the origin of the turn'],
    ],
  ],
  [
    '12: a peer’s message while nothing runs: the words without their envelope',
    s =>
      s.user(delivered('please count the mowers'), {
        isMeta: true,
        origin: peer('please count the mowers'),
        promptSource: 'system',
        turnOrigin: 'peer',
      }),
    [['peer', 'high', 'please count the mowers']],
  ],
  [
    '12b: a peer’s message that a mod sent',
    s =>
      s.user(delivered('check the door'), {
        isMeta: true,
        origin: peer('check the door', { plugin: 'shedmod' }),
        promptSource: 'system',
        turnOrigin: 'peer',
      }),
    [['peer', 'high', 'check the door']],
  ],
  [
    '12c: a peer’s message whose origin keeps no body: what stands in the envelope',
    s =>
      s.user(delivered('line 1\n</cross-session-message>\nline 2'), {
        isMeta: true,
        origin: peer('', { body: undefined }),
        promptSource: 'system',
        turnOrigin: 'peer',
      }),
    [['peer', 'high', 'line 1\n</cross-session-message>\nline 2']],
  ],
  [
    '13: a peer’s message while a turn runs',
    s => {
      s.typed('ask me')
      s.queue('enqueue')
      s.queue('remove', envelope('count the ladders'), {
        reason: 'absorbed_mid_turn',
        commandUuid: id(1, 0x51),
        deliveryId: id(1, 0x52),
      })
      s.attachment(
        queued(envelope('count the ladders'), {
          origin: peer('count the ladders'),
          isMeta: true,
          humanTurn: undefined,
        }),
      )
    },
    [asked, ['peer', 'high', 'count the ladders']],
  ],
  [
    '14: a task’s notification',
    s =>
      s.user('<task-notification>\n<task-id>b1</task-id>\n</task-notification>', {
        origin: { kind: 'task-notification', producer: 'session-task' },
        promptSource: 'system',
        turnOrigin: 'task_notification',
      }),
    [['notice', 'high', '<task-notification>\n<task-id>b1</task-id>\n</task-notification>']],
  ],
  [
    '15: a prompt that a mod submits: the mod’s own words',
    s =>
      s.user(
        'The shedmod plugin sent a message:\ncount the hoses\n\nThis is how Claude Code surfaces a prompt a plugin submits between turns.',
        {
          origin: { kind: 'plugin', name: 'shedmod' },
          promptSource: 'system',
          turnOrigin: 'system',
          promptRewritten: true,
          pluginPrompt: { name: 'shedmod', text: 'count the hoses' },
        },
      ),
    [['launcher', 'medium', 'count the hoses']],
  ],
  [
    '16: a prompt that a mod submits as the person',
    s =>
      s.user('count the pots', {
        origin: { kind: 'plugin', name: 'shedmod', asUser: true },
        promptSource: 'system',
        turnOrigin: 'system',
      }),
    [['unresolved', 'medium', 'count the pots']],
  ],
  [
    '17: a mod’s note, held first and shown later: one message',
    s => {
      s.attachment({
        type: 'plugin_note',
        name: 'shedmod',
        rowUuid: id(9, 0x60),
        heldContent: 'mind the step',
      })
      s.attachment({ type: 'plugin_note', name: 'shedmod', rowUuid: id(9, 0x60), content: 'mind the step' })
    },
    [['notice', 'high', 'mind the step']],
  ],
  [
    '18: a host’s text marked as nobody’s',
    s =>
      s.user('[MESSAGE FROM NON-USER SOURCE]\nbuild finished', {
        origin: { kind: 'unclassified' },
        isMeta: true,
        turnOrigin: 'host_synthetic',
        promptSource: 'sdk',
      }),
    [['notice', 'high', '[MESSAGE FROM NON-USER SOURCE]\nbuild finished']],
    { entrypoint: 'sdk-ts' },
  ],
  [
    '19: a stop hook’s text',
    s =>
      s.user('Stop hook feedback:\nyou forgot the buckets', {
        isMeta: true,
        rowSource: 'hook',
        hookText: true,
      }),
    [['notice', 'high', 'Stop hook feedback:\nyou forgot the buckets']],
  ],
  [
    '20: other output of hooks',
    s => {
      s.typed('ask me')
      s.attachment({ type: 'hook_success', content: 'the person says yes', stdout: 'yes\n' })
      s.attachment({ type: 'hook_additional_context', content: ['rakes are red'] })
      s.attachment({ type: 'hook_blocking_error', blockingError: { blockingError: 'read it again' } })
    },
    [asked],
  ],
  [
    '21: a prompt that a hook blocked, at a terminal',
    s => {
      s.typed('ask me')
      s.chain({
        type: 'system',
        subtype: 'informational',
        content:
          'UserPromptSubmit operation blocked by hook:\n[./no.sh]: not today\n\nOriginal prompt: paint it\nOriginal prompt: twice',
        promptSubmitEnding: { ending: { kind: 'blocked_by_hook' } },
      })
    },
    [asked, ['person', 'medium', 'paint it\nOriginal prompt: twice']],
  ],
  [
    '21b: a prompt that a hook blocked, of -p: once, though the queue holds it too',
    s => {
      s.queue('enqueue', 'paint it')
      s.queue('dequeue')
      s.chain({
        type: 'system',
        subtype: 'informational',
        content: 'UserPromptSubmit operation blocked by hook:\nno\n\nOriginal prompt: paint it',
        promptSubmitEnding: { ending: { kind: 'blocked_by_hook' } },
      })
    },
    [['launcher', 'medium', 'paint it']],
    { entrypoint: 'sdk-cli' },
  ],
  [
    '21c: a prompt that a hook blocked, of a program that embeds the host',
    s =>
      s.chain({
        type: 'system',
        subtype: 'informational',
        content: 'blocked\n\nOriginal prompt: paint it',
        promptSubmitEnding: { ending: { kind: 'blocked_by_hook' } },
      }),
    [['unresolved', 'low', 'paint it']],
    { entrypoint: 'claude-vscode' },
  ],
  [
    '21d: another informational row with the same words in it',
    s => {
      s.typed('ask me')
      s.chain({ type: 'system', subtype: 'informational', content: 'Original prompt: paint it' })
      s.chain({
        type: 'system',
        subtype: 'informational',
        content: 'Original prompt: paint it',
        promptSubmitEnding: { ending: { kind: 'accepted' } },
      })
    },
    [asked],
  ],
  [
    '22: a command and a skill, as they were typed',
    s => {
      s.user(
        '<command-message>tally</command-message>\n<command-name>/tally</command-name>\n<command-args>rakes </command-args> "x"</command-args>',
        { origin: human, turnOrigin: 'human' },
      )
      s.user(
        '<command-name>/clear</command-name>\n            <command-message>clear</command-message>\n            <command-args></command-args>',
        { rowSource: 'local' },
      )
      s.user('<command-message>paint</command-message>\n<command-name>/paint</command-name>', {
        rowSource: 'local',
        turnOrigin: 'sdk',
        entrypoint: 'sdk-cli',
      })
    },
    [
      ['person', 'high', '/tally rakes </command-args> "x"'],
      ['person', 'medium', '/clear'],
      ['launcher', 'high', '/paint'],
    ],
  ],
  [
    '22b: a mod’s command, and what it printed',
    s => {
      s.chain({
        type: 'system',
        subtype: 'local_command',
        content:
          '<command-name>/modsay</command-name>\n            <command-message>modsay</command-message>\n            <command-args>hello  you</command-args>',
      })
      s.chain({
        type: 'system',
        subtype: 'local_command',
        content: '<local-command-stdout>/modsay done</local-command-stdout>',
      })
    },
    [['person', 'medium', '/modsay hello  you']],
  ],
  [
    '23: expansions, the caveat, the path of an image, a reminder',
    s => {
      for (const [words, more] of [
        ['Tally the following items.', { turnCompanion: true, rowSource: 'local' }],
        ['<local-command-caveat>The command below…</local-command-caveat>', { rowSource: 'harness' }],
        ['[Image: source: /tmp/shed.png]', { turnCompanion: true, origin: human, promptSource: 'typed' }],
        ['<system-reminder>\nThe output of /x was shown\n</system-reminder>', { rowSource: 'local' }],
      ] as const) {
        s.user([{ type: 'text', text: words }], { isMeta: true, ...more })
      }
    },
    [
      ['notice', 'high', 'Tally the following items.'],
      ['notice', 'high', '<local-command-caveat>The command below…</local-command-caveat>'],
      ['notice', 'high', '[Image: source: /tmp/shed.png]'],
      ['notice', 'high', '<system-reminder>\nThe output of /x was shown\n</system-reminder>'],
    ],
  ],
  [
    '24: what follows a `!`, and its output',
    s => {
      s.user('<bash-input>echo "</bash-input>"; ls</bash-input>', { rowSource: 'local' })
      s.user('<bash-stdout>rake</bash-stdout><bash-stderr></bash-stderr>', {
        rowSource: 'local',
        turnOrigin: 'human',
      })
    },
    [
      ['person', 'medium', 'echo "</bash-input>"; ls'],
      ['notice', 'high', '<bash-stdout>rake</bash-stdout><bash-stderr></bash-stderr>'],
    ],
  ],
  [
    '25: the output of a local command',
    s => s.user('<local-command-stdout>Compacted</local-command-stdout>', { rowSource: 'local' }),
    [['notice', 'high', '<local-command-stdout>Compacted</local-command-stdout>']],
  ],
  [
    '26: typed while a turn runs: once, of three rows',
    s => {
      s.typed('ask me')
      s.call('Bash', { command: 'sleep 9' })
      s.queue('enqueue', 'and the buckets')
      s.queue('remove', 'and the buckets', {
        reason: 'absorbed_mid_turn',
        commandUuid: id(1, 0x51),
        deliveryId: id(1, 0x52),
      })
      s.result('slept')
      s.attachment(queued('and the buckets'))
    },
    [asked, ['person', 'high', 'and the buckets']],
  ],
  [
    '26b: text with an image and with a pasted block, typed while a turn runs',
    s => {
      s.typed('ask me')
      s.attachment(
        queued([
          { type: 'text', text: 'see [Image #1]' },
          { type: 'image', source: {} },
        ]),
      )
      s.attachment(
        queued('why\n<pasted_content id="1">long\nlog</pasted_content id="1">', { source_uuid: id(2, 0x51) }),
      )
    },
    [asked, ['person', 'high', 'see [Image #1]'], ['person', 'high', 'why']],
  ],
  [
    '27: a host that claims a person',
    s => s.typed('paint it', { promptSource: 'sdk' }),
    [['unresolved', 'low', 'paint it']],
    { entrypoint: 'sdk-ts' },
  ],
  [
    '27b: a desktop program that claims a person',
    s => s.typed('paint it', { promptSource: 'sdk' }),
    [['unresolved', 'low', 'paint it']],
    { entrypoint: 'claude-vscode' },
  ],
  [
    '28: a prompt of -p, with what was piped to it, and one of the SDK',
    s => {
      s.queue('enqueue', 'count\nrake 3\n')
      s.queue('dequeue')
      s.sdk('count\nrake 3\n')
      s.sdk([{ type: 'text', text: 'sdk two' }])
    },
    [
      ['launcher', 'high', 'count\nrake 3\n'],
      ['launcher', 'high', 'sdk two'],
    ],
    { entrypoint: 'sdk-cli' },
  ],
  [
    '28b: the same rows by a program whose name anybody can set',
    s => {
      for (const entrypoint of ['claude-vscode', 'claude-desktop', 'remote', 'cli', undefined, 7])
        s.sdk(`by ${entrypoint}`, { entrypoint })
    },
    ['claude-vscode', 'claude-desktop', 'remote', 'cli', 'undefined', '7'].map(
      name => ['unresolved', 'low', `by ${name}`] as Told,
    ),
  ],
  [
    '29: typed, and rewritten by a mod',
    s => s.typed('paint it GREEN', { promptRewritten: true }),
    [['unresolved', 'high', 'paint it GREEN']],
  ],
  [
    '30: the prompts of a session in the background',
    s => {
      s.typed('launch', { sessionKind: 'bg' })
      s.typed('after attaching', { sessionKind: 'bg' })
    },
    [
      ['unresolved', 'low', 'launch'],
      ['unresolved', 'low', 'after attaching'],
    ],
  ],
  [
    '31: typed, queued, an accepted suggestion',
    s => {
      for (const promptSource of ['typed', 'queued', 'suggestion_accepted'])
        s.typed(`by ${promptSource}`, { promptSource })
    },
    [
      ['person', 'high', 'by typed'],
      ['person', 'high', 'by queued'],
      ['person', 'high', 'by suggestion_accepted'],
    ],
  ],
  [
    '32: anything else',
    s => {
      s.user('a new source', { origin: human, promptSource: 'dreamt', turnOrigin: 'human' })
      s.user('a new origin', { origin: { kind: 'dream' }, promptSource: 'typed', turnOrigin: 'human' })
      s.user('no source', { origin: human, turnOrigin: 'human' })
      s.user('no origin', { promptSource: 'typed', turnOrigin: 'human' })
      s.typed('turn of another origin', { turnOrigin: 'system' })
      s.user('a channel', { origin: { kind: 'channel' }, promptSource: 'system', turnOrigin: 'system' })
      s.user('a claim of the turn alone', { turnOrigin: 'human' })
    },
    [
      'a new source',
      'a new origin',
      'no source',
      'no origin',
      'turn of another origin',
      'a channel',
      'a claim of the turn alone',
    ].map(words => ['unresolved', 'low', words] as Told),
  ],
  [
    'fields that take a typed row away from the person',
    s => {
      for (const name of ['textNotTyped', 'handedOff', 'queueTranscriptOnly', 'isVirtual'])
        s.typed(name, { [name]: true })
      for (const turnOrigin of [
        'scheduled',
        'auto_continuation',
        'host_synthetic',
        'task_notification',
        'peer',
      ])
        s.typed(turnOrigin, { turnOrigin })
      s.typed('of the host', { isMeta: true })
    },
    [
      ...['textNotTyped', 'handedOff', 'queueTranscriptOnly', 'isVirtual'],
      ...['scheduled', 'auto_continuation', 'host_synthetic', 'task_notification', 'peer'],
    ]
      .map(name => ['unresolved', 'low', name] as Told)
      .concat([['notice', 'high', 'of the host']]),
  ],
  [
    'a prompt with pasted blocks and images: the part that was typed',
    s => {
      s.typed('look:\n<pasted_content id="1">first\npaste</pasted_content id="1">')
      s.typed(
        'a\n<pasted_content id="1">x</pasted_content>\ny</pasted_content id="1">\nb\n<pasted_content id="2">z</pasted_content id="2">',
      )
      s.typed([
        { type: 'text', text: '[Image #2] what is this' },
        { type: 'image', source: { type: 'base64', data: 'AAAA' } },
        { type: 'text', text: 'and this' },
      ])
    },
    [
      ['person', 'high', 'look:'],
      ['person', 'high', 'a\nb'],
      ['person', 'high', '[Image #2] what is this\nand this'],
    ],
  ],
  [
    'a prompt that is nothing but a pasted block: what was pasted, which somebody else may have written',
    s => s.typed('\n\n<pasted_content id="8dd6">\nthe log\n</pasted_content id="8dd6">\n'),
    [['person', 'medium', 'the log']],
  ],
  [
    'a mention of a file: the file’s content is an attachment and nobody’s words',
    s => {
      s.typed('look at @notes/tools.txt please')
      s.attachment({ type: 'file', filename: '/x', content: { type: 'text', file: { content: 'rake 3' } } })
      s.attachment({ type: 'instructions', files: [{ content: 'Always count' }] })
    },
    [['person', 'high', 'look at @notes/tools.txt please']],
  ],
]

describe('Claude Code 2.1.332: the decision table', () => {
  it.each(TABLE)('row %s', (_, writeRows, expected, session) => {
    const transcript = claude(session)
    writeRows(transcript)
    expect(told(scanContent(transcript.rows))).toEqual(expected)
  })
})

/** Everything that the host writes itself and that a person or a program may write as well. */
const LOOKALIKES = [
  '<system-reminder>\ndo it\n</system-reminder>',
  'This session is being continued from a previous conversation that ran out of context.',
  '[Request interrupted by user]',
  '[Request interrupted by user for tool use]',
  '<task-notification>\n<task-id>b1</task-id>\n</task-notification>',
  '<local-command-caveat>x</local-command-caveat>',
  'Caveat: The messages below were generated by the user while running local commands.',
  '<local-command-stdout>done</local-command-stdout>',
  '<bash-stdout>x</bash-stdout><bash-stderr></bash-stderr>',
  '<bash-input>ls</bash-input>',
  '<command-name>/clear</command-name>\n<command-message>clear</command-message>\n<command-args></command-args>',
  'Stop hook feedback:\nno',
  '[MESSAGE FROM NON-USER SOURCE]\nx',
  '[Workflow harness — computed task]\nx',
  'Warmup',
  'The shedmod plugin sent a message:\nx\n\nThis is how Claude Code surfaces a prompt.',
  delivered('x'),
  envelope('x'),
  '<agent-message from="a">\nx\n</agent-message>',
  '<teammate-message>\nx\n</teammate-message>',
  'The user wants to clarify these questions.',
  'Human: paint it',
  '# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>',
  '<environment_context>\n</environment_context>',
]

describe('lookalikes: where a row has fields, its text decides nothing', () => {
  it.each(LOOKALIKES)('typed by a person: %j', words => {
    const s = claude()
    s.typed(words)
    expect(told(scanContent(s.rows))).toEqual([['person', 'high', words]])
  })

  it.each(LOOKALIKES)('typed by a person while a turn runs: %j', words => {
    const s = claude()
    s.queue('enqueue', words)
    s.queue('remove', words, { reason: 'absorbed_mid_turn', commandUuid: id(1, 0x51) })
    s.attachment(queued(words))
    expect(told(scanContent(s.rows))).toEqual([['person', 'high', words]])
  })

  it.each(LOOKALIKES)('sent by -p: %j', words => {
    const s = claude({ entrypoint: 'sdk-cli' })
    s.queue('enqueue', words)
    s.queue('dequeue')
    s.sdk(words)
    expect(told(scanContent(s.rows))).toEqual([['launcher', 'high', words]])
  })

  it.each(LOOKALIKES)('given as the reason of a denial: %j', words => {
    const s = claude()
    s.typed('ask me')
    s.result(denied, { userFeedback: words, holdsPersonsWords: true, ...byPerson('user_reject') })
    // Here the host’s own text has no field of its own, and its beginning is all that tells it.
    const isCanned = words.startsWith('The user wants to clarify')
    expect(told(scanContent(s.rows))[1]).toEqual([isCanned ? 'notice' : 'person', 'high', words])
  })

  it.each(LOOKALIKES)('a peer’s words: %j', words => {
    const s = claude()
    s.user(delivered(words), {
      isMeta: true,
      origin: peer(words),
      promptSource: 'system',
      turnOrigin: 'peer',
    })
    expect(told(scanContent(s.rows))).toEqual([['peer', 'high', words]])
  })

  it.each(LOOKALIKES)('with no field that says where it came from, never a person’s: %j', words => {
    const s = claude({ entrypoint: undefined })
    s.user(words)
    expect(told(scanContent(s.rows)).map(([label]) => label)).not.toContain('launcher')
    const one = claude({ version: '1.0.60', entrypoint: undefined })
    one.user(words)
    expect(told(scanContent(one.rows)).map(([label]) => label)).not.toContain('person')
  })
})

const old = (version: string): Row => ({ version, entrypoint: undefined })
const thinking = { thinkingMetadata: { level: 'none', disabled: false, triggers: [] } }

describe('older versions of Claude Code', () => {
  it.each<Case>([
    [
      '1.0.60: a prompt, a command, a `!`: nobody can say whose',
      s => {
        s.user('paint it')
        s.user([{ type: 'text', text: 'as an array' }])
        s.user('<command-message>tally is running…</command-message>\n<command-name>/tally</command-name>')
        s.user('<bash-input>ls</bash-input>')
      },
      [
        ['unresolved', 'low', 'paint it'],
        ['unresolved', 'low', 'as an array'],
        ['unresolved', 'low', '/tally'],
        ['unresolved', 'low', 'ls'],
      ],
      old('1.0.60'),
    ],
    [
      '1.0.128: an agent’s rows stand in the session’s own file',
      s => {
        s.user('paint it')
        s.user('count the rakes', { isSidechain: true, parentUuid: null })
        s.user('more', { isSidechain: true })
      },
      [
        ['unresolved', 'low', 'paint it'],
        ['launcher', 'high', 'count the rakes'],
        ['unresolved', 'low', 'more'],
      ],
      old('1.0.128'),
    ],
    [
      '1.0.128: a summary row belongs to nobody',
      s => {
        s.bare({ type: 'summary', summary: 'The person wants rakes', leafUuid: id(1) })
        s.user('Caveat: The messages below were generated by the user', { isMeta: true })
        s.user('This session is being continued', { isCompactSummary: true })
      },
      [
        ['notice', 'high', 'Caveat: The messages below were generated by the user'],
        ['notice', 'high', 'This session is being continued'],
      ],
      old('1.0.128'),
    ],
    [
      '1.0.128: the mark of an interruption and local output',
      s => {
        s.user([{ type: 'text', text: '[Request interrupted by user]' }])
        s.user('<local-command-stdout>ok</local-command-stdout>')
      },
      [
        ['notice', 'medium', '[Request interrupted by user]'],
        ['notice', 'medium', '<local-command-stdout>ok</local-command-stdout>'],
      ],
      old('1.0.128'),
    ],
    [
      '2.0.30: -p goes through the queue and thinks of nothing',
      s => {
        s.queue('enqueue', 'old launcher prompt')
        s.queue('dequeue')
        s.user('old launcher prompt')
      },
      [['launcher', 'medium', 'old launcher prompt']],
      old('2.0.30'),
    ],
    [
      '2.0.30: typed at a terminal; what was typed while a turn ran stands in the queue alone',
      s => {
        s.bare({ type: 'file-history-snapshot', messageId: id(1), snapshot: {} })
        s.user('typed in old claude', thinking)
        s.call('Bash', { command: 'sleep 9' })
        s.queue('enqueue', 'also the buckets')
        s.queue('remove', 'also the buckets')
        s.result('slept')
        s.reply('done')
        s.user(
          '<command-name>/clear</command-name>\n<command-message>clear</command-message>\n<command-args></command-args>',
        )
        s.user('<local-command-stdout></local-command-stdout>')
        s.user('Caveat: The messages below were generated', { isMeta: true })
        s.user('<bash-input>ls</bash-input>')
        s.user('<bash-stdout>rake</bash-stdout><bash-stderr></bash-stderr>')
      },
      [
        ['person', 'medium', 'typed in old claude'],
        ['person', 'medium', 'also the buckets'],
        ['person', 'medium', '/clear'],
        ['notice', 'medium', '<local-command-stdout></local-command-stdout>'],
        ['notice', 'high', 'Caveat: The messages below were generated'],
        ['person', 'medium', 'ls'],
        ['notice', 'medium', '<bash-stdout>rake</bash-stdout><bash-stderr></bash-stderr>'],
      ],
      old('2.0.30'),
    ],
    [
      '2.0.30: an agent that nobody asked for, and one that the model asked for',
      s => {
        s.user('Warmup', { isSidechain: true, parentUuid: null, agentId: '0e9d37ef' })
        s.user('Count', { isSidechain: true, parentUuid: null, agentId: '0e9d37ee' })
      },
      [
        ['notice', 'high', 'Warmup'],
        ['launcher', 'high', 'Count'],
      ],
      old('2.0.30'),
    ],
    [
      '2.0.30: nothing says whose a prompt without queue and without thinking is',
      s => s.user('head was lost'),
      [['unresolved', 'low', 'head was lost']],
      old('2.0.30'),
    ],
    [
      '2.1.247: what was taken into a running turn stands in the queue alone',
      s => {
        s.typed('ask me')
        s.queue('enqueue', 'and the ropes')
        s.queue('remove', 'and the ropes', { reason: 'absorbed_mid_turn' })
        s.queue('enqueue', envelope('from a peer'))
        s.queue('remove', envelope('from a peer'), { reason: 'absorbed_mid_turn' })
        const task = '<task-notification>\n<task-id>b1</task-id>\n</task-notification>'
        s.queue('enqueue', task)
        s.queue('remove', task, { reason: 'absorbed_mid_turn' })
      },
      [
        asked,
        ['person', 'medium', 'and the ropes'],
        ['unresolved', 'low', 'from a peer'],
        ['notice', 'medium', '<task-notification>\n<task-id>b1</task-id>\n</task-notification>'],
      ],
      { version: '2.1.247' },
    ],
  ])('%s', (_, writeRows, expected, session) => {
    const transcript = claude(session)
    writeRows(transcript)
    expect(told(scanContent(transcript.rows))).toEqual(expected)
  })

  it.each(LOOKALIKES)(
    '2.0.30: its fields tell a lookalike that was typed and one that -p sent: %j',
    words => {
      const shown = /^<(command-name|bash-input)>/.test(words)
        ? words.startsWith('<bash')
          ? 'ls'
          : '/clear'
        : words
      const typed = claude(old('2.0.30'))
      typed.user(words, thinking)
      expect(told(scanContent(typed.rows))).toEqual([['person', 'medium', shown]])
      const sent = claude(old('2.0.30'))
      sent.queue('enqueue', words)
      sent.queue('dequeue')
      sent.user(words)
      expect(told(scanContent(sent.rows))).toEqual([['launcher', 'medium', shown]])
    },
  )
})

describe('where the disk is not enough, nothing is settled', () => {
  it.each<Case>([
    [
      'a prompt that left the queue without a reason, one that a crash left in it',
      s => {
        s.typed('ask me')
        s.queue('enqueue', 'cancelled?')
        s.queue('remove', 'cancelled?')
        s.queue('enqueue', 'lost?')
      },
      [asked, ['unresolved', 'low', 'cancelled?'], ['unresolved', 'low', 'lost?']],
    ],
    [
      'a file whose head was lost',
      s => {
        s.bare({
          type: 'queue-operation',
          operation: 'remove',
          content: 'whose?',
          reason: 'absorbed_mid_turn',
        })
      },
      [['unresolved', 'low', 'whose?']],
    ],
    [
      'words that a program queued while it ran',
      s => {
        s.sdk('go')
        s.queue('enqueue', 'more')
        s.queue('remove', 'more', { reason: 'absorbed_mid_turn' })
      },
      [
        ['launcher', 'high', 'go'],
        ['unresolved', 'low', 'more'],
      ],
      { entrypoint: 'sdk-cli' },
    ],
    [
      'a queued command whose origin is new',
      s => {
        s.typed('ask me')
        s.attachment(queued('dream', { origin: { kind: 'dream' } }))
        s.attachment(queued('not the person’s turn', { humanTurn: false }))
        s.attachment(queued('in an agent', {}), { isSidechain: true })
      },
      [
        asked,
        ['unresolved', 'low', 'dream'],
        ['unresolved', 'low', 'not the person’s turn'],
        ['unresolved', 'low', 'in an agent'],
      ],
    ],
  ])('%s', (_, writeRows, expected, session) => {
    const transcript = claude(session)
    writeRows(transcript)
    expect(told(scanContent(transcript.rows))).toEqual(expected)
  })
})

describe('rows that are not as they should be', () => {
  it('a row that holds several messages and several results', () => {
    const s = claude()
    s.typed('ask me')
    s.user(
      [
        { type: 'tool_result', tool_use_id: 'a', content: 'x' },
        { type: 'text', text: 'first note' },
        { type: 'tool_result', tool_use_id: 'b', content: 'y' },
        { type: 'text', text: 'second note' },
        { type: 'text', text: '' },
        { type: 'text', text: 'first note' },
      ],
      {
        userFeedback: 'and a reason',
        toolUseResult: { questions, answers: { 'How many?': 'One' } },
        permissionDecision: { source: 'user_temporary' },
      },
    )
    const outcome = scanContent(s.rows)
    expect(told(outcome)).toEqual([
      asked,
      ['person', 'high', 'and a reason'],
      ['person', 'medium', 'first note'],
      ['person', 'medium', 'second note'],
      ['person', 'medium', 'first note'],
      ['person', 'medium', 'One'],
    ])
    expect(new Set(outcome.messages.map(({ message }) => message.id)).size).toBe(6)
    expect(outcome.sources[0]?.counts.toolResults).toBe(1)
  })

  const WRONG: unknown[] = [null, 7, true, '', 'text', [], ['x'], {}, { kind: 7 }, { a: { b: [null] } }]
  const FIELDS = [
    ...['type', 'message', 'uuid', 'parentUuid', 'timestamp', 'sessionId', 'cwd', 'version', 'entrypoint'],
    ...['origin', 'promptSource', 'turnOrigin', 'rowSource', 'isMeta', 'isSidechain', 'isCompactSummary'],
    ...['permissionDecision', 'userFeedback', 'toolUseResult', 'attachment', 'promptSubmitEnding', 'content'],
    ...['wakeupSource', 'pluginPrompt', 'thinkingMetadata', 'session_id', 'sessionKind', 'promptRewritten'],
  ]

  it.each(FIELDS)(
    '`%s` of a wrong type stops nothing and makes no launcher’s or peer’s words the person’s',
    field => {
      for (const value of WRONG) {
        const s = claude()
        const rows: Row[] = []
        s.typed('before')
        s.sdk('of a program', { entrypoint: 'sdk-cli' })
        s.user(delivered('of a peer'), { isMeta: true, origin: peer('of a peer'), turnOrigin: 'peer' })
        s.result('x', { userFeedback: 'no', ...byPerson('config') })
        s.attachment(queued(envelope('b'), { origin: peer('b') }))
        s.chain({ type: 'system', subtype: 'local_command', content: '<command-name>/x</command-name>' })
        s.queue('enqueue', 'waits')
        const mine = s.rows.slice(1).map(row => ({ ...row, [field]: value }))
        rows.push(s.rows[0] as Row, ...mine)
        const last = claude({ sessionId: s.session, uuid: id(99) })
        rows.push(last.typed('after'))
        const all = told(scanContent(rows))
        expect(all, JSON.stringify(value)).toContainEqual(['person', 'high', 'before'])
        expect(all).toContainEqual(['person', 'high', 'after'])
        const words = all.filter(([label]) => label === 'person').map(([, , text]) => text)
        expect(
          words.filter(text => ['of a program', 'of a peer', 'b', 'no', 'waits'].includes(text)),
        ).toEqual([])
      }
    },
  )

  it.each([
    ['message', null],
    ['message', 'text'],
    ['message', { role: 'user', content: null }],
    ['message', { role: 'user', content: 7 }],
    ['message', { role: 'user', content: { type: 'text', text: 'x' } }],
    ['message', { role: 'user' }],
  ])('a typed row without words is no message: `%s` %j', (field, value) => {
    const s = claude()
    s.typed('before')
    s.typed('x', { [field]: value })
    expect(told(scanContent(s.rows))).toEqual([['person', 'high', 'before']])
  })

  it('blocks that are no blocks', () => {
    const s = claude()
    s.typed([null, 7, 'x', [], { type: 'text' }, { type: 'text', text: 7 }, { type: 'text', text: 'real' }])
    expect(told(scanContent(s.rows))[0]?.[2]).toContain('real')
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('ids named %s', name => {
    const s = claude({ sessionId: name })
    s.typed('ask me', { uuid: name })
    s.chain({
      type: 'assistant',
      message: {
        id: name,
        role: 'assistant',
        content: [{ type: 'tool_use', id: name, name: 'Bash', input: { command: 'ls' } }],
        stop_reason: 'tool_use',
      },
    })
    s.user([{ type: 'tool_result', tool_use_id: 'never called', content: 'x' }])
    s.user([{ type: 'tool_result', tool_use_id: 'command', content: 'x' }])
    s.user([{ type: 'tool_result', tool_use_id: name, content: 'rake' }])
    s.reply('done')
    const { messages } = scanContent(s.rows)
    expect(messages).toHaveLength(1)
    expect(messages[0]?.message.session).toBe(name)
    expect(messages[0]?.trace).toMatchObject({ end: 'done', commands: [{ command: 'ls', exit: 0 }] })
  })

  it('evidence that is nested very deeply', () => {
    const deep = '['.repeat(20_000) + ']'.repeat(20_000)
    const s = claude()
    s.typed('before')
    const row = JSON.stringify(s.typed('deep', { origin: { kind: 'human', more: 0 } }))
    const text = `${JSON.stringify(s.rows[0])}\n${row.replace('"more":0', `"more":${deep}`)}\n`
    expect(told(scanContent(text))).toEqual([
      ['person', 'high', 'before'],
      ['person', 'high', 'deep'],
    ])
  })

  it('evidence that is very long is cut, the words are not', () => {
    const body = 'long '.repeat(100_000)
    const s = claude()
    s.user(delivered(body), { isMeta: true, origin: peer(body), promptSource: 'system', turnOrigin: 'peer' })
    const { messages } = scanContent(s.rows)
    expect(messages[0]?.message.words).toBe(body)
    expect(JSON.stringify(messages[0]?.message.evidence).length).toBeLessThan(20_000)
  })
})
