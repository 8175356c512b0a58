import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { type Place, place } from '../support/coord.ts'
import { at } from '../support/record-builder.ts'

async function indexed(): Promise<{ here: Place; index: string; rows: unknown }> {
  const here = place()
  for (let i = 0; i < 300; i++) here.record.start(`s${i % 10}`, at(i))
  const { index } = (await here.run('index', '--json')).json()
  const { rows } = (await here.run('query', 'entries', '--json')).json()
  expect(rows).toHaveLength(300)
  return { here, index, rows }
}

const damages: [string, (index: string) => void][] = [
  ['deleted', index => rmSync(index)],
  ['empty', index => truncateSync(index, 0)],
  ['cut in the head', index => truncateSync(index, 50)],
  ['cut in a page', index => truncateSync(index, Math.floor(readFileSync(index).length / 2) + 123)],
  ['cut between pages', index => truncateSync(index, 16384)],
  ['overwritten with rubbish', index => writeFileSync(index, Buffer.alloc(100_000, 'rubbish '))],
  [
    'overwritten behind its head',
    index => {
      const bytes = readFileSync(index)
      writeFileSync(index, Buffer.concat([bytes.subarray(0, 100), Buffer.alloc(bytes.length - 100, 0x5a)]))
    },
  ],
  [
    'zeros in the middle',
    index => {
      const bytes = readFileSync(index)
      writeFileSync(index, bytes.fill(0, 4096, bytes.length - 4096))
    },
  ],
]

describe('a damaged index is set aside and built anew', () => {
  test.each(damages)('%s: exit 0, and the answers are those of the record', async (_, damage) => {
    const { here, index, rows } = await indexed()
    damage(index)
    const outcome = await here.run('query', 'entries', '--json')
    expect(outcome.code, outcome.stderr).toBe(0)
    expect(outcome.json().rows).toEqual(rows)
    const again = await here.run('index', '--json')
    expect(again.code, again.stderr).toBe(0)
    expect(again.json()).toMatchObject({ entries: 300, files: { unreadable: 0 } })
    expect((await here.run('verify')).code).toBe(0)
  })

  test.each(damages.slice(4))('%s: the first to notice may be coord index', async (_, damage) => {
    const { here, index, rows } = await indexed()
    damage(index)
    here.record.start('s3', at(1000))
    const outcome = await here.run('index', '--json')
    expect(outcome.code, outcome.stderr).toBe(0)
    expect(outcome.json().entries).toBe(301)
    expect((await here.run('query', 'entries', '--json')).json().rows).toHaveLength(
      (rows as unknown[]).length + 1,
    )
  })

  test('nothing of the damaged file is lost: it stands beside the new one', async () => {
    const { here, index } = await indexed()
    const rubbish = Buffer.alloc(100_000, 'rubbish ')
    writeFileSync(index, rubbish)
    const outcome = await here.run('index')
    expect(outcome.code).toBe(0)
    expect(outcome.stdout + outcome.stderr).toMatch(/damaged|set aside/i)
    const others = readdirSync(dirname(index)).filter(
      name => name.startsWith(basename(index)) && name !== basename(index),
    )
    expect(others.some(name => readFileSync(join(dirname(index), name)).equals(rubbish))).toBe(true)
  })

  test('a folder in the place of the index is an error that names it', async () => {
    const { here, index } = await indexed()
    rmSync(index)
    mkdirSync(index)
    const outcome = await here.run('index', '--json')
    expect([1, 3]).toContain(outcome.code)
    expect(outcome.stdout).toBe('')
    expect(JSON.stringify(outcome.error())).toContain(index)
  })
})

describe('an index that is not ours is left alone, byte for byte', () => {
  const commands = [['index'], ['index', '--rebuild'], ['tree'], ['query', 'entries'], ['verify']]

  async function expectLeftAlone(here: Place, path: string, args: string[]) {
    const before = readFileSync(path)
    const files = readdirSync(dirname(path)).sort()
    for (const command of commands) {
      const outcome = await here.run(...command, ...args, '--json')
      expect(outcome.code, command.join(' ')).toBe(1)
      expect(outcome.stdout).toBe('')
      expect(outcome.error()).toMatchObject({ kind: 'index', message: expect.stringContaining(path) })
      expect(readFileSync(path).equals(before), command.join(' ')).toBe(true)
    }
    const added = readdirSync(dirname(path)).filter(name => !files.includes(name))
    expect(added.filter(name => !name.endsWith('.lock'))).toEqual([])
  }

  test('a version from the future: the error says so', async () => {
    const { here, index } = await indexed()
    const future = join(here.dir, 'future.db')
    copyFileSync(index, future)
    const db = new Database(future)
    db.pragma('user_version = 99')
    db.close()
    await expectLeftAlone(here, future, ['--index', future])
    const { stderr } = await here.run('index', '--index', future)
    expect(stderr).toMatch(/99|newer/)
    expect((await here.run('index')).code).toBe(0)
  })

  test('a version from the future at the default place', async () => {
    const { here, index } = await indexed()
    const db = new Database(index)
    db.pragma('user_version = 99')
    db.close()
    await expectLeftAlone(here, index, [])
  })

  test('the database of another program', async () => {
    const { here } = await indexed()
    const foreign = join(here.dir, 'foreign.db')
    const db = new Database(foreign)
    db.exec(
      `create table entry (id integer primary key, precious text); insert into entry values (1, 'mine')`,
    )
    db.close()
    await expectLeftAlone(here, foreign, ['--index', foreign])
  })

  test('the database of another program that has our table names and a version', async () => {
    const { here } = await indexed()
    const foreign = join(here.dir, 'foreign.db')
    const db = new Database(foreign)
    db.exec('create table meta (key text primary key, value text not null)')
    db.pragma('user_version = 1')
    db.close()
    await expectLeftAlone(here, foreign, ['--index', foreign])
  })

  test('a file that is no database', async () => {
    const { here } = await indexed()
    const notes = join(here.dir, 'notes.txt')
    writeFileSync(notes, 'my notes\n'.repeat(100))
    await expectLeftAlone(here, notes, ['--index', notes])
  })

  test('an index of another record at the same --index is not mixed with this one', async () => {
    const { here } = await indexed()
    const other = place()
    other.record.start('other', at(0))
    const shared = join(here.dir, 'shared.db')
    await here.run('index', '--index', shared)
    const outcome = await other.run('query', 'sessions', '--index', shared, '--json')
    if (outcome.code === 0) {
      expect(outcome.json().rows.map((row: { session_id: string }) => row.session_id)).toEqual(['other'])
    } else {
      expect(outcome.code).toBe(1)
      expect(existsSync(shared)).toBe(true)
    }
    expect((await here.run('query', 'entries', '--index', shared, '--count')).stdout).toBe('300\n')
  })
})
