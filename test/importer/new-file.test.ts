import type fs from 'node:fs'
import {
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { importRecords } from '../../src/importer/import-record.ts'
import { removeLeftOvers, writeNewFile } from '../../src/importer/new-file.ts'
import { filesIn } from '../support/files.ts'
import { at, fileName, recordBuilder } from '../support/record-builder.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** What the file system does in a test instead of what it would do. */
const faults: {
  open?: (path: string) => void
  link?: (to: string) => void
  write?: (bytes: unknown) => unknown
} = {}

vi.mock('node:fs', async original => {
  const real = await original<typeof fs>()
  return {
    ...real,
    openSync(path: string, flags: string, mode: number) {
      faults.open?.(path)
      return real.openSync(path, flags, mode)
    },
    linkSync(from: string, to: string) {
      faults.link?.(to)
      real.linkSync(from, to)
    },
    writeFileSync(file: string | number, bytes: string, options: object) {
      const more = typeof file === 'number' ? faults.write?.(bytes) : undefined
      real.writeFileSync(file, (more as string | undefined) ?? bytes, options)
      if (more !== undefined) throw failure('ENOSPC')
    },
  }
})

beforeEach(() => {
  delete faults.open
  delete faults.link
  delete faults.write
})

function failure(code: string): Error {
  return Object.assign(new Error(`${code}: not today`), { code })
}

const bytes = Buffer.from('the bytes')
const half = () => 'the'

describe('a new file is whole or not there', () => {
  for (const code of ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']) {
    test(`without hard links (${code})`, () => {
      const folder = tempFolder()
      faults.link = () => {
        throw failure(code)
      }
      expect(writeNewFile(folder, 'x', bytes)).toBe(true)
      expect(filesIn(folder)).toEqual({ x: 'the bytes' })
      expect(writeNewFile(folder, 'x', Buffer.from('other'))).toBe(false)
      expect(filesIn(folder)).toEqual({ x: 'the bytes' })
    })
  }

  test('a full disk leaves nothing, with hard links or without', () => {
    const folder = tempFolder()
    faults.write = half
    expect(() => writeNewFile(folder, 'x', bytes)).toThrow('ENOSPC')
    let writes = 0
    faults.write = () => (++writes === 2 ? 'the' : undefined)
    faults.link = () => {
      throw failure('EPERM')
    }
    expect(() => writeNewFile(folder, 'x', bytes)).toThrow('ENOSPC')
    expect(readdirSync(folder)).toEqual([])
  })

  test('any other failure of the link leaves nothing', () => {
    const folder = tempFolder()
    faults.link = () => {
      throw failure('EIO')
    }
    expect(() => writeNewFile(folder, 'x', bytes)).toThrow('EIO')
    expect(readdirSync(folder)).toEqual([])
  })

  test('a link planted under the name of the temporary file or of the copy is not followed', () => {
    const folder = tempFolder()
    const secret = join(tempFolder(), 'secret')
    writeFileSync(secret, 'secret')
    for (const planted of ['.import-', 'x']) {
      faults.open = path => {
        if (path.startsWith(join(folder, planted))) symlinkSync(secret, path)
      }
      faults.link = () => {
        throw failure('EPERM')
      }
      if (planted === 'x') expect(writeNewFile(folder, 'x', bytes)).toBe(false)
      else expect(() => writeNewFile(folder, 'x', bytes)).toThrow('EEXIST')
      expect(readFileSync(secret, 'utf8')).toBe('secret')
    }
  })

  test('a taken name is not touched, whatever has it', () => {
    const folder = tempFolder()
    writeFileSync(join(folder, 'file'), 'mine')
    mkdirSync(join(folder, 'folder'))
    symlinkSync(join(folder, 'nowhere'), join(folder, 'link'))
    for (const name of ['file', 'folder', 'link']) {
      for (const link of [undefined, 'EPERM']) {
        if (link) {
          faults.link = () => {
            throw failure(link)
          }
        }
        expect(writeNewFile(folder, name, bytes)).toBe(false)
        delete faults.link
      }
    }
    expect(filesIn(folder)).toEqual({ file: 'mine' })
    expect(readdirSync(folder).sort()).toEqual(['file', 'folder', 'link'])
  })
})

describe('a file that somebody else puts there between the look and the link', () => {
  test.each([
    ['the same bytes', '{}', { added: 0, same: 1, conflicts: [] }],
    ['other bytes', 'other', { added: 0, same: 0, conflicts: [expect.anything()] }],
  ])('%s', async (_, meanwhile, expected) => {
    const dir = tempFolder()
    const source = recordBuilder(join(dir, 'source'))
    source.raw('s', fileName(at(0), 'x'), '{}')
    faults.link = to => {
      delete faults.link
      writeFileSync(to, meanwhile)
    }
    expect(await importRecords(join(dir, 'record'), [source.dir])).toEqual(expected)
    expect(Object.values(filesIn(join(dir, 'record'))).sort()).toEqual([...new Set([meanwhile, '{}'])].sort())
  })

  test('a name that is taken and gone each time is told of, and does not loop', async () => {
    const dir = tempFolder()
    const source = recordBuilder(join(dir, 'source'))
    source.raw('s', fileName(at(0), 'x'), '{}')
    source.raw('t', fileName(at(0), 'x'), '{}')
    faults.link = to => {
      if (to.includes('/s/')) throw failure('EEXIST')
    }
    const { added, skipped } = await importRecords(join(dir, 'record'), [source.dir])
    expect([added, skipped?.length]).toEqual([1, 1])
  })
})

test('a disk that is full ends the import with one problem, after which what was copied is whole', async () => {
  const dir = tempFolder()
  const source = recordBuilder(join(dir, 'source'))
  for (const second of [0, 1, 2]) source.raw('s', fileName(at(second), 'x'), `{"n":${second}}`)
  let writes = 0
  faults.write = () => (++writes === 2 ? '{' : undefined)
  await expect(importRecords(join(dir, 'record'), [source.dir])).rejects.toMatchObject({
    name: 'Problem',
    kind: 'environment',
    message: expect.stringContaining('full'),
  })
  expect(filesIn(join(dir, 'record'))).toEqual({ [`s/${fileName(at(0), 'x')}`]: '{"n":0}' })
})

test.each(['ENAMETOOLONG', 'EINVAL', 'EILSEQ'])('%s is of the one file: the rest is copied', async code => {
  const dir = tempFolder()
  const source = recordBuilder(join(dir, 'source'))
  for (const second of [0, 1, 2]) source.raw('s', fileName(at(second), 'x'), '{}')
  faults.link = to => {
    if (to.includes(fileName(at(1), 'x'))) throw failure(code)
  }
  const { added, skipped } = await importRecords(join(dir, 'record'), [source.dir])
  expect(added).toBe(2)
  expect(skipped).toEqual([
    { path: join(source.dir, 's', fileName(at(1), 'x')), reason: expect.stringContaining(code) },
  ])
  expect(readdirSync(join(dir, 'record', 's'))).toHaveLength(2)
})

test('only what killed imports have plainly left is removed', () => {
  const folder = tempFolder()
  const long = new Date(Date.now() - 75_000)
  const own = ['.import-4711', `.import-${'a'.repeat(32)}`]
  const others = ['.import-notes', '.imported', 'x.json', '.x.json.swp', 'x.import-4711', '.import-4711.json']
  for (const name of [...own, ...others]) {
    writeFileSync(join(folder, name), name)
    utimesSync(join(folder, name), long, long)
  }
  writeFileSync(join(folder, '.import-12'), 'of an import that may still run')
  const young = new Date(Date.now() - 45_000)
  utimesSync(join(folder, '.import-12'), young, young)
  mkdirSync(join(folder, '.import-13'))
  symlinkSync(join(folder, 'x.json'), join(folder, '.import-14'))
  utimesSync(join(folder, '.import-13'), long, long)
  lutimesSync(join(folder, '.import-14'), long, long)
  removeLeftOvers(folder)
  expect(readdirSync(folder).sort()).toEqual([...others, '.import-12', '.import-13', '.import-14'].sort())
  expect(readFileSync(join(folder, 'x.json'), 'utf8')).toBe('x.json')
})

test('what a killed import leaves has a name that the next one removes', () => {
  const folder = tempFolder()
  const opened: string[] = []
  faults.open = path => void opened.push(path)
  writeNewFile(folder, 'x', bytes)
  const [temporary] = opened as [string]
  writeFileSync(temporary, 'th')
  const long = new Date(Date.now() - 3_600_000)
  utimesSync(temporary, long, long)
  removeLeftOvers(folder)
  expect(readdirSync(folder)).toEqual(['x'])
})
