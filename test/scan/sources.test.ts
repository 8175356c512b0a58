import { spawnSync } from 'node:child_process'
import { chmodSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Problem } from '../../src/problem/problem.ts'
import { bundledScan } from '../support/scan-process.ts'
import { tempFolder } from '../support/temp-folder.ts'
import {
  type ClaudeTranscript,
  claude,
  codex,
  id,
  lines,
  messageOf,
  type Outcome,
  personsWords,
  type Row,
  scan,
  second,
  told,
  write,
} from '../support/transcripts.ts'
import { withoutRootRights } from '../support/without-root-rights.ts'

const reasons = ({ exclusions }: Outcome) =>
  exclusions
    .map(({ file, line, reason }): [string, number | null, string] => [
      file.split('/').at(-1) ?? '',
      line,
      reason,
    ])
    .sort((a, b) => (a[0] === b[0] ? (a[1] ?? 0) - (b[1] ?? 0) : a[0] < b[0] ? -1 : 1))

/** A session of one typed prompt. */
function one(words: string, more: Row = {}): ClaudeTranscript {
  const s = claude(more)
  s.typed(words)
  s.reply('ok')
  return s
}

const process = bundledScan()

describe('where transcripts are found', () => {
  it('a program’s own folder: projects with subagents and workflows, sessions by date, archived ones', () => {
    const root = tempFolder()
    const s = one('typed')
    write(root, `projects/-a/${s.session}.jsonl`, s.rows)
    const agent = { isSidechain: true, parentUuid: null, agentId: 'a1', rowSource: 'recorded' }
    for (const [at, path] of [
      'subagents/agent-a1.jsonl',
      'subagents/workflows/wf_1/agent-a2.jsonl',
    ].entries()) {
      const a = claude({ sessionId: s.session })
      a.user(`agent ${at}`, agent)
      write(root, `projects/-a/${s.session}/${path}`, a.rows)
    }
    write(root, `projects/-a/${s.session}/subagents/agent-a1.meta.json`, '{}')
    write(root, 'projects/-a/agent-0e9d37ef.jsonl', one('beside').rows)
    write(root, 'settings.json', '{}')
    write(root, 'todos/x.jsonl', one('not a transcript').rows)
    const outcome = scan([root])
    expect(told(outcome).map(([label, , words]) => `${label} ${words}`)).toEqual([
      'person typed',
      'launcher agent 0',
      'launcher agent 1',
      'person beside',
    ])
    expect(reasons(outcome)).toEqual([
      ['agent-a1.meta.json', null, 'not named like a transcript (.jsonl, .jsonl.zst)'],
    ])
  })

  it('any folder, a folder of a project, one file, with roots that hold each other named in any number', () => {
    const root = tempFolder()
    const path = write(root, 'projects/-a/x.jsonl', one('typed').rows)
    const link = join(tempFolder(), 'link')
    symlinkSync(root, link)
    for (const roots of [
      [root],
      [join(root, 'projects')],
      [join(root, 'projects/-a')],
      [path],
      [root, root, `${root}/`, join(root, 'projects'), path, link, join(root, '.', 'projects', '..')],
    ]) {
      const outcome = scan(roots)
      expect(personsWords(outcome), roots.join()).toEqual(['typed'])
      expect(outcome.sources.map(({ file }) => file)).toEqual([path])
      expect(outcome.messages[0]?.message.alsoAt).toEqual([])
    }
  })

  it('a file under two names is one message at two places', () => {
    const root = tempFolder()
    const path = write(root, 'a.jsonl', one('typed').rows)
    linkSync(path, join(root, 'b.jsonl'))
    expect(scan([root]).messages.map(({ message }) => message.alsoAt.length)).toEqual([1])
  })

  it('a root that is not there is a problem that names it', () => {
    expect(() => scan([join(tempFolder(), 'nothing')])).toThrow(Problem)
  })

  it('a program’s folder of transcripts behind a link of its own', () => {
    const root = tempFolder()
    const elsewhere = tempFolder()
    write(elsewhere, '-a/x.jsonl', one('typed').rows)
    symlinkSync(elsewhere, join(root, 'projects'))
    expect(personsWords(scan([root]))).toEqual(['typed'])
  })

  it('names that are strange', () => {
    const root = tempFolder()
    for (const name of ['ż 🪣', 'new\nline', '-rf', '..x', '\u001b[2J', '__proto__', 'a'.repeat(200)])
      write(root, `projects/${name}/${name}.jsonl`, one(name).rows)
    expect(scan([root]).messages).toHaveLength(7)
  })
})

describe('what is passed over is named, with its reason', () => {
  it('links, FIFOs, other files; nothing outside the roots is read and nothing hangs', () => {
    const root = tempFolder()
    const outside = write(tempFolder(), 'outside.jsonl', one('outside').rows)
    const folder = join(root, 'projects/-a')
    mkdirSync(folder, { recursive: true })
    symlinkSync(outside, join(folder, 'link.jsonl'))
    symlinkSync(join(outside, '..'), join(folder, 'folder-link'))
    symlinkSync('loop', join(folder, 'loop'))
    symlinkSync('nothing', join(folder, 'dangling.jsonl'))
    expect(spawnSync('mkfifo', [join(folder, 'pipe.jsonl')]).status).toBe(0)
    mkdirSync(join(folder, 'folder.jsonl'))
    write(folder, 'notes.txt', 'x')
    write(folder, 'good.jsonl', one('good').rows)
    const outcome = scan([root])
    expect(personsWords(outcome)).toEqual(['good'])
    const link = 'a link; name what it leads to'
    expect(reasons(outcome)).toEqual([
      ['dangling.jsonl', null, link],
      ['folder-link', null, link],
      ['link.jsonl', null, link],
      ['loop', null, link],
      ['notes.txt', null, 'not named like a transcript (.jsonl, .jsonl.zst)'],
      ['pipe.jsonl', null, 'not a regular file'],
    ])
  })

  it('a FIFO, a device and a socket as roots', () => {
    const pipe = join(tempFolder(), 'pipe.jsonl')
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0)
    for (const root of [pipe, '/dev/null', '/dev/zero'])
      expect(reasons(scan([root]))).toEqual([[root.split('/').at(-1), null, 'not a regular file']])
  })

  it('a FIFO behind the history’s name', () => {
    const root = tempFolder()
    write(root, 'projects/-a/x.jsonl', one('typed').rows)
    expect(spawnSync('mkfifo', [join(root, 'history.jsonl')]).status).toBe(0)
    expect(personsWords(scan([root]))).toEqual(['typed'])
  })

  it('files that are no transcripts', () => {
    const root = tempFolder()
    write(root, 'projects/a.jsonl', '{"event":"x"}\n{"event":"y"}\n')
    write(root, 'projects/b.jsonl', '')
    write(root, 'projects/c.jsonl', 'plain text\n')
    write(root, 'projects/d.jsonl', Buffer.from([0xff, 0xfe, 10, 0, 10]))
    write(root, 'projects/good.jsonl', one('good').rows)
    const outcome = scan([root])
    expect(personsWords(outcome)).toEqual(['good'])
    const none = 'not a transcript of Claude Code or Codex'
    expect(reasons(outcome)).toEqual([
      ['a.jsonl', null, none],
      ['b.jsonl', null, 'empty'],
      ['c.jsonl', null, none],
      ['d.jsonl', null, none],
    ])
  })

  it('a transcript that begins with rows of a kind that is not known', () => {
    const root = tempFolder()
    write(root, 'projects/a.jsonl', [{ type: 'a-new-kind', x: 1 }, {}, ...one('typed').rows])
    write(root, 'sessions/b.jsonl', [{ type: 'a-new-kind', payload: {} }, ...codexOf('typed too')])
    expect(personsWords(scan([root])).sort()).toEqual(['typed', 'typed too'])
  })

  it('files and folders that may not be read: the others are read, and these are named', async () => {
    const root = tempFolder()
    write(root, 'projects/-a/good.jsonl', one('good').rows)
    write(root, 'projects/-b/x.jsonl', one('in a closed folder').rows)
    const closed = write(root, 'projects/-a/closed.jsonl', one('closed').rows)
    chmodSync(closed, 0o000)
    chmodSync(join(root, 'projects/-b'), 0o000)
    const { code, stdout, stderr } = await process.run([root], tempFolder(), withoutRootRights).ended
    expect(code, stderr).toBe(0)
    const { words, exclusions } = JSON.parse(stdout)
    expect(words).toEqual(['good'])
    expect(exclusions.map(({ file, reason }: Row) => [String(file).split('/').at(-1), reason])).toEqual([
      ['-b', 'cannot be read: EACCES'],
      ['closed.jsonl', 'cannot be read: EACCES'],
    ])
  })
})

function codexOf(...words: string[]): Row[] {
  const t = codex()
  t.turn('user')
  for (const one of words) t.typed(one)
  return t.rows
}

describe('a project and a period', () => {
  it('a project: its sessions and those below it, however it is written', () => {
    const root = tempFolder()
    for (const [name, cwd] of [
      ['a', '/home/shed'],
      ['b', '/home/shed/tools'],
      ['c', '/home/shed2'],
      ['d', undefined],
      ['e', '/home'],
    ])
      write(root, `projects/${name}.jsonl`, one(String(name), { cwd }).rows)
    for (const project of ['/home/shed', '/home/shed/']) {
      const outcome = scan([root], { project })
      expect(personsWords(outcome)).toEqual(['a', 'b'])
      expect(reasons(outcome)).toEqual([
        ['c.jsonl', null, 'another project'],
        ['d.jsonl', null, 'it names no project'],
        ['e.jsonl', null, 'another project'],
      ])
    }
    expect(personsWords(scan([root], { project: '/' }))).toEqual(['a', 'b', 'c', 'e'])
  })

  it('a project: typed prompts of other projects stay out, and are counted', () => {
    const root = tempFolder()
    const mine = one('mine', { cwd: '/home/shed' })
    write(root, `projects/a/${mine.session}.jsonl`, mine.rows)
    write(root, 'projects/b/x.jsonl', one('other', { cwd: '/home/other', sessionId: 'other' }).rows)
    const typed = (display: string, project: string, sessionId: string) => ({
      ...{ display, project, sessionId, pastedContents: {} },
      timestamp: Date.parse(second(0)),
    })
    write(root, 'history.jsonl', [
      typed('mine', '/home/shed', mine.session),
      typed('other', '/home/other', 'other'),
      typed('gone', '/home/shed/tools', 'gone'),
      typed('gone too', '/home/other', 'gone too'),
    ])
    const outcome = scan([root], { project: '/home/shed' })
    expect(personsWords(outcome).sort()).toEqual(['gone', 'mine'])
    expect(reasons(outcome)).toEqual([
      ['history.jsonl', null, '2 messages of other projects'],
      ['x.jsonl', null, 'another project'],
    ])
  })

  it('a period: messages in it, and the transcripts that touch it', () => {
    const root = tempFolder()
    const s = claude()
    for (let at = 0; at < 5; at++) s.typed(`at ${at}`)
    write(root, 'projects/a.jsonl', s.rows)
    const later = claude()
    later.typed('later', { timestamp: second(1_000) })
    write(root, 'projects/b.jsonl', later.rows)
    const outcome = scan([root], { since: second(1), until: second(3) })
    expect(personsWords(outcome)).toEqual(['at 1', 'at 2', 'at 3'])
    expect(reasons(outcome)).toEqual([
      ['a.jsonl', null, '2 messages outside the period'],
      ['b.jsonl', null, 'begins after the period'],
    ])
    expect(reasons(scan([root], { since: second(500) }))).toEqual([
      ['a.jsonl', null, 'ends before the period'],
    ])
    expect(personsWords(scan([root], { since: second(1_000), until: second(1_000) }))).toEqual(['later'])
  })

  it('messages without a time, and with one that is none, stay in every period', () => {
    const s = claude()
    for (const timestamp of [undefined, 'yesterday', '99999', 7, null, '2026-99-99T00:00:00Z', ''])
      s.typed(`at ${timestamp}`, { timestamp })
    s.typed('in time', { timestamp: second(1) })
    const path = write(tempFolder(), 'a.jsonl', s.rows)
    const outcome = scan([path], { since: second(0), until: second(2) })
    expect(outcome.messages).toHaveLength(8)
    expect(outcome.messages.filter(({ message }) => message.at !== null)).toHaveLength(1)
    expect(outcome.sources[0]).toMatchObject({ firstAt: second(1), lastAt: second(1) })
  })

  it('times are told in UTC to the millisecond, however a row writes them', () => {
    const s = claude()
    s.typed('a', { timestamp: '2026-03-01T12:00:00+02:00' })
    s.typed('b', { timestamp: '2026-03-01T10:00:00.5004Z' })
    const path = write(tempFolder(), 'a.jsonl', s.rows)
    expect(scan([path]).messages.map(({ message }) => message.at)).toEqual([
      '2026-03-01T10:00:00.000Z',
      '2026-03-01T10:00:00.500Z',
    ])
  })
})

describe('history.jsonl: what was typed at a terminal', () => {
  const typed = (display: unknown, sessionId: unknown, more: Row = {}) => ({
    ...{ display, sessionId, pastedContents: {}, project: '/home/dev/shed' },
    ...{ timestamp: Date.parse(second(0)), ...more },
  })
  const withHistory = (rows: Row[], history: Row[] | string) => {
    const root = tempFolder()
    write(root, 'projects/-a/s.jsonl', rows)
    write(root, 'history.jsonl', history)
    return scan([root])
  }

  it('a prompt that a transcript holds too is one message, and each line stands for one', () => {
    const s = one('go')
    s.typed('go')
    const outcome = withHistory(s.rows, [
      typed('go', s.session),
      typed('go', s.session, { timestamp: Date.parse(second(2)) }),
    ])
    expect(outcome.messages.map(({ message }) => [message.words, message.alsoAt.length])).toEqual([
      ['go', 1],
      ['go', 1],
    ])
  })

  it('a third line of the same words is a third message; another session’s is not this one’s', () => {
    const s = one('go')
    const outcome = withHistory(s.rows, [
      typed('go', s.session),
      typed('go', s.session, { timestamp: Date.parse(second(50)) }),
      typed('go', 'another', { timestamp: Date.parse(second(60)) }),
    ])
    expect(outcome.messages.map(({ message }) => [message.session, message.confidence])).toEqual([
      [s.session, 'high'],
      [s.session, 'medium'],
      ['another', 'medium'],
    ])
  })

  it('alone, where the transcripts are gone', () => {
    const root = tempFolder()
    mkdirSync(join(root, 'projects'))
    write(root, 'history.jsonl', [
      typed('gone', 'g'),
      { session_id: 'c', ts: 1_772_000_000, text: 'gone too' },
    ])
    expect(told(scan([root]))).toEqual([
      ['person', 'medium', 'gone too'],
      ['person', 'medium', 'gone'],
    ])
  })

  it('as the one file that is named', () => {
    const path = write(tempFolder(), 'history.jsonl', [typed('gone', 'g')])
    const outcome = scan([path])
    expect(personsWords(outcome)).toEqual(['gone'])
    expect(outcome.sources[0]?.kind).toBe('history')
  })

  it('a `!`, a command, pasted text as a mark', () => {
    const s = claude()
    s.user('<bash-input>ls -l</bash-input>', { rowSource: 'local' })
    s.user('<command-name>/tally</command-name>\n<command-args>rakes</command-args>', { rowSource: 'local' })
    s.typed('look:\n<pasted_content id="1">the log\nin full</pasted_content id="1">')
    const outcome = withHistory(s.rows, [
      typed('! ls -l', s.session),
      typed('/tally rakes ', s.session),
      typed('look:[Pasted text #1 +2 lines]', s.session, {
        pastedContents: { 1: { id: 1, type: 'text', content: 'the log\nin full' } },
      }),
    ])
    expect(outcome.messages.map(({ message }) => [message.words, message.alsoAt.length])).toEqual([
      ['ls -l', 1],
      ['/tally rakes', 1],
      ['look:', 1],
    ])
  })

  it('an older version: what was pasted stands in the prompt itself', () => {
    const s = claude({ version: '2.0.30', entrypoint: undefined })
    s.user('look: the log\nin full and this', { thinkingMetadata: {} })
    s.user('[Pasted text #7] was typed', { thinkingMetadata: {} })
    const outcome = withHistory(s.rows, [
      typed('look: [Pasted text #1 +2 lines] and this', s.session, {
        pastedContents: { 1: { id: 1, type: 'text', content: 'the log\nin full' } },
      }),
      typed('[Pasted text #7] was typed', s.session),
    ])
    expect(outcome.messages.map(({ message }) => [message.words, message.alsoAt.length])).toEqual([
      ['look: the log\nin full and this', 1],
      ['[Pasted text #7] was typed', 1],
    ])
  })

  it('settles a row that says nothing, and none that speaks against a person', () => {
    const s = claude({ version: '1.0.60', entrypoint: undefined })
    s.user('whose?')
    s.typed('launch', { sessionKind: 'bg', version: '2.1.332' })
    s.sdk('of a program')
    s.user('meta', { isMeta: true })
    const history = ['whose?', 'launch', 'of a program', 'meta'].map(words => typed(words, s.session))
    const outcome = withHistory(s.rows, history)
    expect(told(outcome).filter(([, , words]) => words !== 'meta')).toEqual([
      ['person', 'medium', 'whose?'],
      ['unresolved', 'low', 'launch'],
      ['launcher', 'high', 'of a program'],
    ])
    expect(messageOf(outcome, 'whose?').message.evidence.before).toMatchObject({ label: 'unresolved' })
  })

  it('of Codex: settles what version 0.20 left open', () => {
    const root = tempFolder()
    const rows: Row[] = [
      { id: id(0, 0x20), timestamp: second(0), instructions: null },
      { type: 'message', id: null, role: 'user', content: [{ type: 'input_text', text: 'whose?' }] },
    ]
    write(root, `sessions/2026/03/01/rollout-2026-03-01T10-00-00-${id(0, 0x20)}.jsonl`, rows)
    write(root, 'history.jsonl', [
      { session_id: id(0, 0x20), ts: Date.parse(second(0)) / 1_000, text: 'whose?' },
    ])
    const outcome = scan([root])
    expect(told(outcome)).toEqual([['person', 'medium', 'whose?']])
    expect(outcome.messages[0]?.message.product).toBe('codex')
  })

  it('lines that are not as they should be', () => {
    const s = one('go')
    const outcome = withHistory(
      s.rows,
      `${lines([
        typed(7, s.session),
        typed(null, s.session),
        typed('', s.session),
        typed('no session', undefined),
        typed('session of a wrong type', 7),
        typed('no time', s.session, { timestamp: 'x' }),
        typed('far', s.session, { timestamp: 1e300 }),
        typed('constructor', '__proto__', { pastedContents: { __proto__: null, 1: 7 } }),
      ])}{"display":"torn\nnull\n`,
    )
    expect(personsWords(outcome).sort()).toEqual(
      ['go', 'no session', 'session of a wrong type', 'no time', 'far', 'constructor'].sort(),
    )
    expect(reasons(outcome)).toEqual([
      ['history.jsonl', 9, 'not JSON'],
      ['history.jsonl', 10, 'not a JSON object'],
    ])
  })

  it('a prompt is not matched with the same words of another day', () => {
    const s = one('go')
    const outcome = withHistory(s.rows, [typed('go', s.session, { timestamp: Date.parse(second(90_000)) })])
    expect(personsWords(outcome)).toEqual(['go', 'go'])
  })
})

describe('a file that changes its kind under a scan', () => {
  it('a transcript that becomes a FIFO is told and hangs nothing', () => {
    const root = tempFolder()
    const cacheDir = tempFolder()
    write(root, 'a.jsonl', one('typed').rows)
    scan([root], { cacheDir })
    spawnSync('rm', [join(root, 'a.jsonl')])
    expect(spawnSync('mkfifo', [join(root, 'a.jsonl')]).status).toBe(0)
    writeFileSync(join(root, 'b.jsonl'), lines(one('other').rows))
    expect(personsWords(scan([root], { cacheDir }))).toEqual(['other'])
  })
})
