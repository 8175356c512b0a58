import { describe, expect, test } from 'vitest'
import { cacheFolder, recordFolder, recordKey, type Surroundings } from '../../src/record/folders.ts'

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
