import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  cacheFolder,
  dataFolder,
  recordFolder,
  recordKey,
  runnerFolder,
  type Surroundings,
} from '../../src/record/folders.ts'

const linux: Surroundings = { platform: 'linux', home: '/home/dev' }
const mac: Surroundings = { platform: 'darwin', home: '/Users/dev' }
const windows: Surroundings = {
  platform: 'win32',
  home: 'C:\\Users\\dev',
  localAppData: 'C:\\Users\\dev\\AppData\\Local',
}

describe('ruling 11: the default folder', () => {
  test('on Linux', () => {
    expect(recordFolder(linux)).toEqual({ folder: '/home/dev/.local/share/coordination/record' })
  })

  test('on macOS', () => {
    expect(recordFolder(mac)).toEqual({
      folder: '/Users/dev/Library/Application Support/coordination/record',
    })
  })

  test('on Windows', () => {
    expect(recordFolder(windows)).toEqual({
      folder: 'C:\\Users\\dev\\AppData\\Local\\coordination\\record',
    })
  })

  test.each([
    ['linux', linux, '/data/x', '/data/x/coordination/record'],
    ['macOS', mac, '/data/x/', '/data/x/coordination/record'],
    ['windows', windows, 'D:\\data', 'D:\\data\\coordination\\record'],
  ])('XDG_DATA_HOME goes before the default on %s', (_, around, xdgDataHome, folder) => {
    expect(recordFolder({ ...around, xdgDataHome })).toEqual({ folder })
  })

  test.each(['', 'relative/data', './x'])(
    'XDG_DATA_HOME=%j is not absolute and does not count',
    xdgDataHome => {
      expect(recordFolder({ ...linux, xdgDataHome })).toEqual(recordFolder(linux))
    },
  )

  test.each([
    ['/srv/record', '/srv/record'],
    ['~/record', '/home/dev/record'],
    ['~', '/home/dev'],
  ])('recordDir %s goes before XDG_DATA_HOME', (option, folder) => {
    expect(recordFolder({ ...linux, xdgDataHome: '/data' }, option)).toEqual({ folder })
  })

  test('an empty recordDir, which is its default, is none', () => {
    expect(recordFolder(linux, '')).toEqual(recordFolder(linux))
  })

  test.each(['record', './record', '~dev/record', 'C:\\record'])(
    'recordDir %s is a problem with a hint',
    option => {
      expect(recordFolder(linux, option)).toEqual({
        problem: expect.stringContaining(option),
        hint: expect.stringMatching(/\S/),
      })
    },
  )

  test('a relative recordDir on Windows is a problem, one with a drive or a server is none', () => {
    expect(recordFolder(windows, 'record')).toHaveProperty('problem')
    expect(recordFolder(windows, '/record')).toHaveProperty('problem')
    expect(recordFolder(windows, 'D:\\record')).toEqual({ folder: 'D:\\record' })
    expect(recordFolder(windows, '\\\\server\\record')).toEqual({ folder: '\\\\server\\record' })
    expect(recordFolder(windows, '~\\record')).toEqual({ folder: 'C:\\Users\\dev\\record' })
  })

  test.each([
    ['HOME', { ...linux, home: undefined }],
    ['HOME', { ...mac, home: '' }],
    ['LOCALAPPDATA', { ...windows, localAppData: undefined }],
  ])('without %s the problem names it', (name, around) => {
    expect(recordFolder(around)).toMatchObject({ problem: expect.stringContaining(name) })
  })
})

describe('ruling 2: the cache never lies inside the record', () => {
  test.each([linux, mac, windows])('on $platform the two folders are apart', around => {
    const record = recordFolder(around) as { folder: string }
    const cache = cacheFolder(around) as { folder: string }
    expect(cache.folder.startsWith(record.folder)).toBe(false)
    expect(record.folder.startsWith(cache.folder)).toBe(false)
  })

  test('XDG_CACHE_HOME goes before the default', () => {
    expect(cacheFolder({ ...linux, xdgCacheHome: '/c' })).toEqual({ folder: '/c/coordination' })
  })

  test('the key is a plain name, the same for a folder at every call, another for another folder', () => {
    expect(recordKey('/srv/record')).toMatch(/^[0-9a-f]{16}$/)
    expect(recordKey('/srv/record')).toBe(recordKey('/srv/record'))
    expect(recordKey('/srv/record')).not.toBe(recordKey('/srv/record2'))
  })
})

describe('ruling 11: every folder of every system', () => {
  const local = 'C:\\Users\\dev\\AppData\\Local'
  test.each([
    [
      'linux',
      linux,
      '/home/dev/.local/share/coordination',
      '/home/dev/.cache/coordination',
      '/home/dev/.local/share/agent-collab',
    ],
    [
      'freebsd',
      { ...linux, platform: 'freebsd' },
      '/home/dev/.local/share/coordination',
      '/home/dev/.cache/coordination',
      '/home/dev/.local/share/agent-collab',
    ],
    [
      'darwin',
      mac,
      '/Users/dev/Library/Application Support/coordination',
      '/Users/dev/Library/Caches/coordination',
      '/Users/dev/Library/Application Support/agent-collab',
    ],
    ['win32', windows, `${local}\\coordination`, `${local}\\coordination\\cache`, `${local}\\agent-collab`],
  ])('%s', (_, around, data, cache, runner) => {
    expect(dataFolder(around)).toEqual({ folder: data })
    expect(cacheFolder(around)).toEqual({ folder: cache })
    expect(runnerFolder(around)).toEqual({ folder: runner })
  })

  const xdg = { xdgDataHome: '/d', xdgCacheHome: '/c' }

  test('each XDG variable moves its own folders; the runner follows it on Linux alone', () => {
    expect(dataFolder({ ...linux, ...xdg })).toEqual({ folder: '/d/coordination' })
    expect(cacheFolder({ ...linux, ...xdg })).toEqual({ folder: '/c/coordination' })
    expect(runnerFolder({ ...linux, ...xdg })).toEqual({ folder: '/d/agent-collab' })
    expect(runnerFolder({ ...mac, ...xdg })).toEqual(runnerFolder(mac))
    expect(cacheFolder({ ...linux, xdgDataHome: '/d' })).toEqual(cacheFolder(linux))
    expect(dataFolder({ ...linux, xdgCacheHome: '/c' })).toEqual(dataFolder(linux))
  })

  test.each(['', 'relative', './x', '~/x'])('XDG variables of %j do not count', value => {
    const relative = { ...linux, xdgDataHome: value, xdgCacheHome: value }
    for (const folder of [dataFolder, cacheFolder, runnerFolder])
      expect(folder(relative)).toEqual(folder(linux))
  })

  test.each([undefined, '', 'home/dev', '.'])('without an absolute HOME, here %j, it is a problem', home => {
    for (const folder of [dataFolder, cacheFolder, runnerFolder, recordFolder])
      expect(folder({ ...linux, home })).toEqual({
        problem: 'HOME is not set to an absolute path',
        hint: expect.stringMatching(/\S/),
      })
    expect(recordFolder({ ...linux, home }, '~/record')).toHaveProperty('problem')
    expect(recordFolder({ ...linux, home }, '~')).toHaveProperty('problem')
    expect(recordFolder({ ...linux, home }, '/srv/record')).toEqual({ folder: '/srv/record' })
  })
})

describe('one spelling of a folder, since its key is made of it', () => {
  test.each([
    ['/srv/record/', '/srv/record'],
    ['//srv///record', '/srv/record'],
    ['/srv/./record/.', '/srv/record'],
    ['/srv/x/../record', '/srv/record'],
    ['/srv/x/y/../../record/z/..', '/srv/record'],
    ['/../srv', '/srv'],
    ['/../../srv/..', '/'],
    ['/', '/'],
    ['/srv/..x/.y/...', '/srv/..x/.y/...'],
    ['/srv/a\\b', '/srv/a\\b'],
    ['~', '/home/dev'],
    ['~/', '/home/dev'],
    ['~/a/../b', '/home/dev/b'],
  ])('%s is %s', (option, folder) => expect(recordFolder(linux, option)).toEqual({ folder }))

  test.each([
    ['C:\\a\\..\\record\\', 'C:\\record'],
    ['c:/a/./b//record', 'c:\\a\\b\\record'],
    ['C:\\', 'C:\\'],
    ['C:\\..\\record', 'C:\\record'],
    ['\\\\server\\share\\x\\..\\record', '\\\\server\\share\\record'],
    ['~/record', 'C:\\Users\\dev\\record'],
    ['~', 'C:\\Users\\dev'],
  ])('on Windows %s is %s', (option, folder) => expect(recordFolder(windows, option)).toEqual({ folder }))

  test.each(['C:record', '1:\\record', '\\record', 'CD:\\record'])(
    'on Windows %s is not absolute',
    option => {
      expect(recordFolder(windows, option)).toHaveProperty('problem')
    },
  )

  test('a home with a slash at its end is the same home', () => {
    expect(recordFolder({ ...linux, home: '/home/dev/' })).toEqual(recordFolder(linux))
    expect(recordFolder({ ...linux, home: '/home/dev/' }, '~')).toEqual({ folder: '/home/dev' })
  })

  test('~ means the home folder only at the beginning and on its own', () => {
    for (const option of ['~dev', '~\\record', 'a/~'])
      expect(recordFolder(linux, option)).toHaveProperty('problem')
    expect(recordFolder(linux, '/a/~')).toEqual({ folder: '/a/~' })
  })

  // Fixed: the mod of one version finds what an indexer of another has published.
  test('the key of a record is the beginning of the SHA-256 of its path', () => {
    expect(recordKey('/srv/Record')).not.toBe(recordKey('/srv/record'))
    expect(recordKey('/srv/record')).toBe(
      createHash('sha256').update('/srv/record').digest('hex').slice(0, 16),
    )
  })
})
