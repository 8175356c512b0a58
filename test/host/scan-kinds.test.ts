import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { gate } from './support/gate.ts'
import { messagesApi } from './support/messages-api.ts'
import { call } from './support/model-script.ts'
import { pluginDir } from './support/plugin-dir.ts'
import { newProfile } from './support/profile.ts'
import {
  inShort,
  plainPrompts,
  scan,
  transcripts,
  waitForWords,
  wordsIn,
  written,
} from './support/scanning.ts'
import {
  type InteractiveSession,
  interactive,
  print,
  type SessionOptions,
  stream,
} from './support/session.ts'
import { waitFor } from './support/wait-for.ts'

async function bench() {
  const api = await messagesApi()
  return { profile: newProfile({ api }), ...plainPrompts(api) }
}

/** A session at a terminal that asks before tools run. */
function atTerminal(options: SessionOptions) {
  return interactive({ permissionMode: 'manual', rows: 50, ...options })
}

const bash = (command: string) => call('Bash', { command, description: 'd' })

const LINES = Array.from({ length: 8 }, (_, n) => `line ${n}`).join('\n')

describe('a tool that asks for permission', () => {
  const asked = async (session: InteractiveSession, prompt: string) => {
    await session.submit(prompt)
    await session.waitForScreen(/❯ 1\. Yes/)
    await session.dialogTakesKeys()
  }

  test('rule.personsWords: the reason of a denial and the note on an approval are the person’s; No and Esc are none', async () => {
    const { profile, means } = await bench()
    const session = await atTerminal({ profile })
    await asked(session, means('first', bash('touch 1')))
    await session.moveTo(/❯ 4\. No/)
    session.press('tab')
    await session.waitForScreen(/❯ 4\. No, /)
    await session.write('not  this “file”, please')
    session.press('enter')
    await written(profile, 'done: The user doesn')
    await session.idle()

    await asked(session, means('second', bash('touch 2')))
    session.press('tab')
    await session.waitForScreen(/❯ 1\. Yes, and tell/)
    await session.write('use two spaces')
    session.press('enter')
    await written(profile, 'done: (Bash completed')
    await session.idle()

    await asked(session, means('third', bash('touch 3')))
    await session.moveTo(/❯ 4\. No/)
    session.press('enter')
    await session.waitForScreen(/touch 3\n.*Interrupted/)
    await session.idle()

    await asked(session, means('fourth', bash('touch 4')))
    session.press('escape')
    await session.waitForScreen(/touch 4\n.*Interrupted/)
    await session.idle()
    await session.submit('fifth')
    expect(await waitForWords(profile, 'person/high/typed: fifth')).toEqual([
      'person/high/typed: first',
      'person/high/denial_reason: not  this “file”, please',
      'person/high/typed: second',
      'person/medium/approval_note: use two spaces',
      'person/high/typed: third',
      'person/high/typed: fourth',
      'person/high/typed: fifth',
    ])
    const ends = scan([profile]).messages.flatMap(({ words, end }) => (end === 'interrupted' ? [words] : []))
    expect(ends).toEqual(['third', 'fourth'])
  })

  test('rule.personsWords: a denial by a setting holds nobody’s words', async () => {
    const { profile, means } = await bench()
    await print(means('asks', bash('touch 1')), { profile, permissionMode: 'manual' })
    await print(means('is refused', bash('touch 1')), { profile, disallowedTools: ['Bash(touch:*)'] })
    const rows = transcripts(profile).map(file => readFileSync(file, 'utf8'))
    expect(rows.join('')).toContain('"toolDenialKind":"user-rejected"')
    expect(wordsIn(profile)).toEqual([
      'launcher/high/sdk_prompt: asks',
      'launcher/high/sdk_prompt: is refused',
    ])
  })
})

describe('questions of the model', () => {
  const options = (...labels: string[]) => labels.map(label => ({ label, description: `the ${label}` }))
  const question = (text: string, multiSelect: boolean, ...labels: string[]) => ({
    question: text,
    header: 'H',
    multiSelect,
    options: options(...labels),
  })
  const asked = async (session: InteractiveSession, prompt: string) => {
    await session.submit(prompt)
    await session.waitForScreen('Enter to select')
    await session.dialogTakesKeys()
  }
  const ask = (...questions: object[]) => call('AskUserQuestion', { questions })

  test('rule.personsWords: what was chosen and what was typed are told apart, each verbatim', async () => {
    const { profile, means } = await bench()
    const session = await atTerminal({ profile })
    await asked(
      session,
      means(
        'ask',
        ask(question('One?', false, 'Red', 'Blue'), question('More?', true, 'A', 'B, C', 'say "x"')),
      ),
    )
    await session.moveTo(/❯ 3\. Type/)
    await session.write('mine, "quoted"')
    session.press('enter')
    await session.waitForScreen(/^More\?/m)
    await session.dialogTakesKeys()
    session.press('enter')
    await session.waitForScreen('1. [✔]')
    await session.moveTo(/❯ 3\./)
    session.press('enter')
    await session.waitForScreen('3. [✔]')
    await session.moveTo(/❯ 4\./)
    await session.write('and "one" \\ more, typed')
    await session.moveTo(/❯ +Submit/)
    session.press('enter')
    await session.waitForScreen('❯ 1. Submit answers')
    await session.dialogTakesKeys()
    session.press('enter')
    await written(profile, 'done: The user answered')
    expect(wordsIn(profile)).toEqual([
      'person/high/typed: ask',
      'person/high/question_answer: mine, "quoted"',
      'person/medium/question_answer_choice: A, "say \\"x\\""',
      'person/high/question_answer: and "one" \\ more, typed',
    ])
  })

  test('rule.personsWords: an option alone is a choice; a note alone is the note; Esc and Chat say nothing', async () => {
    const { profile, means } = await bench()
    const session = await atTerminal({ profile })
    await asked(session, means('ask one', ask(question('One?', false, 'Red', 'Blue'))))
    session.press('enter')
    await written(profile, 'done: Your questions')
    await session.idle()

    const previews = options('Red', 'Blue').map(one => ({ ...one, preview: `${one.label} as it looks` }))
    await asked(session, means('ask two', ask({ ...question('Two?', false), options: previews })))
    session.type('n')
    await session.waitForScreen(/Notes: (?!press n)/)
    await session.write('a note, no choice')
    session.press('enter')
    await written(profile, 'done: The user answered')
    await session.idle()

    await asked(session, means('ask three', ask(question('Three?', false, 'Red', 'Blue'))))
    session.press('escape')
    await session.waitForScreen(/Three\?[\s\S]*\n❯ *\n/)
    await session.idle()

    await asked(session, means('ask four', ask(question('Four?', false, 'Red', 'Blue'))))
    await session.moveTo(/❯ 4\. Chat/)
    session.press('enter')
    await written(profile, 'done: The user doesn')
    expect(wordsIn(profile)).toEqual([
      'person/high/typed: ask one',
      'person/medium/question_answer_choice: Red',
      'person/high/typed: ask two',
      'person/medium/question_note: a note, no choice',
      'person/high/typed: ask three',
      'person/high/typed: ask four',
    ])
  })

  test('rule.personsWords: words on a plan, turned down and approved', async () => {
    const { profile, means } = await bench()
    const session = await atTerminal({ profile })
    await session.submit('/plan')
    await session.waitForScreen('plan mode on')
    await session.submit('begin')
    await written(profile, 'planFilePath')
    await session.idle()
    const [file] = transcripts(profile)
    const plan = /"planFilePath":"([^"]+)"/.exec(readFileSync(file as string, 'utf8'))?.[1] as string
    mkdirSync(dirname(plan), { recursive: true })
    writeFileSync(plan, '# Plan\n\n1. do it\n')
    const planned = async (prompt: string, words: string) => {
      await session.submit(means(prompt, call('ExitPlanMode')))
      await session.waitForScreen('Would you like to proceed?')
      await session.dialogTakesKeys()
      await session.moveTo(/❯ 3\. Tell Claude/)
      await session.write(words)
    }
    await planned('plan it', 'shorter: one step')
    session.press('enter')
    await written(profile, 'done: The user doesn')
    await session.idle()
    await planned('plan again', 'fine, but be quick')
    session.press('shift+tab')
    await written(profile, 'done: User has approved')
    expect(wordsIn(profile)).toEqual([
      'person/medium/slash_command: /plan',
      'person/high/typed: begin',
      'person/high/typed: plan it',
      'person/high/denial_reason: shorter: one step',
      'person/high/typed: plan again',
      'person/medium/approval_note: fine, but be quick',
    ])
  })
})

describe('what is pasted', () => {
  test('rule.personsWords: the words are what was typed around it, exactly; the list of prompts adds none', async () => {
    const { profile } = await bench()
    const session = await atTerminal({ profile })
    const sent = async (words: string) => {
      session.press('enter')
      await waitForWords(profile, words)
      await session.idle()
    }
    await session.write('Look at this: ')
    await session.paste(LINES, /Pasted text #1/)
    await sent('person/high/typed: Look at this: ')

    await session.write('Before')
    await session.paste(LINES, /Pasted text #2/)
    await session.write('  between ')
    await session.paste(`\n\n  ${LINES}\n`, /Pasted text #3/)
    await session.write(' after')
    await sent('person/high/typed: Before\n  between \n after')

    await session.paste(LINES, /Pasted text #4/)
    await sent(`person/medium/pasted: ${LINES}`)

    await session.write('short: ')
    await session.paste('one line', 'short: one line')
    await sent('person/high/typed: short: one line')

    const png = join(profile.cwd, 'dot.png')
    writeFileSync(
      png,
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    )
    await session.write('see ')
    await session.paste(png, /\[Image #\d\]/)
    await session.write(' there')
    await sent('person/high/typed: see [Image #5] there')
    expect(wordsIn(profile)).toHaveLength(5)
  })
})

describe('the queue', () => {
  test('rule.personsWords: typed while a turn runs, pasted, taken back, sent again changed', async () => {
    const { profile, means, hold } = await bench()
    const session = await atTerminal({ profile, allowedTools: ['Bash'] })
    const letGo = hold()
    await session.submit(means('work', bash('echo 1'), bash('echo 2')))
    await session.waitForScreen('esc to interrupt')
    const queue = async (text: string) => {
      await session.write(text)
      session.press('enter')
      await written(profile, `"operation":"enqueue"`)
      await session.waitForScreen(/❯ Press up to edit|❯ *\n/)
    }
    await queue('taken back')
    session.press('up')
    await session.waitForScreen(/❯ taken back\n─/)
    session.press('ctrl+u')
    await session.waitForScreen(/❯ *\n─/)
    await queue('as it was')
    session.press('up')
    await session.waitForScreen(/❯ as it was\n─/)
    session.press('enter')
    await session.waitForScreen(/❯ Press up to edit/)
    await session.write('mid paste: ')
    await session.paste(LINES, /Pasted text #1/)
    session.press('enter')
    await written(profile, 'mid paste: ')
    letGo()
    await written(profile, 'done: 2')
    expect(await waitForWords(profile)).toEqual([
      'person/high/typed: work',
      'person/medium/queued_taken_back: taken back',
      'person/high/queued_mid_turn: as it was',
      'person/high/queued_mid_turn: mid paste: ',
    ])
    const { messages } = scan([profile])
    const places = (words: string) => {
      const found = messages.find(message => message.words === words)
      return found && { end: found.end, places: 1 + found.alsoAt.length }
    }
    expect(places('taken back')).toEqual({ end: 'abandoned', places: 2 })
    // Put in, taken back, put in, taken out, delivered, listed.
    expect(places('as it was')).toEqual({ end: 'done', places: 6 })
  })

  test('rule.everyDirectionTraced: what waited together is answered in one turn; a queued ! is one message', async () => {
    const { profile, means, hold } = await bench()
    const session = await atTerminal({ profile })
    const letGo = hold()
    await session.submit(means('talk'))
    await session.waitForScreen('esc to interrupt')
    for (const [mode, words] of [
      ['', 'one'],
      ['', 'two'],
      ['!', 'echo three'],
      ['', 'four'],
    ] as const) {
      session.type(mode)
      await session.write(words)
      session.press('enter')
      await written(profile, `"content":"${words}"`)
    }
    letGo()
    await waitForWords(profile, 'person/high/queued: four')
    await session.idle()
    const { messages } = scan([profile])
    expect(messages.filter(one => one.label !== 'notice').map(one => `${inShort(one)}, ${one.end}`)).toEqual([
      'person/high/typed: talk, done',
      'person/high/queued: one, done',
      'person/high/queued: two, done',
      'person/medium/bash_input: echo three, done',
      'person/high/queued: four, done',
    ])
  })
})

describe('going back', () => {
  test('rule.everyDirectionTraced: a rewind, a summary with words for it, /compact, a fork: each word once', async () => {
    const { profile } = await bench()
    const session = await atTerminal({ profile })
    const say = async (words: string) => {
      await session.submit(words)
      await waitForWords(profile, `person/high/typed: ${words}`)
      await session.idle()
    }
    const rewind = async () => {
      await session.pressUntil('escape', /Enter to continue/)
      await session.dialogTakesKeys()
      session.press('up')
      await session.waitForScreen(
        lines => !lines.some(line => /❯ \(current\)/.test(line)),
        'a prompt to go back to',
      )
      session.press('enter')
      await session.waitForScreen(/❯ 1\. Restore/)
      await session.dialogTakesKeys()
    }
    await say('one')
    await say('two')
    await rewind()
    session.press('enter')
    await session.waitForScreen(/❯ two\n─/)
    await session.write(', changed')
    session.press('enter')
    await waitForWords(profile, 'person/high/typed: two, changed')
    await session.idle()

    await say('three')
    await rewind()
    await session.moveTo(/❯ 2\. Summarize from here/)
    await session.write('mind the colours')
    session.press('enter')
    await waitForWords(profile, 'person/medium/summary_context: mind the colours')
    await session.waitForScreen(/❯ three\n─/)
    session.press('ctrl+u')
    await session.waitForScreen(/❯ *\n─/)

    await session.submit('/compact keep the numbers')
    await waitForWords(profile, 'person/medium/slash_command: /compact keep the numbers')
    await session.idle()
    await say('four')
    expect(await session.end()).toBe(0)
    const before = wordsIn(profile)
    expect(before).toEqual([
      'person/high/typed: one',
      'person/high/typed: two',
      'person/high/typed: two, changed',
      'person/high/typed: three',
      'person/medium/summary_context: mind the colours',
      'person/medium/slash_command: /compact keep the numbers',
      'person/high/typed: four',
      'person/medium/history_only: /exit',
    ])
    const abandoned = scan([profile]).messages.filter(one => one.end === 'abandoned')
    expect(abandoned.map(one => one.words)).toEqual(['two'])

    const [file] = transcripts(profile)
    const resume = JSON.parse(readFileSync(file as string, 'utf8').split('\n')[0] as string).sessionId
    const fork = await atTerminal({ profile, resume, fork: true })
    await fork.submit('in the fork')
    expect(await waitForWords(profile, 'person/high/typed: in the fork')).toEqual([
      ...before,
      'person/high/typed: in the fork',
    ])
    expect(transcripts(profile)).toHaveLength(2)
  })
})

describe('what changes or stops a prompt', () => {
  test('rule.personsWords: a hook blocks it: the person’s at a terminal, a launcher’s without one', async () => {
    const { profile } = await bench()
    const hook = join(profile.dir, 'hook.sh')
    writeFileSync(
      hook,
      '#!/bin/sh\nif grep -q forbidden; then echo "Original prompt: no such word" >&2; exit 2; fi\n',
      { mode: 0o755 },
    )
    const settings = { hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command: hook }] }] } }
    const session = await atTerminal({ profile, settings })
    await session.write('forbidden: ')
    await session.paste(LINES, /Pasted text #1/)
    session.press('enter')
    await written(profile, 'blocked_by_hook')
    await print('forbidden too', { profile, settings })
    expect(wordsIn(profile)).toEqual([
      'person/medium/blocked_prompt: forbidden: ',
      'launcher/medium/blocked_prompt: forbidden too',
    ])
  })

  test('rule.personsWords: a mod rewrites it, idle and while a turn runs: unresolved', async () => {
    const { profile, means, hold } = await bench()
    const rewriter = pluginDir({
      name: 'rewriter',
      module: `export function register(on) {
  on('session.start', async ($, e, next) => {
    $.ui.status('rewriter is here')
    return next(e)
  })
  on('prompt.submit', ($, e, next) => next({ ...e, text: e.text.replace('mine', 'the mod’s') }))
}`,
    })
    const session = await atTerminal({ profile, pluginDirs: [rewriter], allowedTools: ['Bash'] })
    await session.waitForScreen('rewriter is here')
    await session.submit('these are mine')
    await waitForWords(profile, 'unresolved/high/typed_rewritten: these are the mod’s')
    await session.idle()
    const letGo = hold()
    await session.submit(means('work', bash('echo 1')))
    await session.waitForScreen('esc to interrupt')
    await session.write('mine too')
    session.press('enter')
    await written(profile, '"operation":"enqueue"')
    letGo()
    expect(await waitForWords(profile, 'unresolved/high/typed_rewritten: the mod’s too')).toEqual([
      'unresolved/high/typed_rewritten: these are the mod’s',
      'person/high/typed: work',
      'unresolved/high/typed_rewritten: the mod’s too',
    ])
  })

  test('rule.personsWords: a prompt on the command line of a session at a terminal looks typed', async () => {
    const { profile } = await bench()
    await atTerminal({ profile, args: ['on the command line'] })
    await waitForWords(profile, 'person/high/typed: on the command line')
  })
})

describe('a person and the agents of their session', () => {
  const agent = (prompt: string, run_in_background: boolean) =>
    call('Agent', { description: 'a', subagent_type: 'general-purpose', prompt, run_in_background })

  test('rule.personsWords: a denial with a reason of what an agent wants, a note on what it may', async () => {
    const { profile, means } = await bench()
    const session = await atTerminal({ profile })
    const asked = async () => {
      await session.waitForScreen(/from the general-purpose agent[\s\S]*❯ 1\. Yes/)
      await session.dialogTakesKeys()
    }
    const brief = means('the brief', bash('touch 1'), bash('touch 2'))
    await session.submit(means('begin', agent(brief, true)))
    await asked()
    await session.moveTo(/❯ 4\. No/)
    session.press('tab')
    await session.waitForScreen(/❯ 4\. No, /)
    await session.write('not the first')
    session.press('enter')
    await written(profile, 'not the first')
    await session.waitForScreen(/touch 2[\s\S]*❯ 1\. Yes/)
    await session.dialogTakesKeys()
    session.press('tab')
    await session.waitForScreen(/❯ 1\. Yes, and tell/)
    await session.write('the second, gently')
    session.press('enter')
    expect(await waitForWords(profile, 'person/medium/approval_note: the second, gently')).toEqual([
      'person/high/typed: begin',
      'launcher/high/subagent_prompt_by_parent_model: the brief',
      'person/high/denial_reason: not the first',
      'person/medium/approval_note: the second, gently',
    ])
  })

  test('rule.personsWords: what they type to an agent that runs, and to one that has ended', async () => {
    const { profile, means } = await bench()
    const session = await atTerminal({ profile, allowedTools: ['Bash'] })
    const { command, open } = gate()
    const steps = Array.from({ length: 4 }, (_, n) => bash(`${command}; echo step ${n}`))
    await session.submit(means('begin', agent(means('the brief', ...steps), true)))
    await session.waitForScreen(/◯ general-purpose/)
    await session.moveTo(/❯ ◯ general-purpose/)
    session.press('enter')
    await session.waitForScreen('Message @general-purpose')
    await session.write('while it runs')
    session.press('enter')
    // Its input line is empty again.
    await session.waitForScreen('Message @general-purpose')
    open()
    await waitForWords(profile, 'person/medium/typed_to_agent: while it runs')
    await written(profile, 'done: step 3')
    await session.write('when it has ended')
    session.press('enter')
    await waitForWords(profile, 'person/medium/typed_to_agent: when it has ended')
    // The host's notes of it, one of which no row shows, are nobody's.
    await waitFor(() => !wordsIn(profile).join('').includes('<task-notification>'), {
      what: 'the notes to be delivered',
    })
    expect(wordsIn(profile)).toEqual([
      'person/high/typed: begin',
      'launcher/high/subagent_prompt_by_parent_model: the brief',
      'person/medium/typed_to_agent: while it runs',
      'person/medium/typed_to_agent: when it has ended',
    ])
  })
})

describe('a program in the place of a person', () => {
  test('rule.personsWords: what it answers to dialogs is not known to be a person’s', async () => {
    const { profile, means } = await bench()
    const program = await stream({
      profile,
      permissionMode: 'manual',
      args: ['--permission-prompt-tool', 'stdio'],
    })
    const questions = [
      {
        question: 'Q?',
        header: 'H',
        multiSelect: false,
        options: ['A', 'B'].map(label => ({ label, description: label })),
      },
    ]
    program.send(means('begin', bash('touch 1'), call('AskUserQuestion', { questions })))
    const asks = (tool: string) =>
      program.waitForEvent(
        event => event.type === 'control_request' && event.request.tool_name === tool,
        `the dialog of ${tool}`,
      )
    program.answer(await asks('Bash'), { behavior: 'deny', message: 'not now' })
    const question = await asks('AskUserQuestion')
    const updatedInput = { ...question.request.input, answers: { 'Q?': 'neither' } }
    program.answer(question, { behavior: 'allow', updatedInput })
    await program.waitForEvent(event => event.type === 'result', 'the result')
    expect(wordsIn(profile)).toEqual([
      'launcher/high/sdk_prompt: begin',
      'unresolved/low/denial_reason: not now',
      'unresolved/low/question_answer: neither',
    ])
  })

  test('rule.personsWords: what it claims does not make its prompts a person’s', async () => {
    const { profile } = await bench()
    const program = await stream({ profile })
    const send = async (words: string, claims: object = {}) => {
      const before = program.results().length
      program.send(words, claims)
      await waitFor(() => program.results().length > before, { what: `the answer to ${words}` })
    }
    await send('plain')
    await send('from a human', { origin: { kind: 'human' }, promptSource: 'typed', turnOrigin: 'human' })
    await send('from a peer', { origin: { kind: 'peer', from: 'uds:/x', name: 'x', body: 'other words' } })
    await send('from a mod', { origin: { kind: 'plugin', name: 'x', asUser: true } })
    await send('from itself', { isSynthetic: true })
    await program.end()
    const app = await stream({ profile, env: { CLAUDE_CODE_ENTRYPOINT: 'claude-vscode' } })
    await app.ask('by an app')
    await app.end()
    expect(scan([profile]).messages.map(inShort)).toEqual([
      'launcher/high/sdk_prompt: plain',
      'unresolved/low/sdk_claims_human: from a human',
      'launcher/high/sdk_prompt: from a peer',
      'launcher/high/sdk_prompt: from a mod',
      'notice/high/host_text: [MESSAGE FROM NON-USER SOURCE - NOT USER INPUT]\nfrom itself',
      'unresolved/low/sdk_prompt_app_entrypoint: by an app',
    ])
  })

  test('rule.personsWords: messages between a session and its agents', async () => {
    const { profile, means } = await bench()
    const session = await stream({ profile, allowedTools: ['Agent', 'SendMessage', 'Bash'] })
    const { command, open } = gate()
    const brief = means(
      'the brief',
      bash(command),
      call('SendMessage', { to: 'main', summary: 's', message: 'a report' }),
    )
    const agent = { description: 'a', subagent_type: 'general-purpose', name: 'worker', prompt: brief }
    const send = (message: string) => call('SendMessage', { to: 'worker', summary: 's', message })
    await session.ask(
      means('begin', call('Agent', { ...agent, run_in_background: true }), send('while it runs')),
    )
    open()
    await written(profile, 'Agent \\"a\\" finished')
    await session.ask(means('go on', send('when it is done')))
    await waitForWords(profile, 'launcher/high/coordinator_message: when it is done')
    // Its second notification waits in the queue for a moment.
    await waitFor(() => !wordsIn(profile).join('').includes('<task-notification>'), {
      what: 'the notification to be delivered',
    })
    expect(wordsIn(profile)).toEqual([
      'launcher/high/sdk_prompt: begin',
      'launcher/high/subagent_prompt_by_parent_model: the brief',
      'launcher/high/coordinator_message: while it runs',
      'peer/high/agent_message: a report',
      'launcher/high/sdk_prompt: go on',
      'launcher/high/coordinator_message: when it is done',
    ])
  })
})
