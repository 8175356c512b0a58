import { describe, expect, it } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'
import {
  append,
  claude,
  codex,
  id,
  lines,
  type Outcome,
  personsWords,
  type Row,
  scan,
  scanContent,
  second,
  told,
  write,
} from '../support/transcripts.ts'

/** Many enough that work which grows with the square would not end within the test's time. */
const MANY = 30_000

const human = { kind: 'human' }

function seconds(work: () => void): number {
  const start = process.hrtime.bigint()
  work()
  return Number(process.hrtime.bigint() - start) / 1e9
}

const unique = ({ messages }: Outcome) => new Set(messages.map(({ message }) => message.id)).size

describe('transcripts that somebody made to do harm', () => {
  it(`${MANY} prompts in a row, each after the one before`, () => {
    const s = claude()
    for (let at = 0; at < MANY; at++) s.typed(`prompt ${at}`)
    const outcome = scanContent(s.rows)
    expect(outcome.messages).toHaveLength(MANY)
    expect(unique(outcome)).toBe(MANY)
  })

  it(`${MANY} prompts after one row: each leaves the one before`, () => {
    const s = claude()
    for (let at = 0; at < MANY; at++) s.typed(`prompt ${at}`, { parentUuid: 'one' })
    const ends = scanContent(s.rows).messages.map(({ trace }) => trace?.end)
    expect(ends.filter(end => end === 'abandoned')).toHaveLength(MANY - 1)
  })

  it('rows that are each other’s parents', () => {
    const s = claude()
    s.typed('one', { uuid: 'a', parentUuid: 'b' })
    s.typed('two', { uuid: 'b', parentUuid: 'a' })
    s.typed('three', { uuid: 'c', parentUuid: 'c' })
    expect(personsWords(scanContent(s.rows))).toEqual(['one', 'two', 'three'])
  })

  it(`one row ${MANY} times: one message with all its places`, () => {
    const s = claude()
    s.typed('again')
    const outcome = scanContent(lines(s.rows).repeat(MANY))
    expect(outcome.messages).toHaveLength(1)
    expect(outcome.messages[0]?.message.alsoAt).toHaveLength(MANY - 1)
  })

  it(`${MANY} texts under one row id`, () => {
    const s = claude()
    for (let at = 0; at < MANY; at++) s.typed(`text ${at}`, { uuid: 'same' })
    expect(unique(scanContent(s.rows))).toBe(MANY)
  })

  it('one answer’s id under every answer, with the same words before each', () => {
    const s = claude()
    for (let at = 0; at < 2_000; at++) {
      s.typed('yes')
      s.chain({ type: 'assistant', message: { id: 'same', content: [], stop_reason: 'end_turn' } })
      s.chain({ type: 'assistant', message: { id: `other ${at}`, content: [], stop_reason: 'end_turn' } })
    }
    const outcome = scanContent(s.rows)
    expect(outcome.messages.reduce((sum, { message }) => sum + 1 + message.alsoAt.length, 0)).toBe(2_000)
  })

  it(`${MANY} words in a queue that nothing delivers, and ${MANY} prompts beside them`, () => {
    const s = claude()
    for (let at = 0; at < MANY; at++) {
      s.queue('enqueue', `waits ${at}`)
      s.queue('remove', `gone ${at}`, { reason: 'absorbed_mid_turn' })
      s.typed(`typed ${at}`, { promptSource: 'queued' })
    }
    expect(scanContent(s.rows).messages).toHaveLength(3 * MANY)
  })

  it('as many as one, while they are read on: the work is not done again', () => {
    const cacheDir = tempFolder()
    const s = claude()
    for (let at = 0; at < 5_000; at++) s.typed(`prompt ${at}`)
    const path = write(tempFolder(), 't.jsonl', s.rows)
    scan([path], { cacheDir })
    for (let at = 0; at < 5; at++) {
      const before = s.rows.length
      s.typed(`more ${at}`)
      append(path, s.rows.slice(before))
      expect(scan([path], { cacheDir }).work).toEqual({ kept: 0, resumed: 1, read: 0 })
    }
  })

  it(`a list of ${MANY} typed prompts of one text, beside as many in the transcript`, () => {
    const root = tempFolder()
    const s = claude()
    for (let at = 0; at < MANY; at++) s.typed('go on')
    write(root, 'projects/a.jsonl', s.rows)
    write(
      root,
      'history.jsonl',
      s.rows.map((_, at) => ({
        display: 'go on',
        sessionId: s.session,
        timestamp: Date.parse(second(at)) + 5,
      })),
    )
    const outcome = scan([root])
    expect(outcome.messages).toHaveLength(MANY)
    expect(outcome.messages.every(({ message }) => message.alsoAt.length === 1)).toBe(true)
  })

  it('a turn with many words given while it runs, and many commands', () => {
    const s = claude()
    s.typed('start')
    for (let at = 0; at < 500; at++) {
      s.attachment({
        ...{ type: 'queued_command', prompt: `more ${at}`, source_uuid: id(at, 0x51) },
        ...{ origin: human, humanTurn: true, commandMode: 'prompt' },
      })
      s.call('Bash', { command: `command ${at}` })
      s.result('x')
    }
    const outcome = scanContent(s.rows)
    expect(outcome.messages).toHaveLength(501)
    expect(outcome.messages[0]?.trace?.commands).toHaveLength(500)
  })

  it(`a file edited ${MANY} times under as many names`, () => {
    const s = claude()
    s.typed('start')
    for (let at = 0; at < MANY; at++) {
      s.call('Edit', { file_path: `/${at}` })
      s.result('ok')
    }
    expect(scanContent(s.rows).messages[0]?.trace?.filesEdited).toHaveLength(MANY)
  })

  it(`Codex: ${MANY} turns, calls that nothing answers, and rollbacks`, () => {
    const t = codex()
    for (let at = 0; at < MANY; at++) {
      t.turn('user')
      t.user([['user.text', `prompt ${at}`]])
      t.item({ type: 'function_call', call_id: `call ${at}`, arguments: '{"cmd":"ls"}' })
    }
    t.event({ type: 'thread_rolled_back', num_turns: 1e9 })
    for (const num_turns of [0, -1, Number.NaN, '3', null]) t.event({ type: 'thread_rolled_back', num_turns })
    const outcome = scanContent(t.rows)
    expect(outcome.messages).toHaveLength(MANY)
    expect(outcome.messages.every(({ trace }) => trace?.end === 'abandoned')).toBe(true)
  })

  it('texts that would make a careless pattern run for ever', () => {
    const texts = [
      `${'<pasted_content id="1">'.repeat(20_000)}`,
      `${' '.repeat(200_000)}<pasted_content id="1">`,
      `${'\n'.repeat(100_000)}x<pasted_content id="1">y</pasted_content id="1">`,
      `<command-name>${'<command-args>'.repeat(20_000)}`,
      `<command-name>/x</command-name>${'<command-args>'.repeat(20_000)}`,
      `<bash-input>${'</bash-input>'.repeat(20_000)}`,
      `${'\n<cross-session-message a="'.repeat(20_000)}`,
      `<cross-session-message ${'a '.repeat(100_000)}`,
      `The ${'a '.repeat(50_000)} plugin sent a message:\n${'\n\nThis is how'.repeat(20_000)}`,
      `<task-notification>\n<task-id>${'a'.repeat(200_000)}`,
      `${'[Pasted text #1 '.repeat(20_000)}`,
      `<user_shell_command>\n<command>\n${'\n</command>'.repeat(20_000)}`,
      `[${'a '.repeat(100_000)}`,
    ]
    const spent = seconds(() => {
      for (const text of texts) {
        const s = claude()
        s.typed(text)
        s.user(text, { rowSource: 'local' })
        s.user(text, { origin: { kind: 'peer' }, isMeta: true })
        s.user(text, { origin: { kind: 'plugin' } })
        s.user(text, { version: '2.0.30', entrypoint: undefined })
        s.queue('remove', text, { reason: 'absorbed_mid_turn' })
        s.call('Bash', { command: 'git x' })
        s.result(text)
        const t = codex()
        t.turn('user')
        t.user([['shell.user_command', text]])
        t.item({ type: 'custom_tool_call', call_id: 'c', input: text })
        const root = tempFolder()
        write(root, 'projects/a.jsonl', s.rows)
        write(root, 'sessions/b.jsonl', t.rows)
        write(root, 'history.jsonl', [
          { display: text, sessionId: s.session, pastedContents: { 1: { content: text } }, timestamp: 1 },
        ])
        expect(scan([root]).messages.length).toBeGreaterThan(5)
      }
    })
    // Each takes milliseconds; a pattern that backtracks takes minutes.
    expect(spent).toBeLessThan(60)
  })

  it.each([
    '../../etc/passwd',
    '/etc/passwd',
    '..\\..\\x',
    'new\nline',
    '\u001b[2J\u0007',
    '\u202eabc',
    '\0',
    'x'.repeat(100_000),
    '',
    '__proto__',
  ])('a session named %j is told as it is', name => {
    const s = claude({ sessionId: name })
    s.typed('typed')
    const root = tempFolder()
    write(root, 'projects/a.jsonl', s.rows)
    const outcome = scan([root])
    expect(outcome.messages[0]?.message).toMatchObject({ session: name, words: 'typed' })
    const t = codex({ id: name })
    t.turn('user')
    t.typed('typed')
    expect(scanContent(t.rows).messages[0]?.message.session).toBe(name)
  })

  it('times of other ages, and such as are none', () => {
    const s = claude()
    const times = [
      '0000-01-01T00:00:00Z',
      '9999-12-31T23:59:59.999Z',
      '+275760-09-13T00:00:00.000Z',
      '-000001-01-01T00:00:00Z',
      '2026-13-45T99:99:99Z',
      '2026-03-01',
      'now',
      String(2 ** 60),
      2 ** 60,
      -1,
      null,
    ]
    for (const [at, timestamp] of times.entries()) s.typed(`at ${at}`, { timestamp })
    const outcome = scanContent(s.rows)
    expect(outcome.messages.map(({ message }) => message.at).filter(Boolean)).toEqual([
      '0000-01-01T00:00:00.000Z',
      '9999-12-31T23:59:59.999Z',
    ])
    expect(outcome.messages).toHaveLength(times.length)
  })

  it('every session in one file, and one session in every file', () => {
    const rows: Row[] = []
    for (let at = 0; at < 3_000; at++) {
      const s = claude({ sessionId: `session ${at}` })
      s.typed(`typed ${at}`)
      rows.push(...s.rows)
    }
    const outcome = scanContent(rows)
    expect(unique(outcome)).toBe(3_000)
    expect(outcome.messages[2_999]?.message.session).toBe('session 2999')
  })

  it('a row with many fields, and words that look like a row', () => {
    const s = claude()
    const fields = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`f${at}`, at]))
    s.typed('many', fields)
    const row = JSON.stringify(s.rows[0])
    s.typed(`${row}\n${row}\n`)
    expect(personsWords(scanContent(s.rows))).toEqual(['many', `${row}\n${row}\n`])
  })

  it('keys twice in one row: the last one counts, as for every reader', () => {
    const s = claude()
    s.typed('typed')
    const text = lines(s.rows).replace(
      '"promptSource":"typed"',
      '"promptSource":"typed","promptSource":"sdk"',
    )
    expect(told(scanContent(text))).toEqual([['unresolved', 'low', 'typed']])
  })

  it('a row that says it is of both programs', () => {
    const s = claude()
    s.typed('typed', { payload: { type: 'message', role: 'user' } })
    const t = codex()
    t.turn('user')
    t.typed('typed in codex')
    for (const row of t.rows) row.sessionId = 'x'
    expect(personsWords(scanContent(s.rows))).toEqual(['typed'])
    expect(personsWords(scanContent(t.rows))).toEqual(['typed in codex'])
  })

  it('many files', () => {
    const root = tempFolder()
    for (let at = 0; at < 1_500; at++) {
      const s = claude()
      s.typed(`typed ${at}`)
      write(root, `projects/${at % 50}/${at}.jsonl`, s.rows)
    }
    expect(unique(scan([root]))).toBe(1_500)
  })
})
