import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Entry } from '../../src/record/entry.ts'
import { sequenceOf } from '../../src/record/file-name.ts'
import { entryWriter } from '../../src/writer/entry-writer.ts'
import { hostStorage } from '../../src/writer/host-storage.ts'
import { nodeStorage } from '../../src/writer/node-storage.ts'
import { FileExistsError, type RecordStorage } from '../../src/writer/storage.ts'
import { wholeEntries } from '../support/entries.ts'
import { hostFiles } from '../support/host-files.ts'
import { tempFolder } from '../support/temp-folder.ts'

const start = wholeEntries.start as Entry
const degraded = { degraded: expect.stringMatching(/\S/) }
const storages: [string, () => RecordStorage][] = [
  ['node', () => nodeStorage],
  ['host', () => hostStorage(hostFiles())],
]

describe.each(storages)(
  'rule.recordingMayFail, through the %s storage: degraded, never thrown',
  (_, storage) => {
    const write = (recordDir: string, entry = start) =>
      entryWriter({ recordDir, storage: storage(), sequence: sequenceOf('load1') }).write(entry)

    test('the parent of the record folder is a file, which is left as it is', async () => {
      const file = join(tempFolder(), 'file')
      writeFileSync(file, 'mine')
      expect(await write(join(file, 'record'))).toEqual(degraded)
      expect(readFileSync(file, 'utf8')).toBe('mine')
    })

    test('the record folder is a file', async () => {
      const file = join(tempFolder(), 'record')
      writeFileSync(file, 'mine')
      expect(await write(file)).toEqual(degraded)
      expect(readFileSync(file, 'utf8')).toBe('mine')
    })

    test('the session folder is a file', async () => {
      const recordDir = tempFolder()
      writeFileSync(join(recordDir, 'session-1'), 'mine')
      expect(await write(recordDir)).toEqual(degraded)
    })

    test('a name with NUL', async () => {
      expect(await write(`${tempFolder()}/a\0b`)).toEqual(degraded)
    })

    test('after a failure the same writer goes on', async () => {
      const recordDir = join(tempFolder(), 'record')
      writeFileSync(recordDir, '')
      const writer = entryWriter({ recordDir, storage: storage(), sequence: sequenceOf('load1') })
      expect(await writer.write(start)).toEqual(degraded)
      rmSync(recordDir)
      expect(await writer.write(start)).toHaveProperty('file')
    })
  },
)

describe('rule.recordingMayFail: a storage that fails', () => {
  const with_ = (create: RecordStorage['create'], entry: unknown = start) =>
    entryWriter({ recordDir: '/record', storage: { create }, sequence: sequenceOf('load1') }).write(
      entry as Entry,
    )

  test.each([
    ['throws an error', new Error('disk full')],
    ['throws a text', 'disk full'],
    ['throws nothing', undefined],
    ['throws null', null],
  ])('%s', async (_, thrown) => {
    const rejects = async () => {
      throw thrown
    }
    const throws = () => {
      throw thrown
    }
    expect(await with_(rejects)).toEqual(degraded)
    expect(await with_(throws)).toEqual(degraded)
  })

  test('says what the system said', async () => {
    const result = await with_(async () => {
      throw new Error('ENOSPC: no space left on device')
    })
    expect(result).toEqual({ degraded: expect.stringContaining('ENOSPC') })
  })

  test('a storage in which every name is taken: it gives up, and says so', async () => {
    let tries = 0
    const result = await with_(async path => {
      tries += 1
      throw new FileExistsError(path)
    })
    expect(result).toEqual(degraded)
    expect(tries).toBeGreaterThan(1)
  })

  test('more than the host takes in one write: degraded, and nothing is written', async () => {
    const recordDir = tempFolder()
    const entry = { ...wholeEntries.sent, text: 'x'.repeat(4_194_304) } as Entry
    const result = await entryWriter({
      recordDir,
      storage: hostStorage(hostFiles()),
      sequence: sequenceOf('a'),
    }).write(entry)
    expect(result).toEqual(degraded)
    expect(readdirSync(recordDir)).toEqual([])
  })

  test('the host refuses to look the path up: nothing is written over', async () => {
    const host = hostFiles()
    const storage = hostStorage({
      fs: {
        ...host.fs,
        stat: async path => {
          throw new Error(`coordination: $.fs.stat(${path}) failed: EACCES`)
        },
      },
    })
    const result = await entryWriter({ recordDir: tempFolder(), storage, sequence: sequenceOf('a') }).write(
      start,
    )
    expect(result).toEqual(degraded)
    expect(host.calls).toEqual([])
  })
})

describe('case 13: what is no entry of the record is not written', () => {
  test.each([
    ['a session id that is a path', { ...start, sessionId: '../../etc/x' }],
    ['a session id that is empty', { ...start, sessionId: '' }],
    ['a time that is none', { ...start, at: '../x' }],
    ['an entry with a missing field', { ...start, cwd: undefined }],
    [
      'an entry without a field',
      { kind: 'chain', sessionId: 'session-1', at: start.at, parent: 'p', part: '' },
    ],
    ['null', null],
    ['a text', 'start'],
  ])('%s', async (_, entry) => {
    const folder = tempFolder()
    const recordDir = join(folder, 'a', 'b', 'record')
    const writer = entryWriter({ recordDir, storage: nodeStorage, sequence: sequenceOf('load1') })
    expect(await writer.write(entry as Entry)).toEqual(degraded)
    expect(existsSync(join(folder, 'a'))).toBe(false)
  })

  test('an entry that JSON cannot hold', async () => {
    const loop: Record<string, unknown> = { ...start }
    loop.loop = loop
    const writer = entryWriter({
      recordDir: tempFolder(),
      storage: nodeStorage,
      sequence: sequenceOf('load1'),
    })
    expect(await writer.write(loop as unknown as Entry)).toEqual(degraded)
    expect(await writer.write({ ...start, big: 1n } as unknown as Entry)).toEqual(degraded)
  })
})

describe('what degraded says', () => {
  const written = (recordDir: string, entry: object, sequence = sequenceOf('load1')) =>
    entryWriter({ recordDir, storage: nodeStorage, sequence }).write(entry as Entry)

  test('names the field of an entry that is none', async () => {
    expect(await written(tempFolder(), { ...start, cwd: 5 })).toEqual({
      degraded: "the entry is not one of the record's: cwd: must be a string",
    })
  })

  test.each(['../x', 'a b', 'a.b', ''])(
    'a sequence of %j makes no name of an entry: nothing is written',
    async part => {
      const recordDir = tempFolder()
      const result = await written(recordDir, start, () => part)
      expect(result).toEqual({ degraded: expect.stringContaining("is no entry's file name") })
      expect(readdirSync(recordDir)).toEqual([])
    },
  )

  test('an error of the system that is not of a taken name is told at once', async () => {
    let asked = 0
    const tooLong = () => {
      asked += 1
      return 'x'.repeat(300)
    }
    expect(await written(tempFolder(), start, tooLong)).toEqual({
      degraded: expect.stringContaining('ENAMETOOLONG'),
    })
    expect(asked).toBe(1)
  })

  test('a hundred names are tried, then it names the folder and the way out', async () => {
    const recordDir = tempFolder()
    let asked = 0
    const same = (last: number) => () => {
      asked += 1
      return asked < last ? 'same' : 'other'
    }
    await written(recordDir, start, () => 'same')
    expect(await written(recordDir, start, same(100))).toHaveProperty('file')
    asked = 0
    await written(recordDir, start, () => 'other')
    expect(await written(recordDir, start, same(101))).toEqual({
      degraded: `every name tried in ${recordDir}/session-1 is taken; is the sequence unique to this load?`,
    })
    expect(asked).toBe(100)
  })

  test('an error that is a text is told as it is', async () => {
    const create = async () => {
      throw 'disk full'
    }
    const writer = entryWriter({ recordDir: '/record', storage: { create }, sequence: sequenceOf('a') })
    expect(await writer.write(start)).toEqual({ degraded: 'disk full' })
  })
})

describe('each storage', () => {
  test.each(storages)('%s: a path that is taken is told by its path', async (_, storage) => {
    const path = join(tempFolder(), 'file')
    await storage().create(path, 'one')
    const error = await storage()
      .create(path, 'two')
      .catch(error => error)
    expect(error).toBeInstanceOf(FileExistsError)
    expect(error).toMatchObject({ name: 'FileExistsError', path, message: `file exists: ${path}` })
    expect(readFileSync(path, 'utf8')).toBe('one')
  })

  test.each(storages)('%s: when it has answered, the file is whole', async (_, storage) => {
    const path = join(tempFolder(), 'file')
    await storage().create(path, 'x'.repeat(1_000_000))
    expect(readFileSync(path, 'utf8')).toHaveLength(1_000_000)
  })

  test('node: no file stays open', async () => {
    const folder = tempFolder()
    for (const name of ['a', 'b', 'c']) await nodeStorage.create(join(folder, name), 'x')
    const open = readdirSync('/proc/self/fd').filter(number => {
      try {
        return readlinkSync(`/proc/self/fd/${number}`).startsWith(folder)
      } catch {
        return false
      }
    })
    expect(open).toEqual([])
  })
})
