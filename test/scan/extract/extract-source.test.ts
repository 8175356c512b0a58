import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type ExtractOptions, extractSource } from '../../../src/scan/extract/extract-source.ts'
import { sha } from '../../support/scan-items.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { append, claude, codex, lines, type Row, write } from '../../support/transcripts.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** Sets the clock this many milliseconds after a file's last change. */
const clockAt = (file: string, ms: number) => {
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(Math.floor(statSync(file).ctimeMs) + ms)
}

function session(...words: string[]) {
  const s = claude()
  for (const one of words) s.typed(one)
  return s
}

function here(rows: Row[] | string = session('one').rows, name = 't.jsonl') {
  const folder = tempFolder()
  const file = write(folder, name, rows)
  const cacheDir = join(folder, 'cache')
  const extract = (more: Partial<ExtractOptions> & { kind?: 'transcript' | 'history' } = {}) => {
    const { kind = 'transcript', ...options } = more
    return extractSource({ file, kind }, { cacheDir, revision: 'test', ...options })
  }
  return { folder, file, cacheDir, extract }
}

describe('a transcript that has not changed is not opened', () => {
  it.each([
    [2_001, 'kept'],
    [2_000, 'resumed'],
    [0, 'resumed'],
    [-5_000, 'resumed'],
  ])('it was read %d ms after its last change: the next scan says %s', (ms, work) => {
    const { file, extract } = here()
    clockAt(file, ms)
    expect(extract().work).toBe('read')
    const again = extract()
    expect(again.work).toBe(work)
    expect(again.whole.messages).toBe(1)
  })

  it.each<[string, string, (file: string, folder: string) => void]>([
    ['a row more', 'resumed', file => append(file, session('two').rows)],
    ['another time', 'resumed', file => utimesSync(file, 1, 1)],
    [
      'other bytes of the same number and the same time',
      'read',
      file => {
        const { atime, mtime } = statSync(file)
        writeFileSync(file, readFileSync(file, 'utf8').replace('"one"', '"eno"'))
        utimesSync(file, atime, mtime)
      },
    ],
    [
      'other bytes at the beginning, and a row more',
      'read',
      file => writeFileSync(file, `${readFileSync(file, 'utf8').replace('"one"', '"eno"')}{}\n`),
    ],
    ['fewer bytes', 'read', file => truncateSync(file, statSync(file).size - 1)],
    [
      'another file of the same bytes',
      'read',
      (file, folder) => {
        copyFileSync(file, join(folder, 'other'))
        renameSync(join(folder, 'other'), file)
      },
    ],
  ])('%s: %s', (_, work, change) => {
    const { folder, file, extract } = here()
    clockAt(file, 60_000)
    extract()
    expect(extract().work).toBe('kept')
    vi.useRealTimers()
    change(file, folder)
    expect(extract().work).toBe(work)
    expect(extract().whole.sha256).toBe(sha(readFileSync(file, 'utf8')))
  })

  it.each<[string, Parameters<ReturnType<typeof here>['extract']>[0]]>([
    ['another revision of the program', { revision: 'other' }],
    ['another kind of file', { kind: 'history' }],
  ])('%s reads it anew', (_, more) => {
    const { file, extract } = here()
    clockAt(file, 60_000)
    extract()
    expect(extract(more).work).toBe('read')
  })

  it('an extract under its name that is of another file is none of it', () => {
    const { file, cacheDir, extract } = here()
    clockAt(file, 60_000)
    const { path } = extract()
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, text.replace('t.jsonl', 'u.jsonl'))
    expect(extract().work).toBe('read')
    expect(readdirSync(cacheDir)).toHaveLength(1)
  })
})

describe('a transcript that has grown', () => {
  it('is read on from its last whole line, with what was seen before', () => {
    const s = session('one', 'two')
    const [first, second] = [s.rows.slice(0, 1), s.rows.slice(1)].map(rows => lines(rows)) as [string, string]
    const { file, extract } = here(`${first}not JSON\n[]\n${second.slice(0, 30)}`)
    const bytes: number[] = []
    const before = extract({ onBytes: count => bytes.push(count) }).whole
    expect(before).toMatchObject({ lines: 3, malformed: 2, messages: 1, unfinishedBytes: 30 })
    expect(before.readTo).toBe(Buffer.byteLength(first) + 12)
    expect(bytes.reduce((sum, one) => sum + one)).toBe(before.readTo)
    append(file, second.slice(30))
    const { whole, work } = extract({ onBytes: count => bytes.push(count) })
    expect(work).toBe('resumed')
    expect(whole).toMatchObject({ lines: 4, malformed: 2, messages: 2, unfinishedBytes: 0 })
    expect(bytes.reduce((sum, one) => sum + one)).toBe(statSync(file).size)
    expect(whole.sha256).toBe(sha(readFileSync(file, 'utf8')))
    const { cacheDir } = here()
    const anew = extract({ cacheDir }).whole
    expect({ ...whole, isSettled: true }).toEqual({ ...anew, isSettled: true })
  })

  it('is read anew where the findings that were kept are damaged', () => {
    const s = session('one', 'two')
    const { file, extract, cacheDir } = here(s.rows.slice(0, 1))
    const { path } = extract()
    writeFileSync(path, readFileSync(path, 'utf8').replace('"words":"one"', '"words":"eno"'))
    append(file, s.rows.slice(1))
    const { work, whole } = extract()
    expect([work, whole.messages]).toEqual(['read', 2])
    expect(readFileSync(path, 'utf8')).not.toContain('eno')
    expect(readdirSync(cacheDir)).toHaveLength(1)
  })

  it('is read anew where the reading before ended at damage, and where it is compressed', () => {
    const { extract, file } = here('no archive', 't.jsonl.zst')
    expect(extract().whole.damage).toContain('damaged')
    append(file, 'more')
    expect(extract().work).toBe('read')
    const archive = readFileSync(join(import.meta.dirname, '../../corpus', archiveName()))
    const whole = here('', 'x.jsonl.zst')
    writeFileSync(whole.file, archive)
    expect(whole.extract().whole.damage).toBeNull()
    append(whole.file, Buffer.from(archive))
    expect(whole.extract().work).toBe('read')
  })
})

const archiveName = () =>
  readdirSync(join(import.meta.dirname, '../../corpus')).find(name => name.endsWith('.zst')) as string

describe('a file that cannot be read', () => {
  it('is an error of the system, leaves nothing behind, and is tried again each time', () => {
    const { file, cacheDir, extract } = here()
    clockAt(file, 60_000)
    extract()
    const kept = readdirSync(cacheDir)
    rmSync(file)
    expect(extract).toThrow(expect.objectContaining({ code: 'ENOENT' }))
    expect(spawnSync('mkfifo', [file]).status).toBe(0)
    const open = readdirSync('/dev/fd').length
    for (let at = 0; at < 2; at++)
      expect(extract).toThrow(expect.objectContaining({ code: 'not a regular file' }))
    expect(readdirSync('/dev/fd')).toHaveLength(open)
    expect(readdirSync(cacheDir)).toEqual(kept)
    rmSync(file)
    write(cacheDir, '../t.jsonl', session('one', 'two').rows)
    expect(extract()).toMatchObject({ work: 'read', whole: { messages: 2 } })
    expect(readdirSync('/dev/fd')).toHaveLength(open)
  })

  it('an error while it is read leaves the last extract as it was, and no file open', () => {
    const { file, cacheDir, extract } = here()
    const { path } = extract()
    const before = readFileSync(path)
    append(file, session('two').rows)
    const open = readdirSync('/dev/fd').length
    const onBytes = () => {
      throw new Error('stopped')
    }
    expect(() => extract({ onBytes })).toThrow('stopped')
    expect(readFileSync(path)).toEqual(before)
    expect(readdirSync(cacheDir)).toHaveLength(1)
    expect(readdirSync('/dev/fd')).toHaveLength(open)
  })
})

describe('what is known of the whole', () => {
  it('sessions, places, versions and times, each once; of a copy also where it came from', () => {
    const row = (more: Row) => ({ type: 'user', message: { content: 'x' }, uuid: `${++made}`, ...more })
    let made = 0
    const { whole } = here([
      row({ sessionId: 'a', cwd: '/1', version: '1', timestamp: '2026-03-01T10:00:02.000Z' }),
      row({ sessionId: 'a', cwd: '/2', version: '2', timestamp: '2026-03-01T10:00:01.000Z' }),
      row({ sessionId: 'b', session_id: 'a', requestSessionId: 'c', cwd: 7, timestamp: 'never' }),
      row({ sessionId: 7, cwd: '/1', timestamp: '2026-03-01T10:00:03.000Z' }),
      row({ sessionId: 'b', timestamp: '2026-03-01T10:00:02.500Z' }),
      { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't', content: 'x' }] } },
    ]).extract()
    expect(whole).toMatchObject({
      ...{ sessions: ['a', 'b'], derivedFrom: ['c'], cwds: ['/1', '/2'], versions: ['1', '2'] },
      ...{ firstAt: '2026-03-01T10:00:01.000Z', lastAt: '2026-03-01T10:00:03.000Z', toolResults: 1 },
      ...{ product: 'claude-code', kind: 'transcript', lines: 6, malformed: 0 },
    })
  })

  it.each([
    [
      'rollout-2026-03-01T10-00-00-00000001-0000-4000-8000-000000000002.jsonl',
      '00000001-0000-4000-8000-000000000002',
    ],
    ['00000001-0000-4000-8000-00000000000a.jsonl', '00000001-0000-4000-8000-00000000000a'],
    ['00000001-0000-4000-8000-00000000000a.old.jsonl', '00000001-0000-4000-8000-00000000000a.old'],
    ['00000001-0000-4000-8000-00000000000.jsonl', '00000001-0000-4000-8000-00000000000'],
    ['my session.jsonl', 'my session'],
    ['notes', 'notes'],
  ])('the session of %s, where no row names one, is %s', (name, session) => {
    const row = { type: 'user', message: { content: 'x' } }
    const { path } = here([row], name).extract()
    expect(readFileSync(path, 'utf8')).toContain(`"session":"${session}"`)
  })

  it('the first row that a format knows makes it one of it; rows of another after that change nothing', () => {
    const t = codex()
    t.turn('user')
    t.typed('in codex')
    const { whole } = here([{ kind: 'odd' }, ...session('one').rows, ...t.rows]).extract()
    expect(whole).toMatchObject({ product: 'claude-code', messages: 1 })
  })

  it('a list of typed prompts is of the program of its first line, and stays so when it has grown', () => {
    const line = (text: string) => ({ session_id: `s ${text}`, ts: 1, text })
    const { file, extract } = here([{ x: 1 }, line('a'), { display: 'b', sessionId: 'c' }], 'history.jsonl')
    expect(extract({ kind: 'history' }).whole).toMatchObject({ product: 'codex', sessions: ['s a', 'c'] })
    append(file, [{ display: 'd', sessionId: 'e', project: '/p' }])
    expect(extract({ kind: 'history' })).toMatchObject({
      ...{ work: 'resumed' },
      whole: { product: 'codex', sessions: ['s a', 'c', 'e'], cwds: ['/p'], messages: 3, state: null },
    })
  })
})
