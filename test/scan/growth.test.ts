import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Problem } from '../../src/problem/problem.ts'
import { scanTranscripts } from '../../src/scan/scan.ts'
import { pause } from '../support/coord.ts'
import { filesIn } from '../support/files.ts'
import { bundledScan } from '../support/scan-process.ts'
import { inTempFolder, tempFolder } from '../support/temp-folder.ts'
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
  write,
} from '../support/transcripts.ts'
import { withoutRootRights } from '../support/without-root-rights.ts'

const corpus = resolve(import.meta.dirname, '../corpus')
const plain = readdirSync(corpus).filter(name => name.endsWith('.jsonl'))

/** What a scan says of its sources, without what tells how it came about. */
function said({ messages, sources, exclusions }: Outcome): unknown {
  return JSON.parse(JSON.stringify({ messages, sources, exclusions }))
}

/** A session with a queue, mid-turn words, a rewind, several turns and characters of several bytes. */
function lively(): Row[] {
  const s = claude()
  s.typed('żółć one')
  s.call('Bash', { command: 'git commit' })
  s.queue('enqueue', '🪣 more')
  s.queue('enqueue', 'lost')
  s.queue('remove', '🪣 more', { reason: 'absorbed_mid_turn', commandUuid: id(1, 0x51) })
  s.result('[main 1234567] done', { toolUseResult: { stdout: '[main 1234567] done' } })
  s.attachment({
    type: 'queued_command',
    prompt: '🪣 more',
    source_uuid: id(1, 0x51),
    origin: { kind: 'human' },
    humanTurn: true,
    commandMode: 'prompt',
  })
  s.reply('done')
  s.turnEnd()
  const end = s.rows.at(-1)?.uuid
  s.typed('two')
  s.call('Edit', { file_path: '/a' })
  s.result('ok')
  s.user([{ type: 'text', text: '[Request interrupted by user]' }], { rowSource: 'harness' })
  s.typed('two again', { parentUuid: end })
  s.reply('half')
  return s.rows
}

function grown(bytes: Buffer, cuts: number[], folder: string): void {
  const path = join(folder, 't.jsonl')
  const cacheDir = join(folder, 'cache')
  const ends = [...cuts.map(cut => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  writeFileSync(path, '')
  let at = 0
  for (const end of ends) {
    append(path, bytes.subarray(at, end))
    at = end
    const step = scan([path], { cacheDir })
    const anew = scan([path], { cacheDir: join(folder, `anew-${end}`) })
    expect(said(step), `after ${end} bytes`).toEqual(said(anew))
    rmSync(join(folder, `anew-${end}`), { recursive: true, force: true })
  }
}

describe('a transcript that grows between scans', () => {
  it('says the same as one that is read at once, wherever it was cut', async () => {
    const files = [...plain.map(name => readFileSync(join(corpus, name))), Buffer.from(lines(lively()))]
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...files),
        fc.array(fc.nat({ max: 200_000 }), { minLength: 1, maxLength: 5 }),
        (bytes, cuts) => inTempFolder(async folder => grown(bytes, cuts, folder)),
      ),
      { numRuns: 60 },
    )
  }, 300_000)

  it('says the same after every single line of a lively session', async () => {
    const rows = lively()
    const bytes = Buffer.from(lines(rows))
    const cuts = rows.map((_, at) => Buffer.byteLength(lines(rows.slice(0, at + 1))))
    await inTempFolder(async folder => grown(bytes, cuts, folder))
  })

  it('is read on from the byte where its last whole line ended, and no row twice', async () => {
    const folder = tempFolder()
    const cacheDir = join(folder, 'cache')
    const s = claude()
    s.typed('one')
    const path = write(folder, 't.jsonl', s.rows)
    expect(scan([path], { cacheDir }).work).toEqual({ kept: 0, resumed: 0, read: 1 })
    const more = s.rows.length
    s.typed('two')
    append(path, s.rows.slice(more))
    const second = scan([path], { cacheDir })
    expect(second.work).toEqual({ kept: 0, resumed: 1, read: 0 })
    expect(personsWords(second)).toEqual(['one', 'two'])
  })

  it('is not opened where it has not changed', async () => {
    const folder = tempFolder()
    const cacheDir = join(folder, 'cache')
    const path = write(folder, 't.jsonl', lively())
    await pause(2_200)
    const first = scan([path], { cacheDir })
    const second = scan([path], { cacheDir })
    expect([first.work, second.work]).toEqual([
      { kept: 0, resumed: 0, read: 1 },
      { kept: 1, resumed: 0, read: 0 },
    ])
    expect(said(second)).toEqual(said(first))
    // Only a reading would notice that it may not be read.
    chmodSync(path, 0o000)
    await pause(2_200)
    const other = scan([path], { cacheDir, revision: 'another program' })
    expect(other.work.kept).toBe(0)
  })

  it('is read anew where other bytes stand in front of what was appended', () => {
    const folder = tempFolder()
    const cacheDir = join(folder, 'cache')
    const [a, b] = [claude(), claude()]
    a.typed('one')
    b.typed('another beginning')
    b.typed('and more')
    const path = write(folder, 't.jsonl', a.rows)
    scan([path], { cacheDir })
    write(folder, 't.jsonl', b.rows)
    const second = scan([path], { cacheDir })
    expect(second.work.read).toBe(1)
    expect(personsWords(second)).toEqual(['another beginning', 'and more'])
  })

  it('is read anew where bytes changed and neither size nor time did', () => {
    const folder = tempFolder()
    const cacheDir = join(folder, 'cache')
    const s = claude()
    s.typed('one')
    const path = write(folder, 't.jsonl', s.rows)
    const { atime, mtime } = statSync(path)
    scan([path], { cacheDir })
    writeFileSync(path, lines(s.rows).replace('"one"', '"two"'))
    utimesSync(path, atime, mtime)
    expect(personsWords(scan([path], { cacheDir }))).toEqual(['two'])
  })

  it('is read anew where it was cut short, and where it was emptied', () => {
    const folder = tempFolder()
    const cacheDir = join(folder, 'cache')
    const s = claude()
    s.typed('one')
    s.typed('two')
    const path = write(folder, 't.jsonl', s.rows)
    scan([path], { cacheDir })
    truncateSync(path, Buffer.byteLength(lines(s.rows.slice(0, 1))) + 10)
    expect(personsWords(scan([path], { cacheDir }))).toEqual(['one'])
    truncateSync(path, 0)
    expect(personsWords(scan([path], { cacheDir }))).toEqual([])
    append(path, s.rows.slice(1))
    expect(personsWords(scan([path], { cacheDir }))).toEqual(['two'])
  })

  it('that is replaced by another file of the same beginning', () => {
    const folder = tempFolder()
    const cacheDir = join(folder, 'cache')
    const t = codex()
    t.turn('user')
    t.typed('one')
    const path = write(folder, 't.jsonl', t.rows)
    scan([path], { cacheDir })
    rmSync(path)
    t.typed('two')
    write(folder, 't.jsonl', t.rows)
    expect(personsWords(scan([path], { cacheDir }))).toEqual(['one', 'two'])
  })
})

describe('what a scan keeps', () => {
  it.each([
    ['cut short', (bytes: Buffer) => bytes.subarray(0, bytes.length - 30)],
    ['emptied', () => Buffer.alloc(0)],
    ['filled with NUL', (bytes: Buffer) => Buffer.alloc(bytes.length)],
    ['of another program', () => Buffer.from('SQLite format 3\0')],
    [
      'with findings that are damaged',
      (bytes: Buffer) => Buffer.concat([Buffer.from('xxxxx'), bytes.subarray(5)]),
    ],
  ])('is made anew where it is %s', async (_, damage) => {
    const folder = tempFolder()
    const cacheDir = join(folder, 'cache')
    const path = write(folder, 't.jsonl', lively())
    await pause(2_200)
    const first = said(scan([path], { cacheDir }))
    for (const name of readdirSync(cacheDir)) {
      const file = join(cacheDir, name)
      writeFileSync(file, damage(readFileSync(file)))
    }
    expect(said(scan([path], { cacheDir }))).toEqual(first)
  })

  it('is made anew where it is damaged and the transcript has grown', () => {
    const folder = tempFolder()
    const cacheDir = join(folder, 'cache')
    const s = claude()
    s.typed('first')
    const path = write(folder, 't.jsonl', s.rows)
    scan([path], { cacheDir })
    const [name] = readdirSync(cacheDir) as [string]
    const kept = readFileSync(join(cacheDir, name), 'latin1')
    writeFileSync(join(cacheDir, name), kept.replace('"words":"first"', '"words":"other"'), 'latin1')
    s.typed('second')
    append(path, s.rows.slice(1))
    expect(personsWords(scan([path], { cacheDir }))).toEqual(['first', 'second'])
  })

  it('cannot be written: that is said, and no transcript is passed over for it', async () => {
    const folder = tempFolder()
    const path = write(folder, 't.jsonl', lively())
    const file = write(folder, 'a-file', 'x')
    expect(() => scan([path], { cacheDir: join(file, 'cache') })).toThrow(Problem)
    const closed = join(folder, 'closed')
    mkdirSync(closed, { mode: 0o500 })
    const { code, stderr } = await program.run([path], closed, withoutRootRights).ended
    expect(code).toBe(1)
    expect(stderr).toContain('cannot be kept')
  })

  it('may be deleted at any time', () => {
    const folder = tempFolder()
    const cacheDir = join(folder, 'cache')
    const path = write(folder, 't.jsonl', lively())
    const first = said(scan([path], { cacheDir }))
    rmSync(cacheDir, { recursive: true })
    expect(said(scan([path], { cacheDir }))).toEqual(first)
  })

  it('is all that lies in its folder: what a killed scan left goes with the next one', () => {
    const folder = tempFolder()
    const cacheDir = join(folder, 'cache')
    const path = write(folder, 't.jsonl', lively())
    scan([path], { cacheDir })
    const kept = readdirSync(cacheDir)
    const [old, young] = ['0', '1'].map(name => join(cacheDir, `.x.ndjson.${name.repeat(16)}.tmp`)) as [
      string,
      string,
    ]
    for (const one of [old, young]) writeFileSync(one, 'half')
    const longAgo = new Date(Date.now() - 3_600_000)
    utimesSync(old, longAgo, longAgo)
    scan([path], { cacheDir })
    expect(readdirSync(cacheDir).sort()).toEqual([...kept, '.x.ndjson.1111111111111111.tmp'].sort())
  })
})

const program = bundledScan()

const hashes = ({ messages }: Outcome) => messages.map(({ message }) => [message.label, message.sha256])

describe('scans beside each other', () => {
  it('two at once with one cache, while a transcript grows: both end well and say the same', async () => {
    const root = tempFolder()
    const cacheDir = join(tempFolder(), 'cache')
    for (let round = 0; round < 4; round++) {
      for (let at = 0; at < 40; at++) {
        const s = claude()
        for (let turn = 0; turn < 5; turn++) s.typed(`${round} ${at} ${turn}`)
        append(write(root, `projects/p/${round}-${at}.jsonl`, ''), s.rows)
      }
      const grows = claude({ sessionId: 'grows' })
      grows.typed(`round ${round}`, { uuid: id(round, 0x99) })
      mkdirSync(join(root, 'projects/p'), { recursive: true })
      append(join(root, 'projects/p/grows.jsonl'), grows.rows)
      const both = await Promise.all([
        program.run([root], cacheDir).ended,
        program.run([root], cacheDir).ended,
        program.run([root], cacheDir).ended,
      ])
      const expected = hashes(scan([root]))
      for (const { code, stdout, stderr } of both) {
        expect(code, stderr).toBe(0)
        expect(JSON.parse(stdout).messages).toEqual(expected)
      }
    }
  })

  it('the messages of a scan stay what they were while another scan reads a changed transcript', () => {
    const folder = tempFolder()
    const cacheDir = join(folder, 'cache')
    const s = claude()
    s.typed('one')
    const path = write(folder, 't.jsonl', s.rows)
    const options = { claude: [path], codex: [], project: null, since: null, until: null, recordDir: null }
    const first = scanTranscripts({ options, cacheDir, revision: 'test', record: null })
    s.typed('two')
    write(folder, 't.jsonl', s.rows)
    scan([path], { cacheDir })
    expect([...first.messages()].map(({ message }) => message.words)).toEqual(['one'])
  })

  it('a transcript that another scan reads anew under a scan: words are never mixed up', () => {
    const folder = tempFolder()
    const cacheDir = join(folder, 'cache')
    const s = claude()
    for (let at = 0; at < 20; at++) s.typed(`first ${at}`)
    const path = write(folder, 't.jsonl', s.rows)
    const options = { claude: [path], codex: [], project: null, since: null, until: null, recordDir: null }
    const first = scanTranscripts({ options, cacheDir, revision: 'test', record: null })
    const other = claude()
    for (let at = 0; at < 30; at++) other.typed(`quite another text that is longer ${at}`)
    write(folder, 't.jsonl', other.rows)
    scan([path], { cacheDir })
    let words: string[] = []
    try {
      words = [...first.messages()].map(({ message }) => message.words)
    } catch (error) {
      expect(error).toBeInstanceOf(Problem)
      return
    }
    expect(words).toEqual(Array.from({ length: 20 }, (_, at) => `first ${at}`))
  })

  it('one that is killed leaves nothing that changes what the next one says', async () => {
    const root = tempFolder()
    const cacheDir = join(tempFolder(), 'cache')
    for (let at = 0; at < 60; at++) {
      const s = claude()
      for (let turn = 0; turn < 200; turn++) s.typed(`${at} ${turn} ${'x'.repeat(500)}`)
      write(root, `projects/p/${at}.jsonl`, s.rows)
    }
    const expected = hashes(scan([root]))
    for (const wait of [0, 10, 30, 60, 120]) {
      const running = program.run([root], cacheDir)
      await running.started
      await pause(wait)
      running.child.kill('SIGKILL')
      await running.ended
    }
    expect(hashes(scan([root], { cacheDir }))).toEqual(expected)
    expect(hashes(scan([root], { cacheDir }))).toEqual(expected)
  })
})

describe('rule.readOnly', () => {
  it('a scan changes no byte, no time and no name of what it reads', () => {
    const root = tempFolder()
    cpSync(corpus, join(root, 'projects/p'), { recursive: true })
    const state = () =>
      readdirSync(root, { recursive: true, encoding: 'utf8' }).map(name => {
        const { mtimeMs, ctimeMs, size, mode } = statSync(join(root, name))
        return [name, mtimeMs, ctimeMs, size, mode]
      })
    const before = [state(), filesIn(root)]
    const cacheDir = tempFolder()
    scan([root], { cacheDir })
    scan([root], { cacheDir })
    expect([state(), filesIn(root)]).toEqual(before)
  })

  it('transcripts in folders that may only be read are read', async () => {
    const root = tempFolder()
    cpSync(corpus, join(root, 'projects/p'), { recursive: true })
    for (const name of readdirSync(join(root, 'projects/p'))) chmodSync(join(root, 'projects/p', name), 0o400)
    for (const name of ['projects/p', 'projects', '.']) chmodSync(join(root, name), 0o500)
    const { code, stdout, stderr } = await program.run([root], tempFolder(), withoutRootRights).ended
    expect(code, stderr).toBe(0)
    expect(JSON.parse(stdout).messages).toEqual(hashes(scan([corpus])))
  })
})
