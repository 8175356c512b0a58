import { closeSync, openSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Problem } from '../../../src/problem/problem.ts'
import { readAt, readWhole, writeExtract } from '../../../src/scan/extract/extract-file.ts'
import { sha } from '../../support/scan-items.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const pathIn = (folder = tempFolder()) => join(folder, 'cache', 'x.ndjson')
const openFiles = () => readdirSync('/dev/fd').length

function written(path: string, findings: unknown[], whole: unknown = { file: 'żółć' }) {
  const writer = writeExtract(path)
  for (const finding of findings) writer.add(finding)
  const added = writer.added()
  writer.finish(whole)
  return added
}

describe('an extract as a file', () => {
  it('is a line for each finding, one for the whole, and that line’s length in bytes', () => {
    const path = pathIn()
    const added = written(path, [{ a: 'ż' }, { b: 1 }])
    const findings = '{"a":"ż"}\n{"b":1}\n'
    expect(added).toEqual({ bytes: Buffer.byteLength(findings), sha256: sha(findings) })
    expect(readFileSync(path, 'utf8')).toBe(`${findings}{"file":"żółć"}\n0000000000000020\n`)
    expect(readWhole(path)).toEqual({ file: 'żółć' })
  })

  it('of many findings is written in pieces and says the same', () => {
    const path = pathIn()
    const findings = Array.from({ length: 40 }, (_, at) => ({ at, text: 'ż'.repeat(60_000) }))
    const text = findings.map(one => `${JSON.stringify(one)}\n`).join('')
    expect(written(path, findings)).toEqual({ bytes: Buffer.byteLength(text), sha256: sha(text) })
    expect(readFileSync(path, 'utf8').startsWith(text)).toBe(true)
  })

  it('appears whole or not at all: what was there stays until the end, and nothing else is left', () => {
    const path = pathIn()
    written(path, [{ a: 1 }])
    const before = readFileSync(path)
    const other = writeExtract(path)
    other.add({ b: 'x'.repeat(2 << 20) })
    expect(readFileSync(path)).toEqual(before)
    other.abandon()
    expect(readFileSync(path)).toEqual(before)
    expect(readdirSync(dirname(path))).toEqual(['x.ndjson'])
  })

  it('takes over the findings of an older one, byte for byte, before its own', () => {
    const folder = tempFolder()
    const [old, path] = [pathIn(folder), join(folder, 'cache', 'y.ndjson')]
    const findings = Array.from({ length: 30 }, (_, at) => ({ at, text: 'ż'.repeat(60_000) }))
    const added = written(old, findings)
    const writer = writeExtract(path)
    const open = openFiles()
    expect(writer.addFrom(old, added)).toBe(true)
    expect(openFiles()).toBe(open)
    writer.add({ more: 1 })
    writer.finish({})
    const text = [...findings, { more: 1 }].map(one => `${JSON.stringify(one)}\n`).join('')
    expect(readFileSync(path, 'utf8')).toBe(`${text}{}\n0000000000000003\n`)
  })

  it('keeps what was added before in its place', () => {
    const [old, path] = [pathIn(), pathIn()]
    const writer = writeExtract(path)
    writer.add({ before: 1 })
    writer.addFrom(old, written(old, [{ a: 1 }]))
    writer.finish({})
    expect(readFileSync(path, 'utf8')).toBe('{"before":1}\n{"a":1}\n{}\n0000000000000003\n')
  })

  it.each<[string, (path: string) => void]>([
    ['shorter', path => truncateSync(path, 3)],
    ['other bytes', path => writeFileSync(path, readFileSync(path, 'utf8').replace('count', 'cOunt'))],
    ['empty', path => truncateSync(path, 0)],
  ])('says so where those are not what they were: %s', (_, damage) => {
    const old = pathIn()
    const added = written(old, [{ words: 'count' }])
    damage(old)
    const writer = writeExtract(pathIn())
    expect(writer.addFrom(old, added)).toBe(false)
    writer.abandon()
  })

  it('whose folder cannot be made is a problem that names the folder and the way out', () => {
    const file = join(tempFolder(), 'a-file')
    writeFileSync(file, '')
    let error: unknown
    try {
      writeExtract(join(file, 'cache', 'x.ndjson'))
    } catch (thrown) {
      error = thrown
    }
    expect(error).toBeInstanceOf(Problem)
    expect(error).toMatchObject({ kind: 'environment', path: join(file, 'cache') })
    expect((error as Problem).message).toMatch(/cannot be kept in .*: E/)
    expect((error as Problem).hint).toContain('cache folder')
  })
})

describe('what is no whole extract says nothing', () => {
  const tail = (length: string) => `{"a":1}\n${length}\n`
  it.each<[string, string]>([
    ['emptied', ''],
    ['shorter than its end', '0000000000000008'],
    ['a length that is no number', tail('000000000000000x')],
    ['a length of nothing', tail('0000000000000000')],
    ['a length below nothing', tail('-000000000000008')],
    ['a broken length', tail('00000000000008.5')],
    ['a length beyond its beginning', tail('0000000000000009')],
    ['a line that is no JSON', `{"a":1\n\n0000000000000008\n`],
    ['an end that is cut', tail('0000000000000008').slice(0, -1)],
  ])('%s', (_, text) => {
    const path = join(tempFolder(), 'x')
    writeFileSync(path, text)
    const open = openFiles()
    expect(readWhole(path)).toBeNull()
    expect(openFiles()).toBe(open)
  })

  it('and one that is gone', () => {
    expect(readWhole(join(tempFolder(), 'x'))).toBeNull()
  })

  it('a whole without findings is one', () => {
    const path = join(tempFolder(), 'x')
    writeFileSync(path, tail('0000000000000008'))
    expect(readWhole(path)).toEqual({ a: 1 })
    rmSync(path)
  })
})

it('bytes of a file are all of them, or an error', () => {
  const path = join(tempFolder(), 'x')
  writeFileSync(path, 'abcdef')
  const fd = openSync(path, 'r')
  expect(readAt(fd, 2, 3).toString()).toBe('cde')
  expect(readAt(fd, 2, 4).toString()).toBe('cdef')
  expect(() => readAt(fd, 2, 5)).toThrow('ends too early')
  closeSync(fd)
})
