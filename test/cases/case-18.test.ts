import { describe, expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'
import {
  type ClaudeTranscript,
  claude,
  codex,
  id,
  type Outcome,
  personsWords,
  type Row,
  scan,
  scanContent,
  second,
  told,
  write,
} from '../support/transcripts.ts'

/** Scans transcripts of one project, in the order of their names. */
function scanFiles(...files: Row[][]): Outcome {
  const root = tempFolder()
  for (const [at, rows] of files.entries()) write(root, `projects/-shed/${at}-${id(at, 0x77)}.jsonl`, rows)
  return scan([root])
}

const places = ({ messages }: Outcome) =>
  messages.map(({ message }) => [message.words, 1 + message.alsoAt.length])

/** A session of three turns. */
function session(more: Row = {}): ClaudeTranscript {
  const s = claude(more)
  for (const words of ['one', 'two', 'two']) {
    s.typed(words)
    s.reply(`to ${words}`)
    s.turnEnd()
  }
  return s
}

/** The rows as another session's file repeats them with everything but the words and the answers' ids rewritten. */
function renewed(rows: Row[], sessionId: string): Row[] {
  const uuids = new Map(rows.map((row, at) => [row.uuid, id(at, 0x3333)]))
  return rows.map(row => ({
    ...row,
    sessionId,
    uuid: uuids.get(row.uuid),
    parentUuid: uuids.get(row.parentUuid) ?? null,
    timestamp: second(10_000),
    ...(row.type === 'user'
      ? { message: { role: 'user', content: [{ type: 'text', text: (row.message as Row).content }] } }
      : {}),
  }))
}

describe('case 18: each of the person’s messages once', () => {
  test('a resumed session goes on in its file', () => {
    const s = session()
    s.typed('after resume')
    expect(personsWords(scanFiles(s.rows))).toEqual(['one', 'two', 'two', 'after resume'])
  })

  test('a fork keeps ids and times, and gets a session id and one prompt id', () => {
    const s = session()
    const copied = s.rows.map(row => ({ ...row, sessionId: 'fork', promptId: 'one for all' }))
    const fork = claude({ sessionId: 'fork' })
    fork.typed('in the fork', { timestamp: second(100) })
    for (const files of [
      [s.rows, [...copied, ...fork.rows]],
      [[...copied, ...fork.rows], s.rows],
    ]) {
      const outcome = scanFiles(...(files as [Row[], Row[]]))
      expect(places(outcome)).toEqual([
        ['one', 2],
        ['two', 2],
        ['two', 2],
        ['in the fork', 1],
      ])
    }
  })

  test('a fork made after compaction begins with the summary and the tail that was kept', () => {
    const s = session()
    const summary = { isCompactSummary: true, isVisibleInTranscriptOnly: true }
    const fork = claude({ sessionId: 'fork' })
    fork.user('This session is being continued', summary)
    const outcome = scanFiles(s.rows, [
      ...fork.rows,
      ...s.rows.slice(-3).map(row => ({ ...row, sessionId: 'fork' })),
    ])
    expect(places(outcome).toSorted()).toEqual([
      ['This session is being continued', 1],
      ['one', 1],
      ['two', 1],
      ['two', 2],
    ])
  })

  test('a copy under new ids and times, with arrays for strings', () => {
    const old = { version: '1.0.60', entrypoint: undefined }
    const s = claude(old)
    for (const words of ['one', 'two', 'two']) {
      s.user(words)
      s.reply('ok')
    }
    const outcome = scanFiles(s.rows, renewed(s.rows, 'copy'))
    expect(places(outcome)).toEqual([
      ['one', 2],
      ['two', 2],
      ['two', 2],
    ])
    expect(outcome.messages[0]?.message.session).toBe(s.session)
  })

  test('a copy of a copy, and the same file three times', () => {
    const s = session()
    const outcome = scanFiles(s.rows, renewed(s.rows, 'copy'), renewed(s.rows, 'copy 2'), s.rows, s.rows)
    expect(places(outcome)).toEqual([
      ['one', 5],
      ['two', 5],
      ['two', 5],
    ])
  })

  test('the same text typed in a session and, for real, in its fork: two messages', () => {
    const s = session()
    const copied = s.rows.map(row => ({ ...row, sessionId: 'fork' }))
    const fork = claude({ sessionId: 'fork' })
    for (const one of [s, fork]) {
      one.typed('go on', { parentUuid: s.rows.at(-1)?.uuid })
      one.reply('ok')
    }
    expect(places(scanFiles(s.rows, [...copied, ...fork.rows])).toSorted()).toEqual([
      ['go on', 1],
      ['go on', 1],
      ['one', 2],
      ['two', 2],
      ['two', 2],
    ])
  })

  test('one answer in several rows with results of tools between them: what is said between is a message of its own', () => {
    const s = claude()
    s.typed('yes')
    const answer = { id: 'msg_split', role: 'assistant', stop_reason: 'tool_use' }
    const call = (name: string) => ({ type: 'tool_use', id: name, name: 'Bash', input: { command: name } })
    const approved = (name: string) =>
      s.user(
        [
          { type: 'tool_result', tool_use_id: name, content: 'x' },
          { type: 'text', text: 'yes' },
        ],
        {
          permissionDecision: { decision: 'accept', source: 'user_temporary' },
        },
      )
    s.chain({ type: 'assistant', message: { ...answer, content: [call('a')] } })
    approved('a')
    s.chain({ type: 'assistant', message: { ...answer, content: [call('b')] } })
    approved('b')
    s.reply('done')
    const outcome = scanFiles(s.rows, renewed(s.rows.slice(0, 2), 'copy'))
    expect(places(outcome)).toEqual([
      ['yes', 2],
      ['yes', 1],
      ['yes', 1],
    ])
  })

  test('a row that is repeated with other fields beside it', () => {
    const s = session()
    const again = s.rows.map(row => ({ ...row, gitBranch: 'other', version: '2.1.400', promptId: 'x' }))
    expect(places(scanFiles([...s.rows, ...again]))).toEqual([
      ['one', 2],
      ['two', 2],
      ['two', 2],
    ])
  })

  test('a row id that two different texts carry', () => {
    const s = claude()
    s.typed('one', { uuid: 'same' })
    s.typed('two', { uuid: 'same' })
    const { messages } = scanFiles(s.rows)
    expect(messages.map(({ message }) => message.words)).toEqual(['one', 'two'])
    expect(new Set(messages.map(({ message }) => message.id)).size).toBe(2)
  })

  test('/clear: the new file is another session, and names the one before', () => {
    const s = session()
    const next = claude()
    next.user('<command-name>/clear</command-name>\n<command-args></command-args>', { rowSource: 'local' })
    next.typed('new topic')
    next.attachment({ type: 'date', date: '2026-03-01' }, { session_id: s.session })
    const outcome = scanFiles(s.rows, next.rows)
    expect(personsWords(outcome)).toHaveLength(5)
  })

  test('Codex: a fork without copies', () => {
    const t = codex()
    t.turn('user')
    t.typed('one')
    t.complete('ok')
    const fork = codex({ forked_from_id: t.thread, forked_from_ordinal_exclusive: 5 })
    fork.turn('user')
    fork.typed('one')
    expect(places(scanFiles(t.rows, fork.rows))).toEqual([
      ['one', 2],
      ['one', 2],
    ])
  })

  test('Codex, older: a fork that repeats the thread in its first moment', () => {
    const old = { cli_version: '0.98.0', originator: 'codex_cli_rs', source: 'cli', history_mode: undefined }
    const say = (t: ReturnType<typeof codex>, words: string, timestamp?: string) => {
      const at = t.rows.length
      t.item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: words }] })
      t.event({ type: 'user_message', message: words })
      if (timestamp) for (const row of t.rows.slice(at)) row.timestamp = timestamp
    }
    const t = codex(old)
    for (const words of ['one', 'two', 'two']) say(t, words)
    const fork = codex({ ...old, forked_from_id: t.thread, timestamp: second(500) })
    ;(fork.rows[0] as Row).timestamp = second(500)
    fork.rows.push({ ...(t.rows[0] as Row), timestamp: second(500) })
    for (const words of ['one', 'two', 'two']) say(fork, words, second(500))
    say(fork, 'two', second(600))
    const outcome = scanFiles(t.rows, fork.rows)
    expect(outcome.messages.map(({ message }) => [message.words, message.session])).toEqual([
      ['one', t.thread],
      ['two', t.thread],
      ['two', t.thread],
      ['two', fork.thread],
    ])
    expect(told(outcome).every(([label]) => label === 'person')).toBe(true)
  })

  test('every message has an id of its own that another scan gives it again, in whatever order', () => {
    const s = session()
    const copy = renewed(s.rows, 'copy')
    const ids = (outcome: Outcome) => outcome.messages.map(({ message }) => message.id)
    const one = ids(scanContent(s.rows))
    expect(new Set(one).size).toBe(3)
    expect(ids(scanFiles(s.rows, copy))).toEqual(one)
    expect(ids(scanFiles(copy, s.rows))).toEqual(one)
  })
})
