import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkedSource } from '../../src/importer/checked-source.ts'
import { importRecords } from '../../src/importer/import-record.ts'
import { LARGEST_FILE, readRegularFile } from '../../src/importer/regular-file.ts'
import { isOfThePlace, systemCode, systemProblem } from '../../src/importer/system-problem.ts'
import { Problem } from '../../src/problem/problem.ts'
import { conflictFileName } from '../../src/record/file-name.ts'
import { filesIn } from '../support/files.ts'
import { at, fileName, recordBuilder } from '../support/record-builder.ts'
import { tempFolder } from '../support/temp-folder.ts'

const [a, b] = [0, 1].map(second => fileName(at(second), 'x')) as [string, string]

function machines() {
  const dir = tempFolder()
  return { dir, here: recordBuilder(join(dir, 'here')), there: recordBuilder(join(dir, 'there')) }
}

function fifo(path: string): string {
  expect(spawnSync('mkfifo', [path]).status).toBe(0)
  return path
}

function start(session: string): string {
  return JSON.stringify({
    ...{ kind: 'start', sessionId: session, at: at(0), cwd: '/', host: 'h', version: '1', inbound: 'x' },
  })
}

/** The files that a source holds: what would be copied as folder/name, and what is told of. */
function lookInto(path: string, recordDir: string) {
  const copied: string[] = []
  const told: Record<string, string> = {}
  for (const file of checkedSource(path, recordDir).files()) {
    if ('problem' in file) told[relative(path, file.path)] = file.problem
    else {
      const read = file.read()
      if ('problem' in read) told[`${file.folder}/${file.name}`] = read.problem
      else copied.push(`${file.folder}/${file.name}`)
    }
  }
  return { copied, told }
}

describe('a source that is none is refused before anything is copied', () => {
  test.each<[string, (dir: string) => string, string]>([
    ['nothing', dir => join(dir, 'nothing'), 'not-found'],
    [
      'what would lie below a file',
      dir => {
        writeFileSync(join(dir, 'file'), '')
        return join(dir, 'file', 'record')
      },
      'not-found',
    ],
    ['a pipe', dir => fifo(join(dir, 'pipe')), 'record'],
    ['a device', () => '/dev/null', 'record'],
    [
      'a folder without entries',
      dir => {
        mkdirSync(join(dir, 'empty', 's'), { recursive: true })
        writeFileSync(join(dir, 'empty', 's', 'notes.txt'), '')
        return join(dir, 'empty')
      },
      'record',
    ],
    [
      'a file that is no tar',
      dir => {
        writeFileSync(join(dir, 'notes.txt'), 'x'.repeat(2_000))
        return join(dir, 'notes.txt')
      },
      'record',
    ],
    ['the record', dir => join(dir, 'here'), 'record'],
    ['a folder in the record', dir => join(dir, 'here', 's'), 'record'],
    [
      'one in it whose name begins with dots',
      dir => {
        recordBuilder(join(dir, 'here', '..s')).raw('t', a, '{}')
        return join(dir, 'here', '..s')
      },
      'record',
    ],
    ['a folder around the record', dir => dir, 'record'],
    [
      'the record by a link',
      dir => {
        symlinkSync(join(dir, 'here'), join(dir, 'link'))
        return join(dir, 'link')
      },
      'record',
    ],
  ])('%s', async (_, make, kind) => {
    const { dir, here, there } = machines()
    here.raw('s', a, '{}')
    there.raw('t', a, '{}')
    const source = make(dir)
    const before = filesIn(here.dir)
    for (const sources of [
      [there.dir, source],
      [source, there.dir],
    ])
      await expect(importRecords(here.dir, sources)).rejects.toMatchObject({ name: 'Problem', kind })
    expect(filesIn(here.dir)).toEqual(before)
  })

  test('a record that is yet to be made in the source, by its own path or by a link', async () => {
    const { dir, there } = machines()
    there.raw('t', a, '{}')
    symlinkSync(there.dir, join(dir, 'link'))
    for (const record of [join(there.dir, 'new', 'record'), join(dir, 'link', 'new', 'record')])
      await expect(importRecords(record, [there.dir])).rejects.toMatchObject({ kind: 'record' })
    expect(readdirSync(there.dir)).toEqual(['t'])
  })

  test('a folder beside the record is apart from it, whatever its name', async () => {
    const { dir, here } = machines()
    here.raw('s', a, '{}')
    for (const name of ['here2', '..here', 'her']) {
      recordBuilder(join(dir, name)).raw('t', a, '{}')
      expect((await importRecords(here.dir, [join(dir, name)])).skipped).toBeUndefined()
    }
  })
})

describe('which folders of a folder are sessions', () => {
  test('all but hidden ones, links and those further down; what is not copied is told of', () => {
    const { dir, here, there } = machines()
    for (const session of ['s', 't', '.hidden']) there.raw(session, a, '{}')
    there.raw('s', 'notes.json', '{}')
    there.raw('s', conflictFileName(a, 'f'.repeat(64)), '{}')
    there.raw('s', 'notes.txt', '{}')
    there.raw('s', '.tmp.json', '{}')
    there.raw('s/old', b, '{}')
    there.raw('s/old', 'notes.json', '{}')
    there.raw('s/.cache', b, '{}')
    mkdirSync(there.path(`s/${fileName(at(5), 'folder')}`))
    symlinkSync(join(dir, 'nowhere'), there.path(`s/${fileName(at(6), 'link')}`))
    fifo(there.path(`s/${fileName(at(7), 'pipe')}`))
    symlinkSync(there.path('t'), there.path('link'))
    writeFileSync(there.path(b), '{}')
    const { copied, told } = lookInto(there.dir, here.dir)
    expect(copied.sort()).toEqual(
      [`s/${a}`, `s/${conflictFileName(a, 'f'.repeat(64))}`, 's/notes.json', `t/${a}`].sort(),
    )
    expect(told).toEqual({
      [b]: 'lies in no session’s folder',
      link: 'a symbolic link, not followed',
      [`s/old/${b}`]: 'lies below a session’s folder, not in it',
      [`s/${fileName(at(5), 'folder')}`]: 'not a file, never read',
      [`s/${fileName(at(6), 'link')}`]: 'a symbolic link, not followed',
      [`s/${fileName(at(7), 'pipe')}`]: 'not a file, never read',
    })
  })

  test('a folder of one session is that one, by its real name', () => {
    const { dir, here, there } = machines()
    there.raw('s', a, '{}')
    there.raw('s/notes', 'x.txt', '{}')
    symlinkSync(there.path('s'), join(dir, 'latest'))
    expect(lookInto(join(dir, 'latest'), here.dir)).toEqual({ copied: [`s/${a}`], told: {} })
  })

  test.each<[string, (record: ReturnType<typeof recordBuilder>) => void]>([
    ['a folder with an entry', there => there.raw('s', b, '{}')],
    [
      'a folder with the other bytes of one',
      there => there.raw('s', conflictFileName(b, 'f'.repeat(64)), '{}'),
    ],
    [
      'a link to a folder',
      there => {
        mkdirSync(`${there.dir}-else`)
        symlinkSync(`${there.dir}-else`, there.path('s'))
      },
    ],
  ])('with %s beside it, a loose entry makes no session of a record', (_, prepare) => {
    const { here, there } = machines()
    writeFileSync(there.path(a), '{}')
    prepare(there)
    const { copied, told } = lookInto(there.dir, here.dir)
    expect(copied.filter(path => path.startsWith('there/'))).toEqual([])
    expect(told[a]).toBe('lies in no session’s folder')
  })

  test.each<[string, (record: ReturnType<typeof recordBuilder>) => void]>([
    ['a link to nothing', there => symlinkSync('/nowhere/at/all', there.path('s'))],
    ['a hidden folder with an entry', there => there.raw('.s', b, '{}')],
    ['a folder named like an entry', there => there.raw(fileName(at(9), 'folder'), b, '{}')],
    ['a folder with another JSON file', there => there.raw('s', 'notes.json', '{}')],
  ])('with %s beside it, entries are one session’s', (_, prepare) => {
    const { here, there } = machines()
    writeFileSync(there.path(a), '{}')
    prepare(there)
    expect(lookInto(there.dir, here.dir).copied).toEqual([`there/${a}`])
  })

  test('a loose thing that is no file makes no session of it', () => {
    const { here, there } = machines()
    mkdirSync(there.path('s'))
    fifo(there.path(a))
    expect(lookInto(there.dir, here.dir)).toEqual({
      copied: [],
      told: { [a]: 'lies in no session’s folder' },
    })
  })

  test('the spelling of a session is that of the first entry which can be read and states it', async () => {
    const { here, there } = machines()
    const [c, d, e] = [2, 3, 4].map(second => fileName(at(second), 'x')) as [string, string, string]
    here.raw('abc', a, start('abc'))
    there.raw('ABC', a, '{')
    there.raw('ABC', '0.json', start('ABC'))
    there.raw('ABC', b, start('other'))
    there.raw('ABC', c, start('Abc'))
    there.raw('ABC', d, start('ABC'))
    there.raw('ABC', e, start('aBC'))
    await importRecords(here.dir, [there.dir])
    expect(Object.keys(filesIn(here.dir)).sort()).toEqual(
      // What states nothing goes with the entry that does: Abc.
      ['0.json', d]
        .map(name => `ABC/${name}`)
        .concat(
          [a, b, c].map(name => `Abc/${name}`),
          `aBC/${e}`,
          `abc/${a}`,
        )
        .sort(),
    )
  })
})

describe('a file is read whole or not at all', () => {
  test('one that is too large is not, and one that is as large as may be is', () => {
    const path = join(tempFolder(), 'x')
    writeFileSync(path, '')
    truncateSync(path, LARGEST_FILE + 1)
    expect(readRegularFile(path)).toEqual({ problem: `too large: ${LARGEST_FILE + 1} bytes` })
    truncateSync(path, LARGEST_FILE)
    expect(readRegularFile(path)).toHaveProperty('bytes')
  })

  test.each<[string, (path: string) => void, string]>([
    ['a pipe', path => fifo(path), 'not a file, never read'],
    ['a folder', path => mkdirSync(path), 'not a file, never read'],
    ['a link to a file', path => symlinkSync('/etc/hostname', path), 'a symbolic link, not followed'],
    ['nothing', () => {}, 'cannot be read (ENOENT)'],
  ])('%s is not', (_, make, problem) => {
    const path = join(tempFolder(), 'x')
    make(path)
    expect(readRegularFile(path)).toEqual({ problem })
  })
})

test('bytes that are no text arrive as they are, and another time are the same', async () => {
  const { here, there } = machines()
  there.raw('s', a, Buffer.from([0xff, 0xfe, 0]))
  const other = Buffer.from([0xfe, 0xff, 0])
  expect(await importRecords(here.dir, [there.dir])).toMatchObject({ added: 1, same: 0 })
  expect(await importRecords(here.dir, [there.dir])).toMatchObject({ added: 0, same: 1 })
  there.raw('s', a, other)
  const { conflicts } = await importRecords(here.dir, [there.dir])
  expect(conflicts).toHaveLength(1)
  // Its name is made of the bytes, not of what they would be as text.
  expect(conflicts[0]?.other).toBe(
    `s/${conflictFileName(a, createHash('sha256').update(other).digest('hex'))}`,
  )
  expect(filesIn(here.dir)[conflicts[0]?.other as string]).toBe(other.toString('latin1'))
})

test.each<[string, (path: string, outside: string) => void]>([
  ['a link to a folder', (path, outside) => symlinkSync(outside, path)],
  ['a link to nothing', path => symlinkSync('/nowhere/at/all', path)],
  ['a file', path => writeFileSync(path, '')],
])(
  '%s in the place of a session’s folder is never written through, and the rest is copied',
  async (_, plant) => {
    const { dir, here, there } = machines()
    there.raw('s', a, '{}')
    there.raw('t', a, '{}')
    mkdirSync(join(dir, 'outside'))
    plant(here.path('s'), join(dir, 'outside'))
    const { added, skipped } = await importRecords(here.dir, [there.dir])
    expect([added, skipped]).toEqual([
      1,
      [{ path: there.path(`s/${a}`), reason: 'the record holds something there that is not a folder' }],
    ])
    expect(readdirSync(join(dir, 'outside'))).toEqual([])
  },
)

test('a name with a line break is one; a dry run leaves what a killed import has left', async () => {
  const { here, there } = machines()
  there.raw('s', 'x\ny.json', '{}')
  const left = here.path(here.raw('s', `.import-${'0'.repeat(32)}`, 'torn'))
  utimesSync(left, 0, 0)
  expect(await importRecords(here.dir, [there.dir], { dryRun: true })).toMatchObject({ added: 1 })
  expect(readdirSync(here.path('s'))).toHaveLength(1)
  expect(await importRecords(here.dir, [there.dir])).toEqual({ added: 1, same: 0, conflicts: [] })
  expect(readdirSync(here.path('s'))).toEqual(['x\ny.json'])
})

test('what is written is private to the user', async () => {
  const { here, there } = machines()
  there.raw('s', a, '{}')
  await importRecords(here.dir, [there.dir])
  expect(statSync(here.path(`s/${a}`)).mode & 0o777).toBe(0o600)
})

test('a dry run makes no folder, and gives the same answer as the real one, also for two sources of one name', async () => {
  const { dir, here, there } = machines()
  const third = recordBuilder(join(dir, 'third'))
  here.raw('s', a, 'one')
  there.raw('s', a, 'two')
  third.raw('s', a, 'two')
  there.raw('t', b, '{"x":1}')
  third.raw('T', b, '{"x":1}')
  third.raw('t', b, '{"x":2}')
  const sources = [there.dir, third.dir]
  const seen: number[] = []
  const dry = await importRecords(here.dir, sources, { dryRun: true, progress: files => seen.push(files) })
  expect(Object.keys(filesIn(here.dir))).toEqual([`s/${a}`])
  expect(seen).toEqual([1, 2, 3, 4, 5])
  await importRecords(join(dir, 'not-yet'), sources, { dryRun: true })
  expect(readdirSync(dir)).not.toContain('not-yet')
  expect(await importRecords(here.dir, sources)).toEqual(dry)
  expect(dry).toMatchObject({ added: 1, same: 1 })
  expect(dry.conflicts.map(({ path }) => path)).toEqual([`s/${a}`, `s/${a}`, `t/${b}`])
})

describe('what a system error means', () => {
  const error = (code: string) => Object.assign(new Error(`${code}: no`), { code })

  test.each(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'EMFILE', 'ENFILE', 'EIO'])(
    '%s is of the place: the import ends',
    code => {
      expect(isOfThePlace(error(code))).toBe(true)
      const problem = systemProblem('it cannot be', error(code), '/path', 'do this')
      expect(problem).toBeInstanceOf(Problem)
      expect(problem).toMatchObject({ kind: 'environment', path: '/path', hint: 'do this' })
      expect((problem as Problem).message).toMatch(new RegExp(`^it cannot be: .+ \\(${code}\\)$`))
    },
  )

  test.each(['ENAMETOOLONG', 'EINVAL', 'EEXIST', 'ENOENT', 'ELOOP'])('%s is of the one file', code => {
    expect(isOfThePlace(error(code))).toBe(false)
    expect(systemProblem('it cannot be', error(code), '/path', 'do this')).toMatchObject({
      kind: 'failed',
      message: `it cannot be: ${code}: no`,
    })
  })

  test('a fault of this program stays what it is, and so does what is said already', () => {
    const fault = new TypeError('no function')
    expect([systemCode(fault), isOfThePlace(fault), systemCode('text')]).toEqual([
      undefined,
      false,
      undefined,
    ])
    expect(systemProblem('x', fault, '/path', 'y')).toBe(fault)
    const said = Object.assign(new Problem('record', 'said'), { code: 'EIO' })
    expect(systemProblem('x', said, '/path', 'y')).toBe(said)
  })
})
