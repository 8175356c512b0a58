import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'
import { codex, lines, personsWords, type Row, scan, told, write } from '../support/transcripts.ts'

/** A frame of Zstandard that holds the text in raw blocks; no tool is needed to write one. */
function frame(text: string | Buffer): Buffer {
  const bytes = Buffer.from(text as string)
  const blocks: Buffer[] = []
  const most = 1 << 16
  for (let at = 0; at === 0 || at < bytes.length; at += most) {
    const block = bytes.subarray(at, at + most)
    const head = Buffer.alloc(3)
    head.writeUIntLE((block.length << 3) | (at + most >= bytes.length ? 1 : 0), 0, 3)
    blocks.push(head, block)
  }
  // Magic number; no checksum, no content size, a window of 8 MB.
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x68]), ...blocks])
}

const skippable = (bytes: Buffer) => {
  const head = Buffer.alloc(8)
  head.writeUInt32LE(0x184d2a50, 0)
  head.writeUInt32LE(bytes.length, 4)
  return Buffer.concat([head, bytes])
}

const NAME = 'rollout-2026-03-01T10-00-00-'

/** A thread of typed prompts. */
function thread(...words: string[]): { id: string; rows: Row[] } {
  const t = codex()
  for (const one of words) {
    t.turn('user')
    t.typed(one)
    t.reply('ok')
    t.complete('ok')
  }
  return { id: t.thread, rows: t.rows }
}

function sessionsWith(files: Record<string, Buffer | string | Row[]>): string {
  const root = tempFolder()
  mkdirSync(join(root, 'sessions'), { recursive: true })
  for (const [name, content] of Object.entries(files)) write(root, name, content)
  return root
}

describe('case 19: `.jsonl.zst` rollouts and archived sessions', () => {
  test('a compressed rollout is read like the others; line and offset count in what it holds', () => {
    const t = thread('one', 'two\u2028')
    const plain = scan([sessionsWith({ [`sessions/2026/03/01/${NAME}${t.id}.jsonl`]: t.rows })])
    const packed = scan([
      sessionsWith({ [`sessions/2026/03/01/${NAME}${t.id}.jsonl.zst`]: frame(lines(t.rows)) }),
    ])
    expect(told(packed)).toEqual(told(plain))
    const place = ({ messages }: typeof plain) =>
      messages.map(({ message }) => [message.id, message.source.line, message.source.offset])
    expect(place(packed)).toEqual(place(plain))
    expect(packed.sources[0]?.counts).toEqual(plain.sources[0]?.counts)
    expect(packed.sources[0]?.readTo).toBe(plain.sources[0]?.readTo)
    expect(packed.sources[0]?.size).toBe(frame(lines(t.rows)).length)
  })

  test('what the `zstd` program wrote', () => {
    const corpus = resolve(import.meta.dirname, '../corpus')
    const root = sessionsWith({
      'sessions/a.jsonl.zst': readFileSync(join(corpus, 'cx-64-compressed.jsonl.zst')),
    })
    const outcome = scan([root])
    expect(outcome.messages.length).toBeGreaterThan(0)
    expect(outcome.exclusions).toEqual([])
  })

  test('plain and compressed beside each other: each message once', () => {
    const t = thread('one', 'one')
    const outcome = scan([
      sessionsWith({
        [`sessions/${NAME}${t.id}.jsonl`]: t.rows,
        [`sessions/${NAME}${t.id}.jsonl.zst`]: frame(lines(t.rows)),
      }),
    ])
    expect(outcome.sources).toHaveLength(2)
    expect(outcome.messages.map(({ message }) => [message.words, message.alsoAt.length])).toEqual([
      ['one', 3],
      ['one', 3],
    ])
  })

  test('versions that give their rows no ids: likewise', () => {
    const t = codex({
      cli_version: '0.98.0',
      originator: 'codex_cli_rs',
      source: 'cli',
      history_mode: undefined,
    })
    for (const words of ['one', 'one']) {
      t.item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: words }] })
      t.event({ type: 'user_message', message: words })
    }
    const outcome = scan([
      sessionsWith({
        [`sessions/${NAME}${t.thread}.jsonl`]: t.rows,
        [`archived_sessions/${NAME}${t.thread}.jsonl.zst`]: frame(lines(t.rows)),
      }),
    ])
    expect(personsWords(outcome)).toEqual(['one', 'one'])
  })

  test.each([
    ['two frames', (text: string) => Buffer.concat([frame(text.slice(0, 700)), frame(text.slice(700))])],
    [
      'a frame for every line',
      (text: string) => Buffer.concat(text.split(/(?<=\n)/).map(line => frame(line))),
    ],
    [
      'an empty frame between',
      (text: string) => Buffer.concat([frame(text.slice(0, 9)), frame(''), frame(text.slice(9))]),
    ],
    ['a frame to be skipped', (text: string) => Buffer.concat([skippable(Buffer.from('x')), frame(text)])],
    [
      'a frame to be skipped at the end',
      (text: string) => Buffer.concat([frame(text), skippable(Buffer.alloc(300))]),
    ],
  ])('%s', (_, pack) => {
    const t = thread('one', 'two')
    const outcome = scan([sessionsWith({ 'sessions/a.jsonl.zst': pack(lines(t.rows)) })])
    expect(outcome.exclusions).toEqual([])
    expect(personsWords(outcome)).toEqual(['one', 'two'])
  })

  test('frames longer than one piece of reading', () => {
    const t = thread('one', 'x'.repeat(3 << 20), 'two')
    const text = lines(t.rows)
    const outcome = scan([
      sessionsWith({
        'sessions/a.jsonl.zst': Buffer.concat([
          frame(text.slice(0, 2_000_000)),
          frame(text.slice(2_000_000)),
        ]),
      }),
    ])
    expect(outcome.exclusions).toEqual([])
    expect(personsWords(outcome).map(words => words.length)).toEqual([3, 3 << 20, 3])
  })

  test('frames that the `zstd` program joins, at several levels and with checksums', ({ skip }) => {
    skip(spawnSync('zstd', ['--version']).error !== undefined, 'the program zstd is not here')
    const t = thread('one', 'y'.repeat(500_000), 'two')
    const text = lines(t.rows)
    const pack = (input: string, ...args: string[]) => spawnSync('zstd', ['-c', ...args], { input }).stdout
    const packed = Buffer.concat([
      pack(text.slice(0, 5_000), '-19', '--long=27'),
      pack(text.slice(5_000, 300_000), '--check', '-1'),
      pack(text.slice(300_000), '--no-check', '--ultra', '-22'),
    ])
    const outcome = scan([sessionsWith({ 'sessions/a.jsonl.zst': packed })])
    expect(outcome.exclusions).toEqual([])
    expect(personsWords(outcome)).toHaveLength(3)
  })

  test.each([0.3, 0.6, 0.95])(
    'cut short at %d of its length: what is whole before is read, and it is told',
    part => {
      const t = thread('one', ...Array.from({ length: 300 }, (_, at) => `message ${at}`))
      const bytes = frame(lines(t.rows))
      const root = sessionsWith({
        'sessions/a.jsonl.zst': bytes.subarray(0, Math.floor(bytes.length * part)),
      })
      const outcome = scan([root])
      expect(outcome.exclusions).toMatchObject([{ line: null, reason: expect.stringMatching(/^damaged/) }])
      expect(personsWords(outcome)[0]).toBe('one')
      expect(personsWords(outcome).length).toBeGreaterThan(300 * part - 130)
      expect(personsWords(outcome).length).toBeLessThan(301)
    },
  )

  test.each([
    ['garbage', Buffer.from('this is no archive at all, whatever its name says')],
    ['JSONL that nobody compressed', Buffer.from('{"type":"session_meta","payload":{}}\n')],
    ['nothing but the magic number', Buffer.from([0x28, 0xb5, 0x2f, 0xfd])],
    ['two bytes', Buffer.from([0x28, 0xb5])],
    ['a reserved kind of block', Buffer.concat([frame('').subarray(0, 6), Buffer.from([0x07, 0, 0, 1])])],
    ['a window of two gigabytes', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0, 0])],
    [
      'a content size of exabytes',
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xe0, ...Array(8).fill(0xff), 1, 0, 0]),
    ],
  ])('%s is told once as damaged, and stops nothing', (_, bytes) => {
    const t = thread('one')
    const root = sessionsWith({ 'sessions/a.jsonl.zst': bytes, 'sessions/b.jsonl': t.rows })
    const outcome = scan([root])
    expect(personsWords(outcome)).toEqual(['one'])
    expect(outcome.exclusions).toMatchObject([{ line: null, reason: expect.stringMatching(/^damaged/) }])
  })

  test('garbage behind a whole frame: the frame is read, the rest is told', () => {
    const t = thread('one')
    const root = sessionsWith({
      'sessions/a.jsonl.zst': Buffer.concat([frame(lines(t.rows)), Buffer.from('and then garbage')]),
    })
    const outcome = scan([root])
    expect(personsWords(outcome)).toEqual(['one'])
    expect(outcome.exclusions).toMatchObject([{ reason: expect.stringMatching(/^damaged/) }])
  })

  test('an empty archive is empty', () => {
    const outcome = scan([
      sessionsWith({ 'sessions/a.jsonl.zst': frame(''), 'sessions/b.jsonl.zst': Buffer.alloc(0) }),
    ])
    expect(outcome.exclusions.map(({ reason }) => reason)).toEqual(['empty', 'empty'])
  })

  test('an archived rollout is read where it lies now, and is the same messages as before', () => {
    const t = thread('one', 'two')
    const root = sessionsWith({ [`sessions/2026/03/01/${NAME}${t.id}.jsonl`]: t.rows })
    const cacheDir = tempFolder()
    const before = scan([root], { cacheDir })
    mkdirSync(join(root, 'archived_sessions'))
    renameSync(
      join(root, 'sessions/2026/03/01', `${NAME}${t.id}.jsonl`),
      join(root, 'archived_sessions', `${NAME}${t.id}.jsonl`),
    )
    const after = scan([root], { cacheDir })
    expect(after.messages.map(({ message }) => message.id)).toEqual(
      before.messages.map(({ message }) => message.id),
    )
    expect(after.sources[0]?.file).toContain('archived_sessions')
  })

  test('a rollout that is packed between two scans', () => {
    const t = thread('one', 'two')
    const root = sessionsWith({ 'sessions/a.jsonl': t.rows })
    const cacheDir = tempFolder()
    const before = scan([root], { cacheDir })
    writeFileSync(join(root, 'sessions/a.jsonl.zst'), frame(lines(t.rows)))
    renameSync(join(root, 'sessions/a.jsonl'), join(root, 'elsewhere'))
    expect(told(scan([root], { cacheDir }))).toEqual(told(before))
  })
})
