import { describe, expect, it } from 'vitest'
import {
  type CodexTranscript,
  codex,
  id,
  lines,
  messageOf,
  type Row,
  scanContent,
  second,
  type Told,
  told,
} from '../support/transcripts.ts'

type Case = [name: string, meta: Row, write: (thread: CodexTranscript) => void, expected: Told[]]

const exec = { originator: 'codex_exec', source: 'exec', thread_source: 'user' }
const child = {
  source: { subagent: { thread_spawn: { parent_thread_id: id(0, 0x99), depth: 1 } } },
  thread_source: 'subagent',
  parent_thread_id: id(0, 0x99),
  session_id: id(0, 0x99),
}
const shell = (command: string) =>
  `<user_shell_command>\n<command>\n${command}\n</command>\n<result>\nExit code: 0\nDuration: 0.08 seconds\nOutput:\ntools.txt\n\n</result>\n</user_shell_command>`
const aborted = '<turn_aborted>\nThe user interrupted the previous turn on purpose.\n</turn_aborted>'
const agents = '# AGENTS.md instructions for /home/dev/shed\n\n<INSTRUCTIONS>\ncount\n</INSTRUCTIONS>'
const environment = '<environment_context>\n  <cwd>/home/dev/shed</cwd>\n</environment_context>'
const review = (instructions: unknown, target: Row = { type: 'custom', instructions }) => ({
  type: 'item_completed',
  thread_id: 'parent',
  turn_id: 'r',
  item: { type: 'EnteredReviewMode', id: 'e', target },
})

const TABLE: Case[] = [
  [
    '1: the developer’s messages',
    {},
    t => {
      t.turn('user')
      t.user([['user.text', 'Always count rakes']], { role: 'developer' })
      t.item({ type: 'message', role: 'system', content: [{ type: 'input_text', text: 'x' }] })
    },
    [],
  ],
  [
    '2: AGENTS.md and the environment',
    {},
    t => {
      t.turn('user')
      t.user([
        ['agents_md.instructions', agents],
        ['environments.environment_context', environment],
      ])
    },
    [['notice', 'high', `${agents}\n${environment}`]],
  ],
  [
    '3: the text of an aborted turn',
    {},
    t => {
      t.turn('user')
      t.user([['generic.turn_aborted', aborted]])
    },
    [['notice', 'high', aborted]],
  ],
  [
    '3b: the same in a child that nobody touched',
    child,
    t => {
      t.turn('exec')
      t.user([['generic.turn_aborted', aborted]])
    },
    [['notice', 'high', aborted]],
  ],
  [
    '4: what follows a `!`',
    {},
    t => {
      t.turn(null)
      t.event({
        type: 'item_completed',
        thread_id: t.thread,
        item: {
          type: 'CommandExecution',
          id: 'x',
          command: ['bash', '-lc', 'ls'],
          source: 'user_shell',
          exit_code: 0,
        },
      })
      t.user([['shell.user_command', shell('ls -l\n</command> notes')]])
    },
    [['person', 'medium', 'ls -l\n</command> notes']],
  ],
  [
    '5: the result of a review',
    {},
    t => {
      t.turn('user')
      t.user([
        ['unknown', '<user_action>\n  <context>User initiated a review task.</context>\n</user_action>\n'],
      ])
    },
    [
      [
        'notice',
        'high',
        '<user_action>\n  <context>User initiated a review task.</context>\n</user_action>\n',
      ],
    ],
  ],
  [
    '6: a review that a person asked for at the terminal; the reviewer’s copy is not another message',
    {},
    t => {
      t.event(review('check the rake count only'))
      t.turn(null, { turn_id: 'child' })
      t.echo('check the rake count only', { thread_id: 'the reviewer’s', turn_id: 'child' })
    },
    [['person', 'medium', 'check the rake count only']],
  ],
  [
    '6b: a review that exec asked for, and one without instructions',
    exec,
    t => {
      t.event(review('check it'))
      t.event(review(undefined, { type: 'uncommittedChanges' }))
      t.event(review(''))
      t.event(review(7))
    },
    [['launcher', 'medium', 'check it']],
  ],
  [
    '7: a subagent: user’s provenance and the root’s trigger say nothing',
    child,
    t => {
      t.turn('exec')
      t.typed('count the rakes')
      t.turn('user')
      t.typed('and the ropes')
    },
    [
      ['launcher', 'high', 'count the rakes'],
      ['launcher', 'high', 'and the ropes'],
    ],
  ],
  [
    '7b: a reviewer, told by one field alone',
    { source: { subagent: 'review' }, thread_source: undefined },
    t => {
      t.turn('user')
      t.typed('check it')
    },
    [['launcher', 'high', 'check it']],
  ],
  [
    '7c: a subagent, told by thread_source alone',
    { source: 'vscode', thread_source: 'subagent' },
    t => {
      t.turn('user')
      t.typed('check it')
    },
    [['launcher', 'high', 'check it']],
  ],
  [
    '8: exec',
    exec,
    t => {
      t.turn('exec')
      t.typed('prompt\n\n<stdin>\nrake 3\n</stdin>')
    },
    [['launcher', 'high', 'prompt\n\n<stdin>\nrake 3\n</stdin>']],
  ],
  [
    '9: typed, steered in the same turn, queued with its own',
    {},
    t => {
      t.turn('user')
      t.typed('list the tools')
      t.typed('ignore the broken rake')
      t.complete('ok')
      t.turn('user')
      t.typed('then sweep')
    },
    [
      ['person', 'high', 'list the tools'],
      ['person', 'high', 'ignore the broken rake'],
      ['person', 'high', 'then sweep'],
    ],
  ],
  [
    '8/9/10: an exec thread that is resumed at a terminal and fed by the queue: each turn says whose it is',
    exec,
    t => {
      t.turn('exec')
      t.typed('by exec')
      t.complete('ok')
      t.turn('queue')
      t.typed('by the queue')
      t.complete('ok')
      t.turn('user')
      t.typed('at the terminal')
    },
    [
      ['launcher', 'high', 'by exec'],
      ['launcher', 'medium', 'by the queue'],
      ['person', 'high', 'at the terminal'],
    ],
  ],
  [
    '11: a client of the app server, by whatever name',
    { originator: 'codex-tui', source: 'vscode', thread_source: undefined },
    t => {
      t.turn(null)
      t.typed('sent by a program')
    },
    [['unresolved', 'low', 'sent by a program']],
  ],
  [
    '11b: a trigger that is new, one of a wrong type, none at all',
    {},
    t => {
      for (const trigger of ['dream', 7, { user: true }, undefined]) {
        t.turn(trigger)
        t.typed(`by ${JSON.stringify(trigger)}`)
      }
    },
    ['"dream"', '7', '{"user":true}', 'undefined'].map(name => ['unresolved', 'low', `by ${name}`] as Told),
  ],
  [
    '12: compaction repeats earlier messages',
    {},
    t => {
      t.turn('user')
      t.typed('list the tools')
      t.complete('ok')
      t.row('compacted', {
        message: 'summary',
        replacement_history: t.rows.filter(row => row.type === 'response_item').map(row => row.payload),
      })
    },
    [['person', 'high', 'list the tools']],
  ],
  [
    'an image: its marks and its data are nobody’s words',
    exec,
    t => {
      t.turn('exec')
      t.item({
        type: 'message',
        id: 'm',
        role: 'user',
        content: [
          { type: 'input_text', text: '<image name=[Image #1] path="/x.png">' },
          { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
          { type: 'input_text', text: '</image>' },
          { type: 'input_text', text: 'what is this' },
        ],
        internal_chat_message_metadata_passthrough: {
          content_item_kinds: ['user.text', 'user.image', 'user.text', 'user.text'],
        },
      })
      t.echo('what is this')
    },
    [['launcher', 'high', 'what is this']],
  ],
  [
    'parts of several kinds in one row: the typed ones are the message',
    {},
    t => {
      t.turn('user')
      t.user([
        ['environments.environment_context', environment],
        ['user.text', 'first'],
        ['skills.injected', 'skill'],
        ['user.text', 'second'],
      ])
    },
    [['person', 'high', 'first\nsecond']],
  ],
  [
    'kinds that are unknown or missing for some parts',
    {},
    t => {
      t.turn('user')
      t.user([['unknown', 'whose?']])
      t.user([['new.kind', 'injected']])
    },
    [
      ['unresolved', 'low', 'whose?'],
      ['notice', 'high', 'injected'],
    ],
  ],
  [
    'only the event of a user’s message is left, its item’s row was torn',
    {},
    t => {
      t.turn('user')
      t.echo('list the tools')
      t.echo('without the thread’s id', { thread_id: undefined })
    },
    [
      ['person', 'high', 'list the tools'],
      ['person', 'high', 'without the thread’s id'],
    ],
  ],
  [
    'the same words typed twice in one turn are two messages',
    {},
    t => {
      t.turn('user')
      t.typed('go on')
      t.typed('go on')
      t.complete('ok')
      t.turn('user')
      t.typed('go on')
    },
    [
      ['person', 'high', 'go on'],
      ['person', 'high', 'go on'],
      ['person', 'high', 'go on'],
    ],
  ],
]

describe('Codex 0.171: the decision table', () => {
  it.each(TABLE)('row %s', (_, meta, writeRows, expected) => {
    const thread = codex(meta)
    writeRows(thread)
    expect(told(scanContent(thread.rows))).toEqual(expected)
  })
})

const LOOKALIKES = [
  aborted,
  agents,
  environment,
  shell('ls'),
  '<user_action>\n</user_action>',
  '<user_instructions>x</user_instructions>',
  '<system-reminder>x</system-reminder>',
  'prompt\n\n<stdin>\nx\n</stdin>',
  '<image name=[Image #1] path="/x">',
  '</image>',
  'Another language model started to solve this problem',
  '## My request for Codex:\nx',
]

describe('lookalikes: where parts have kinds, their text decides nothing', () => {
  it.each(LOOKALIKES)('typed by a person: %j', words => {
    const t = codex()
    t.turn('user')
    t.typed(words)
    expect(told(scanContent(t.rows))).toEqual([['person', 'high', words]])
  })

  it.each(LOOKALIKES)('sent by exec: %j', words => {
    const t = codex(exec)
    t.turn('exec')
    t.typed(words)
    expect(told(scanContent(t.rows))).toEqual([['launcher', 'high', words]])
  })

  it.each(LOOKALIKES)('0.98–0.140: real input has an event beside it: %j', words => {
    const t = codex(terminal('0.98.0'))
    oldInput(t, words)
    oldInjected(t, words)
    t.event({ type: 'token_count' })
    const label = words === shell('ls') ? 'person' : 'notice'
    const text = words === shell('ls') ? 'ls' : words
    expect(told(scanContent(t.rows))).toEqual([
      ['person', 'high', words],
      [label, 'medium', text],
    ])
  })
})

function terminal(version: string): Row {
  const isNew = version.startsWith('0.140')
  return {
    cli_version: version,
    originator: isNew ? 'codex-tui' : 'codex_cli_rs',
    source: 'cli',
    thread_source: isNew ? 'user' : undefined,
    history_mode: undefined,
  }
}

function oldInjected(t: CodexTranscript, ...texts: string[]): void {
  t.item({ type: 'message', role: 'user', content: texts.map(text => ({ type: 'input_text', text })) })
}

function oldInput(t: CodexTranscript, words: string, before = ''): void {
  oldInjected(t, before + words)
  t.event({ type: 'user_message', message: words, images: [] })
}

describe('older versions of Codex', () => {
  it.each<Case>([
    [
      '0.98 at a terminal',
      terminal('0.98.0'),
      t => {
        oldInjected(t, agents)
        oldInjected(t, environment)
        oldInput(t, 'typed in old codex')
        t.reply('ok')
        t.row('compacted', { message: 'typed in old codex' })
        oldInput(t, 'fix it', '# Context from my IDE setup:\n\n## My request for Codex:\n')
      },
      [
        ['notice', 'medium', agents],
        ['notice', 'medium', environment],
        ['person', 'high', 'typed in old codex'],
        ['person', 'high', 'fix it'],
      ],
    ],
    [
      '0.98 exec',
      { ...exec, cli_version: '0.98.0', history_mode: undefined },
      t => oldInput(t, 'by exec'),
      [['launcher', 'high', 'by exec']],
    ],
    [
      '0.140 at a terminal: one message holds AGENTS.md and the environment; a `!`',
      terminal('0.140.0'),
      t => {
        t.turn(undefined)
        oldInjected(t, agents, environment)
        oldInput(t, 'typed')
        oldInput(t, 'steered')
        oldInjected(t, aborted)
        oldInjected(t, shell('ls'))
        t.row('compacted', { message: 'x', replacement_history: [{ type: 'message', role: 'user' }] })
      },
      [
        ['notice', 'medium', `${agents}\n${environment}`],
        ['person', 'high', 'typed'],
        ['person', 'high', 'steered'],
        ['notice', 'medium', aborted],
        ['person', 'medium', 'ls'],
      ],
    ],
    [
      '0.98 in an editor, and by a program of another name',
      { ...terminal('0.98.0'), originator: 'codex_vscode', source: 'vscode' },
      t => oldInput(t, 'whose?'),
      [['unresolved', 'low', 'whose?']],
    ],
    [
      '0.140 a subagent',
      { ...terminal('0.140.0'), source: { subagent: 'review' } },
      t => oldInput(t, 'check it'),
      [['launcher', 'high', 'check it']],
    ],
    [
      'an event alone: its item’s row was torn',
      terminal('0.98.0'),
      t => t.event({ type: 'user_message', message: 'typed' }),
      [['person', 'high', 'typed']],
    ],
    [
      'an event of a wrong type takes no words for real input and loses none',
      terminal('0.98.0'),
      t => {
        oldInjected(t, environment)
        t.event({ type: 'user_message', message: 7 })
        oldInjected(t, agents)
        t.event({ type: 'user_message', message: '' })
      },
      [
        ['notice', 'medium', environment],
        ['notice', 'medium', agents],
        ['person', 'high', ''],
      ],
    ],
    [
      'the last row may be real input: nothing after it says so yet',
      terminal('0.98.0'),
      t => oldInjected(t, 'typed just now'),
      [['unresolved', 'low', 'typed just now']],
    ],
    [
      'a file whose head was lost',
      {},
      t => {
        t.rows.splice(0)
        oldInput(t, 'whose?')
      },
      [['unresolved', 'low', 'whose?']],
    ],
  ])('%s', (_, meta, writeRows, expected) => {
    const thread = codex(meta)
    writeRows(thread)
    expect(told(scanContent(thread.rows))).toEqual(expected)
  })

  it('0.20: exec and terminal write the same rows; the list of typed prompts may settle it', () => {
    const rows: Row[] = [
      { id: id(0, 0x20), timestamp: second(0), instructions: 'count', git: {} },
      { record_type: 'state' },
      { type: 'message', id: null, role: 'user', content: [{ type: 'input_text', text: environment }] },
      { type: 'message', id: null, role: 'user', content: [{ type: 'input_text', text: 'whose?' }] },
      { record_type: 'state' },
      { type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text: 'ok' }] },
    ]
    const outcome = scanContent(rows)
    expect(told(outcome)).toEqual([
      ['notice', 'medium', environment],
      ['unresolved', 'low', 'whose?'],
    ])
    expect(messageOf(outcome, 'whose?').message).toMatchObject({ session: id(0, 0x20), at: null })
  })
})

describe('rows that are not as they should be', () => {
  const WRONG: unknown[] = [null, 7, true, '', 'text', [], ['x'], {}, { a: { b: [null] } }]

  it.each(['timestamp', 'ordinal', 'type', 'payload'])('`%s` of a wrong type stops nothing', field => {
    for (const value of WRONG) {
      const t = codex()
      t.turn('user')
      t.typed('before')
      const mine = t.rows.length
      t.typed('in the middle')
      t.user([['environments.environment_context', 'injected']])
      const changed = t.rows.map((row, at) => (at >= mine ? { ...row, [field]: value } : row))
      t.rows.splice(0)
      t.typed('after')
      const words = told(scanContent([...changed, ...t.rows])).map(([label, , text]) => `${label} ${text}`)
      expect(words).toContain('person before')
      expect(words).not.toContain('person injected')
    }
  })

  const PAYLOAD = [
    'id',
    'role',
    'content',
    'internal_chat_message_metadata_passthrough',
    'turn_id',
    'item',
    'thread_id',
  ]
  it.each([
    ...PAYLOAD,
    'turn_attribution',
    'message',
    'originator',
    'source',
    'cwd',
    'parent_thread_id',
    'forked_from_id',
  ])('`payload.%s` of a wrong type stops nothing and makes no program’s words the person’s', field => {
    for (const value of WRONG) {
      const t = codex(exec)
      t.turn('exec')
      t.typed('by exec')
      t.user([['environments.environment_context', 'injected']])
      t.complete('ok')
      const rows = t.rows.map(row => ({ ...row, payload: { ...(row.payload as Row), [field]: value } }))
      const persons = told(scanContent(rows)).filter(([label]) => label === 'person')
      expect(persons, JSON.stringify(value)).toEqual([])
    }
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('ids named %s', name => {
    const t = codex({ id: name })
    t.event({
      type: 'task_started',
      turn_id: name,
      turn_attribution: { turn_id: name, turn_trigger: 'user' },
    })
    const passed = { turn_id: name, content_item_kinds: ['user.text'] }
    t.user([['user.text', 'go']], { id: name, internal_chat_message_metadata_passthrough: passed })
    t.item({ type: 'function_call', call_id: name, arguments: '{"cmd":"ls"}' })
    t.item({ type: 'function_call_output', call_id: 'valueOf', output: 'x' })
    t.item({ type: 'function_call_output', call_id: name, output: 'Process exited with code 3\n' })
    t.event({ type: 'task_complete', turn_id: name, last_agent_message: 'ok' })
    t.event({ type: 'task_started', turn_id: 'isPrototypeOf' })
    t.user([['user.text', 'whose?']], {
      internal_chat_message_metadata_passthrough: { ...passed, turn_id: 'isPrototypeOf' },
    })
    const outcome = scanContent(t.rows)
    expect(told(outcome)).toEqual([
      ['person', 'high', 'go'],
      ['unresolved', 'low', 'whose?'],
    ])
    expect(messageOf(outcome, 'go').trace).toMatchObject({
      commands: [{ command: 'ls', exit: 3 }],
      end: 'done',
    })
  })

  it('deep nesting in every place', () => {
    const deep = '['.repeat(20_000) + ']'.repeat(20_000)
    const t = codex()
    t.turn('user')
    t.typed('before')
    t.item({ type: 'function_call', call_id: 'c', arguments: `{"cmd":${deep}}` })
    t.row('world_state', 0)
    t.typed('after')
    const text = lines(t.rows).replace('"payload":0', `"payload":${deep}`)
    expect(told(scanContent(text)).map(([, , words]) => words)).toEqual(['before', 'after'])
  })

  it('the first row alone says whose thread it is, also where it states no time', () => {
    const t = codex({ timestamp: undefined })
    t.row('session_meta', { id: 'another', ...exec, timestamp: second(0) })
    t.turn('user')
    t.typed('mine')
    expect(messageOf(scanContent(t.rows), 'mine').message.session).toBe(t.thread)
  })
})
