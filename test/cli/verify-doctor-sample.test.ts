import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseEntryFileName } from '../../src/record/file-name.ts'
import { place } from '../support/coord.ts'
import { filesIn } from '../support/files.ts'
import { at } from '../support/record-builder.ts'
import { nodesOf } from '../support/tree.ts'

describe('coord verify', () => {
  test('a record that is as the index says: exit 0, one JSON document', async () => {
    const here = place()
    here.record.start('a', at(0))
    const outcome = await here.run('verify', '--json')
    expect(outcome.code).toBe(0)
    expect(outcome.json()).toBeTypeOf('object')
    expect((await here.run('verify')).code).toBe(0)
  })

  test('rule.oneWriter: an entry that was changed in place is found, exit 4, and it is named', async () => {
    const here = place()
    const file = here.record.sent('a', 'b', 'original', at(0))
    here.record.start('a', at(1))
    await here.run('index')
    const path = here.record.path(file)
    const { atime, mtime } = statSync(path)
    writeFileSync(path, readFileSync(path, 'utf8').replace('original', 'tampered'))
    utimesSync(path, atime, mtime)
    const outcome = await here.run('verify', '--json')
    expect(outcome.code).toBe(4)
    expect(outcome.stdout + outcome.stderr).toContain(file)
    const forPeople = await here.run('verify')
    expect(forPeople.code).toBe(4)
    expect(forPeople.stdout + forPeople.stderr).toContain(file)
  })

  test('files that cannot be read make the answer partial, exit 8', async () => {
    const here = place()
    here.record.start('a', at(0))
    here.record.raw('a', '2026-11-01T100009.000Z-torn.json', '{')
    expect((await here.run('verify', '--json')).code).toBe(8)
  })
})

describe('coord doctor', () => {
  test('where all is well: exit 0, one JSON document', async () => {
    const here = place()
    here.record.start('a', at(0))
    await here.run('index')
    const outcome = await here.run('doctor', '--json')
    expect(outcome.code, outcome.stdout).toBe(0)
    expect(outcome.json()).toBeTypeOf('object')
  })

  test('a folder that cannot be used is named, with a way out, exit 3', async () => {
    const here = place()
    here.record.start('a', at(0))
    writeFileSync(join(here.dir, 'file'), '')
    const outcome = await here.runWith({ env: { XDG_CACHE_HOME: join(here.dir, 'file') } }, 'doctor')
    expect(outcome.code).toBe(3)
    expect(outcome.stdout + outcome.stderr).toContain(join(here.dir, 'file'))
  })

  test('it changes nothing', async () => {
    const here = place()
    here.record.start('a', at(0))
    await here.run('index')
    const before = filesIn(here.dir)
    await here.run('doctor')
    expect(filesIn(here.dir)).toEqual(before)
  })
})

describe('exit code 3: folder rights', () => {
  test('a cache folder that cannot be made: the folder is named, and a hint says what to do', async () => {
    const here = place()
    here.record.start('a', at(0))
    const file = join(here.dir, 'file')
    writeFileSync(file, '')
    const outcome = await here.runWith({ env: { XDG_CACHE_HOME: file } }, 'tree', '--json')
    expect(outcome.code).toBe(3)
    expect(outcome.stdout).toBe('')
    const error = outcome.error()
    expect(error.kind).toBe('environment')
    expect(JSON.stringify(error)).toContain(file)
    expect(error.hint).toMatch(/\S/)
  })
})

describe('coord sample', () => {
  test('writes a record that reads without a fault and shows a chain', async () => {
    const here = place()
    const dir = join(here.dir, 'sample')
    const outcome = await here.run('sample', dir)
    expect(outcome.code).toBe(0)
    const tree = await here.run('tree', '--record-dir', dir, '--json')
    expect(tree.code).toBe(0)
    expect(tree.json().freshness.unreadable).toBe(0)
    const roles = nodesOf(tree.json().chains).map(node => node.role)
    expect(roles).toContain('top')
    expect(roles).toContain('lead')
    const kinds = (
      await here.run('query', 'entries', '--record-dir', dir, '--select', 'kind', '--json')
    ).json().rows
    expect(new Set(kinds.map((row: { kind: string }) => row.kind))).toEqual(
      new Set(['start', 'chain', 'message']),
    )
  })

  test('entryFile: each name states the time of its entry, as the writer makes it', async () => {
    const here = place()
    const dir = join(here.dir, 'sample')
    await here.run('sample', dir)
    const files = Object.entries(filesIn(dir))
    expect(files.length).toBeGreaterThan(0)
    for (const [path, content] of files) {
      const [session, name] = path.split('/') as [string, string]
      const entry = JSON.parse(Buffer.from(content, 'latin1').toString())
      expect(entry.sessionId).toBe(session)
      expect(parseEntryFileName(name)?.at).toBe(entry.at)
    }
  })

  test('an empty folder that is there already will do', async () => {
    const here = place()
    const dir = join(here.dir, 'sample')
    mkdirSync(dir)
    expect((await here.run('sample', dir)).code).toBe(0)
    expect(readdirSync(dir).length).toBeGreaterThan(0)
  })

  test('a folder that holds anything is left alone', async () => {
    const here = place()
    here.record.start('mine', at(0))
    const before = filesIn(here.record.dir)
    const outcome = await here.run('sample', here.record.dir, '--json')
    expect([1, 2]).toContain(outcome.code)
    expect(outcome.stdout).toBe('')
    expect(outcome.error().message).toMatch(/\S/)
    expect(filesIn(here.record.dir)).toEqual(before)
  })

  test('--json prints one document', async () => {
    const here = place()
    const outcome = await here.run('sample', join(here.dir, 'sample'), '--json')
    expect(outcome.code).toBe(0)
    expect(outcome.json()).toBeTypeOf('object')
    rmSync(join(here.dir, 'sample'), { recursive: true })
  })
})
