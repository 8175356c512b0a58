import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { readJson } from '../../src/files/read-json.ts'
import { readText } from '../../src/files/read-text.ts'
import { readWhole } from '../../src/files/read-whole.ts'
import { isLinux, isPosix, onlyWhere } from '../support/only-where.ts'
import { tempFolder } from '../support/temp-folder.ts'

const bom = Buffer.from([0xef, 0xbb, 0xbf])

let folder: string
let path: string
beforeEach(() => {
  folder = tempFolder()
  path = join(folder, 'file.json')
})

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

describe('readJson', () => {
  it('gives the value', () => {
    writeFileSync(path, ' {"a": ["ü", null, 1]}\n')
    expect(readJson(path, { largest: 100 })).toEqual({ value: { a: ['ü', null, 1] } })
  })

  it.each([
    ['nothing', '', /^is not JSON: /],
    ['half a value', '{"a": 1', /^is not JSON: /],
    ['two values', '{}{}', /^is not JSON: /],
    ['NUL, as after a power cut', '\0'.repeat(20), /^is not JSON: /],
    [
      'a byte order mark before its value',
      Buffer.concat([bom, Buffer.from('{}')]),
      /^begins with a byte order mark$/,
    ],
    ['a value that nests too deep', nested(100_000), /^is not JSON: it is more than 200 levels deep$/],
    ['a value that nests one level too deep', nested(201), /^is not JSON: it is more than 200 levels deep$/],
    [
      'objects that nest too deep',
      `${'{"a":'.repeat(600)}1${'}'.repeat(600)}`,
      /^is not JSON: it is more than 200 levels deep$/,
    ],
  ])('says that a file with %s is not JSON', (_, content, why) => {
    writeFileSync(path, content)
    const read = readJson(path, { largest: 1_000_000 })
    expect(read).toEqual({ unread: 'not-json', why: expect.stringMatching(why) })
  })

  it('takes a value that nests as deep as may be', () => {
    writeFileSync(path, nested(200))
    expect(readJson(path, { largest: 10_000 })).toHaveProperty('value')
  })

  it.each([
    ['a byte that is none', Buffer.from([0x22, 0xff, 0x22])],
    ['a character that is cut off', Buffer.from('"ü"').subarray(0, 2)],
    ['UTF-16', Buffer.from('{}', 'utf16le').fill(0xd8, 1)],
  ])('says that a file with %s is not UTF-8', (_, content) => {
    writeFileSync(path, content)
    expect(readJson(path, { largest: 100 })).toMatchObject({ unread: 'not-utf8', why: 'is not UTF-8' })
  })

  it('tells a missing file from a damaged one', () => {
    expect(readJson(path, { largest: 100 })).toEqual({ unread: 'missing', why: 'is missing', code: 'ENOENT' })
    writeFileSync(path, '{}')
    expect(readJson(join(path, 'below'), { largest: 100 })).toMatchObject({
      unread: 'missing',
      code: 'ENOTDIR',
    })
  })
})

describe('readText', () => {
  it('keeps a byte order mark and every line end', () => {
    writeFileSync(path, Buffer.concat([bom, Buffer.from('a\r\nü')]))
    expect(readText(path, { largest: 100 })).toEqual({ text: '\ufeffa\r\nü' })
  })
})

describe('readWhole', () => {
  it.each([0, 1, 4_096, 100_000])('gives a file of %i bytes, and no more than is asked for', size => {
    const bytes = Buffer.alloc(size, 'x')
    writeFileSync(path, bytes)
    const read = readWhole(path, { largest: size })
    expect(read).toMatchObject({ stats: { size } })
    expect('bytes' in read && read.bytes.equals(bytes)).toBe(true)
    if (size === 0) return
    expect(readWhole(path, { largest: size - 1 })).toMatchObject({
      unread: 'too-large',
      why: `is over ${size - 1} bytes`,
      stats: { size },
    })
  })

  // The system's own files have the size 0 and hold more: as a file does that grows while it is read.
  onlyWhere(isLinux, 'reads /proc')('reads a file that has grown to its end, and stops at the bound', () => {
    const grown = readWhole('/proc/self/status', { largest: 100_000 })
    expect(grown).toMatchObject({ stats: { size: 0 } })
    expect('bytes' in grown && grown.bytes.toString()).toMatch(/^Name:.*^nonvoluntary_ctxt_switches:\t\d+$/ms)
    expect('bytes' in grown && grown.bytes.at(-1)).toBe(0x0a)
    expect(readWhole('/proc/self/status', { largest: 64 })).toMatchObject({ unread: 'too-large' })
    expect(readWhole('/proc/self/status', { largest: 0 })).toMatchObject({ unread: 'too-large' })
  })

  it('opens a folder and reads nothing of it', () => {
    mkdirSync(path)
    expect(readWhole(path, { largest: 100 })).toMatchObject({ unread: 'no-file', why: 'is no file' })
  })

  onlyWhere(isPosix, 'makes a pipe')('waits for no pipe, socket or device', async () => {
    execFileSync('mkfifo', [path])
    expect(readWhole(path, { largest: 100 })).toMatchObject({ unread: 'no-file' })
    expect(readWhole('/dev/zero', { largest: 100 })).toMatchObject({ unread: 'no-file' })
    const socket = join(folder, 's')
    const server = createServer().listen(socket)
    await new Promise(resolve => server.once('listening', resolve))
    expect(readWhole(socket, { largest: 100 })).toMatchObject({ unread: 'no-file', why: 'is no file' })
    await new Promise(resolve => server.close(resolve))
  })

  onlyWhere(isPosix, 'makes a link')('follows a link, where it may', () => {
    writeFileSync(join(folder, 'real'), 'x')
    symlinkSync('real', path)
    expect(readWhole(path, { largest: 100 })).toHaveProperty('bytes')
    expect(readWhole(path, { largest: 100, followsLinks: false })).toMatchObject({
      unread: 'link',
      code: 'ELOOP',
    })
    rmSync(join(folder, 'real'))
    expect(readWhole(path, { largest: 100 })).toMatchObject({ unread: 'missing' })
    mkdirSync(join(folder, 'real'))
    expect(readWhole(path, { largest: 100 })).toMatchObject({ unread: 'no-file' })
  })

  it.each([
    ['ENAMETOOLONG', 'x'.repeat(300)],
    ['ERR_INVALID_ARG_VALUE', 'a\0b'],
  ])('says what the system says of a name that it takes none of: %s', (code, name) => {
    const read = readWhole(join(folder, name), { largest: 100 })
    expect(read).toMatchObject({ unread: 'failed', code })
    expect(read).toHaveProperty('why', expect.stringMatching(/^cannot be read: ./))
  })

  onlyWhere(isLinux, 'reads /proc')('leaves no file open, whatever the file is', () => {
    const open = () =>
      execFileSync('ls', [`/proc/${process.pid}/fd`], { encoding: 'utf8' }).split('\n').length
    writeFileSync(path, 'xx')
    const before = open()
    for (let time = 0; time < 20; time++) {
      for (const largest of [1, 2]) readWhole(path, { largest })
      readWhole(folder, { largest: 1 })
    }
    expect(open()).toBeLessThan(before + 10)
  })
})
