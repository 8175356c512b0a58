import * as fs from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { beginWholeFile, syncFolder, writeAll, writeWholeFile } from '../../src/files/whole-file.ts'
import { tempFolder } from '../support/temp-folder.ts'

/**
 * What reached the disk cannot be seen from a process, and no file system can be asked to take a part of a write. So the
 * calls go to the real file system by way of this list, and a write takes as many bytes as `most` lets through.
 */
const seen = vi.hoisted(() => ({ calls: [] as string[], paths: new Map<number, string>(), most: Infinity }))

vi.mock('node:fs', async importActual => {
  const actual = await importActual<typeof fs>()
  const nameOf = (path: string) =>
    path
      .replace(/[0-9a-f]{16}/, 'R')
      .split('/')
      .at(-1) ?? ''
  return {
    ...actual,
    openSync: (path: string, flags: string, mode?: number) => {
      const file = actual.openSync(path, flags, mode)
      seen.paths.set(file, nameOf(path))
      return file
    },
    closeSync: (file: number) => {
      seen.calls.push(`close ${seen.paths.get(file)}`)
      actual.closeSync(file)
    },
    fsyncSync: (file: number) => {
      seen.calls.push(`sync ${seen.paths.get(file)}`)
      actual.fsyncSync(file)
    },
    renameSync: (from: string, to: string) => {
      seen.calls.push(`rename ${nameOf(from)} ${nameOf(to)}`)
      actual.renameSync(from, to)
    },
    writeSync: (file: number, bytes: Uint8Array, offset = 0) =>
      actual.writeSync(file, bytes, offset, Math.min(seen.most, bytes.length - offset)),
  }
})

/** A folder with a name that the list above can tell. */
function folderNamed(name: string): string {
  const folder = join(tempFolder(), name)
  fs.mkdirSync(folder)
  return folder
}

beforeEach(() => {
  seen.calls.length = 0
  seen.most = Infinity
})

describe('a file is whole on disk before it has its name', () => {
  it('its bytes are synced, then it is renamed, then its folder is synced; nothing stays open', () => {
    const folder = folderNamed('folder')
    writeWholeFile(join(folder, 'file'), 'x')
    expect(seen.calls).toEqual([
      'sync .file.R.tmp',
      'close .file.R.tmp',
      'rename .file.R.tmp file',
      'sync folder',
      'close folder',
    ])
  })

  it('one that is abandoned is closed, once', () => {
    const file = beginWholeFile(join(folderNamed('folder'), 'file'))
    file.abandon()
    file.abandon()
    expect(seen.calls).toEqual(['close .file.R.tmp'])
  })

  it('a folder that cannot be synced is closed all the same', () => {
    const folder = folderNamed('folder')
    syncFolder(folder)
    expect(seen.calls).toEqual(['sync folder', 'close folder'])
  })
})

describe('a disk that takes a few bytes at a time', () => {
  it.each([1, 2, 7, 4096])('%i: the file holds all of them, each once and in order', most => {
    seen.most = most
    const path = join(tempFolder(), 'file')
    const text = 'żółć 0123456789 '.repeat(20)
    writeWholeFile(path, text)
    expect(fs.readFileSync(path, 'utf8')).toBe(text)
    const bytes = Buffer.from(text)
    const file = fs.openSync(path, 'w')
    writeAll(file, bytes, path)
    fs.closeSync(file)
    expect(fs.readFileSync(path).equals(bytes)).toBe(true)
  })
})
