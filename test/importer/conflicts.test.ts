import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { importRecords } from '../../src/importer/import-record.ts'
import { classifyName, conflictedName, conflictFileName } from '../../src/record/file-name.ts'
import { filesIn } from '../support/files.ts'
import { at, fileName, type RecordBuilder, recordBuilder } from '../support/record-builder.ts'
import { tempFolder } from '../support/temp-folder.ts'

const name = fileName(at(0), 'x')
const sha256 = (bytes: string) => createHash('sha256').update(bytes).digest('hex')

function machines(): { dir: string; here: RecordBuilder; there: RecordBuilder } {
  const dir = tempFolder()
  return { dir, here: recordBuilder(join(dir, 'here')), there: recordBuilder(join(dir, 'there')) }
}

describe('the other bytes of a conflict are never lost', () => {
  test('also where other bytes stand under their names already, however many', async () => {
    const { here, there } = machines()
    const other = '{"other":1}'
    here.raw('s', name, '{}')
    there.raw('s', name, other)
    for (let digits = 12; digits <= 64; digits += 4) {
      const answer = await importRecords(here.dir, [there.dir])
      const path = `s/${conflictFileName(name, sha256(other), digits)}`
      expect(answer.conflicts).toEqual([{ path: `s/${name}`, kept: `s/${name}`, other: path }])
      expect(filesIn(here.dir)[path]).toBe(other)
      expect(classifyName(path.slice(2))).toBe('conflict')
      writeFileSync(here.path(path), `planted ${digits}`)
    }
    const before = filesIn(here.dir)
    const { skipped, ...rest } = await importRecords(here.dir, [there.dir])
    expect(rest).toEqual({ added: 0, same: 0, conflicts: [] })
    expect(skipped).toHaveLength(1)
    expect(filesIn(here.dir)).toEqual(before)
  })

  test.each([
    ['a folder', (path: string) => mkdirSync(path)],
    ['another file', (path: string) => writeFileSync(path, 'planted')],
  ])('also where %s has the name', async (_, plant) => {
    const { here, there } = machines()
    here.raw('s', name, '{}')
    there.raw('s', name, 'other')
    plant(here.path(`s/${conflictFileName(name, sha256('other'))}`))
    const { conflicts } = await importRecords(here.dir, [there.dir])
    expect(filesIn(here.dir)[conflicts[0]?.other ?? '']).toBe('other')
  })

  test.each([
    ['the longest entry name', fileName(at(0), 'x'.repeat(255 - fileName(at(0), '').length))],
    ['a long one', fileName(at(0), 'x'.repeat(240 - fileName(at(0), '').length))],
    ['a long one that is no entry’s, of wide characters', `${'€'.repeat(83)}.json`],
    ['one that ends in .JSON', 'X.JSON'],
  ])('also where the name is %s', async (_, long) => {
    const { here, there } = machines()
    here.raw('s', long, '{}')
    there.raw('s', long, 'other')
    for (const _again of [1, 2]) {
      const { conflicts, skipped } = await importRecords(here.dir, [there.dir])
      expect(skipped).toBeUndefined()
      const other = conflicts[0]?.other.slice(2) ?? ''
      expect(filesIn(here.dir)).toEqual({ [`s/${long}`]: '{}', [`s/${other}`]: 'other' })
      expect(Buffer.byteLength(other)).toBeLessThanOrEqual(255)
      expect(classifyName(other)).toBe('conflict')
      const beside = conflictedName(other) ?? ''
      expect(classifyName(beside)).toBe(classifyName(long))
      expect(long.startsWith(beside.slice(0, -5))).toBe(true)
    }
  })
})

describe('an exchange in both directions', () => {
  test('ends with the same bytes on both machines, and going on changes nothing', async () => {
    const { here, there } = machines()
    here.raw('s', name, 'mine')
    there.raw('s', name, 'theirs')
    expect(await importRecords(here.dir, [there.dir])).toMatchObject({ added: 0, same: 0, conflicts: [{}] })
    // Their plain file is the conflict we keep, and our conflict file is theirs.
    expect(await importRecords(there.dir, [here.dir])).toMatchObject({ added: 0, same: 1, conflicts: [{}] })
    const [ours, theirs] = [filesIn(here.dir), filesIn(there.dir)]
    expect(Object.values(ours).sort()).toEqual(['mine', 'theirs'])
    expect(Object.values(theirs).sort()).toEqual(['mine', 'theirs'])
    for (const _ of [1, 2]) {
      const known = { added: 0, same: 1, conflicts: [{ path: `s/${name}` }] }
      expect(await importRecords(here.dir, [there.dir])).toMatchObject(known)
      expect(await importRecords(there.dir, [here.dir])).toMatchObject(known)
    }
    expect(filesIn(here.dir)).toEqual(ours)
    expect(filesIn(there.dir)).toEqual(theirs)
  })

  test('a third machine gets all bytes once, in whatever order', async () => {
    const { dir, here, there } = machines()
    here.raw('s', name, 'mine')
    there.raw('s', name, 'theirs')
    await importRecords(here.dir, [there.dir])
    await importRecords(there.dir, [here.dir])
    for (const [target, sources] of Object.entries({ a: [here, there], b: [there, here] })) {
      await importRecords(
        join(dir, target),
        sources.map(one => one.dir),
      )
      expect(Object.values(filesIn(join(dir, target))).sort()).toEqual(['mine', 'theirs'])
    }
  })

  test('a conflict file alone is copied, and one of other bytes is a conflict again', async () => {
    const { dir, here, there } = machines()
    const conflict = conflictFileName(name, sha256('one'))
    there.raw('s', conflict, 'one')
    expect(await importRecords(here.dir, [there.dir])).toMatchObject({ added: 1 })
    cpSync(there.dir, join(dir, 'changed'), { recursive: true })
    writeFileSync(join(dir, 'changed', 's', conflict), 'two')
    const { conflicts } = await importRecords(here.dir, [join(dir, 'changed')])
    // It stands beside the name that both are the other bytes of.
    expect(conflicts.map(({ other }) => other)).toEqual([`s/${conflictFileName(name, sha256('two'))}`])
    expect(Object.values(filesIn(here.dir)).sort()).toEqual(['one', 'two'])
  })

  test('the same bytes under a conflict name that tells more of their hash are no news', async () => {
    const { here, there } = machines()
    here.raw('s', name, 'mine')
    here.raw('s', conflictFileName(name, sha256('other')), 'other')
    there.raw('s', conflictFileName(name, sha256('other'), 16), 'other')
    expect(await importRecords(here.dir, [there.dir])).toEqual({ added: 0, same: 1, conflicts: [] })
  })

  test('bytes that are kept under such a name are not kept a second time', async () => {
    const { here, there } = machines()
    const kept = conflictFileName(name, sha256('other'), 16)
    here.raw('s', name, 'mine')
    here.raw('s', kept, 'other')
    there.raw('s', name, 'other')
    const { conflicts } = await importRecords(here.dir, [there.dir])
    expect(conflicts).toEqual([{ path: `s/${name}`, kept: `s/${name}`, other: `s/${kept}` }])
    expect(Object.keys(filesIn(here.dir))).toHaveLength(2)
  })
})

describe('names that differ in letter case only', () => {
  const start = (session: string) =>
    JSON.stringify({
      kind: 'start',
      sessionId: session,
      at: at(0),
      cwd: '/',
      host: 'h',
      version: '1',
      inbound: 'x',
    })

  async function imported(before: Record<string, string>, source: Record<string, string>) {
    const { here, there } = machines()
    for (const [record, files] of [
      [here, before],
      [there, source],
    ] as const)
      for (const [path, bytes] of Object.entries(files))
        record.raw(...(path.split('/') as [string, string]), bytes)
    const dry = await importRecords(here.dir, [there.dir], { dryRun: true })
    const answer = await importRecords(here.dir, [there.dir])
    expect(dry).toEqual(answer)
    expect(answer.skipped).toBeUndefined()
    return Object.keys(filesIn(here.dir)).sort()
  }
  const [a, b, c] = [0, 1, 2].map(second => fileName(at(second), 'x'))

  test('two sessions stay two', async () => {
    expect(await imported({ [`abc/${a}`]: start('abc') }, { [`ABC/${b}`]: start('ABC') })).toEqual([
      `ABC/${b}`,
      `abc/${a}`,
    ])
  })

  test('a file that cannot be read goes with the others of its folder, wherever it stands among them', async () => {
    expect(
      await imported(
        { [`abc/${a}`]: start('abc') },
        { [`ABC/${a}`]: '{"torn', [`ABC/${b}`]: start('ABC'), [`ABC/${c}`]: '{"torn' },
      ),
    ).toEqual([`ABC/${a}`, `ABC/${b}`, `ABC/${c}`, `abc/${a}`])
  })

  test('one session whose folder a copy has renamed is one, also with files that cannot be read', async () => {
    expect(
      await imported(
        { [`abc/${a}`]: start('abc') },
        { [`ABC/${a}`]: start('abc'), [`ABC/${b}`]: start('abc'), [`ABC/${c}`]: '' },
      ),
    ).toEqual([`abc/${a}`, `abc/${b}`, `abc/${c}`])
  })

  test('where nothing can be read, the folder that is there is its own', async () => {
    expect(await imported({ [`abc/${a}`]: start('abc') }, { [`ABC/${b}`]: '{"torn' })).toEqual([
      `abc/${a}`,
      `abc/${b}`,
    ])
  })

  test('where both spellings are there, each is its own', async () => {
    expect(
      await imported(
        { [`abc/${a}`]: start('abc'), [`ABC/${a}`]: start('ABC') },
        { [`ABC/${b}`]: '{"torn', [`abc/${c}`]: '' },
      ),
    ).toEqual([`ABC/${a}`, `ABC/${b}`, `abc/${a}`, `abc/${c}`])
  })

  test('an entry of another session altogether does not move into a folder of another spelling', async () => {
    expect(await imported({ [`abc/${a}`]: start('abc') }, { [`ABC/${b}`]: start('other') })).toEqual([
      `ABC/${b}`,
      `abc/${a}`,
    ])
  })

  test('of two files of a session the one of this very spelling is the name’s, the other is known too', async () => {
    const names = [fileName(at(0), 'a'), fileName(at(0), 'A')] as [string, string]
    for (const [mine, its] of [names, names.toReversed()] as [string, string][]) {
      const { here, there } = machines()
      for (const one of names) here.raw('s', one, one)
      there.raw('s', mine, 'other')
      const { conflicts } = await importRecords(here.dir, [there.dir])
      expect(conflicts).toMatchObject([{ path: `s/${mine}`, kept: `s/${mine}` }])
      there.raw('s', mine, its)
      expect(await importRecords(here.dir, [there.dir])).toMatchObject({ same: 1, conflicts: [] })
    }
  })
})
