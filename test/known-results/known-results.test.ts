import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  isKnownResultName,
  knownResultName,
  parseKnownResult,
  RESULT_KINDS,
} from '../../src/known-results/known-result.ts'
import { listKnownResults, readKnownResult } from '../../src/known-results/list-known-results.ts'
import { makeResultKnown } from '../../src/known-results/make-known.ts'
import { filesIn } from '../support/files.ts'
import { tempFolder } from '../support/temp-folder.ts'

const NOW = new Date('2026-11-01T10:00:00.000Z')
const LATER = new Date('2026-11-02T10:00:00.000Z')
const HEX = '0123456789abcdef'
const known = { kind: 'scan', path: '/r/one', since: NOW.toISOString() }

describe('the name of the file that makes a result known', () => {
  it('is of its kind and its path, and one that readers take', () => {
    for (const kind of RESULT_KINDS) {
      const name = knownResultName(kind, '/r/ä')
      expect(name).toBe(`${kind}-${createHash('sha256').update('/r/ä').digest('hex').slice(0, 16)}.json`)
      expect(isKnownResultName(name)).toBe(true)
    }
    expect(knownResultName('scan', '/r/one')).not.toBe(knownResultName('run', '/r/one'))
    expect(knownResultName('scan', '/r/one')).not.toBe(knownResultName('scan', '/r/two'))
  })

  it.each([
    ...[`scan-${HEX}.json.tmp`, `.scan-${HEX}.json`, `scan-${HEX}`, `scan-${HEX}xjson`, `scan-${HEX}0.json`],
    ...[`scan-${HEX.slice(1)}.json`, `scan-${HEX.toUpperCase()}.json`, `SCAN-${HEX}.json`, `-${HEX}.json`],
    ...[`a/scan-${HEX}.json`, `scan-${HEX} (1).json`, 'manifest.json', ''],
  ])('%j is none', name => {
    expect(isKnownResultName(name)).toBe(false)
  })

  it('a kind of a later version is one', () => {
    expect(isKnownResultName(`review-${HEX}.json`)).toBe(true)
  })
})

describe('the content', () => {
  it('is kind, path and time; what a later version adds is left out', () => {
    expect(parseKnownResult({ ...known, more: 1 })).toEqual(known)
    expect(parseKnownResult({ ...known, kind: 'review' })).toEqual({
      ...known,
      kind: 'review',
    })
  })

  it.each([null, [], 7, 'text', undefined])('%j is no object', value => {
    expect(parseKnownResult(value)).toEqual({ problem: 'it must be an object' })
  })

  it.each(['kind', 'path', 'since'])('without %s, or with an empty or another one, it is none', name => {
    for (const value of [undefined, null, '', 7, ['x'], {}])
      expect(parseKnownResult({ ...known, [name]: value })).toEqual({
        problem: `${name} must be a string`,
      })
  })
})

describe('making a result known', () => {
  it('writes its file, readable for the user alone, and makes the folders', () => {
    const folder = join(tempFolder(), 'known', 'key')
    makeResultKnown(folder, 'scan', '/r/one', NOW)
    const name = knownResultName('scan', '/r/one')
    expect(filesIn(folder)).toEqual({ [name]: `${JSON.stringify(known, null, 2)}\n` })
    expect(statSync(join(folder, name)).mode & 0o077).toBe(0)
    expect(readKnownResult(folder, name)).toEqual(known)
  })

  it('once: the first time stays', () => {
    const folder = tempFolder()
    makeResultKnown(folder, 'scan', '/r/one', NOW)
    makeResultKnown(folder, 'scan', '/r/one', LATER)
    makeResultKnown(folder, 'run', '/r/one', LATER)
    makeResultKnown(folder, 'scan', '/r/two', LATER)
    const found = listKnownResults(folder).map(({ name }) => readKnownResult(folder, name))
    expect(found).toHaveLength(3)
    expect(found).toEqual(
      expect.arrayContaining([
        known,
        { kind: 'run', path: '/r/one', since: LATER.toISOString() },
        { kind: 'scan', path: '/r/two', since: LATER.toISOString() },
      ]),
    )
  })

  it('a folder that cannot be made is the system’s error', () => {
    const file = join(tempFolder(), 'file')
    writeFileSync(file, '')
    expect(() => makeResultKnown(join(file, 'known'), 'scan', '/r/one', NOW)).toThrow(/ENOTDIR|EEXIST/)
  })
})

describe('listing what is known', () => {
  it('gives the files by their names, without what is none', () => {
    const folder = tempFolder()
    const names = ['run-ffffffffffffffff.json', `scan-${HEX}.json`, 'run-0000000000000000.json']
    for (const name of names) writeFileSync(join(folder, name), 'x')
    writeFileSync(join(folder, 'notes.json'), 'x')
    mkdirSync(join(folder, 'scan-0000000000000000.json'))
    symlinkSync(join(folder, 'nothing'), join(folder, 'scan-1111111111111111.json'))
    expect(listKnownResults(folder).map(({ name }) => name)).toEqual(names.toSorted())
  })

  it('has none where the folder is missing or is none', () => {
    const dir = tempFolder()
    writeFileSync(join(dir, 'file'), '')
    expect(listKnownResults(join(dir, 'nothing'))).toEqual([])
    expect(listKnownResults(join(dir, 'file'))).toEqual([])
    expect(listKnownResults(join(dir, 'file', 'below'))).toEqual([])
  })

  it('tells any other error', () => {
    expect(() => listKnownResults(`${tempFolder()}/${'x'.repeat(300)}`)).toThrow('ENAMETOOLONG')
  })

  it('tells one file from another that has taken its name, and from itself when it has changed', () => {
    const folder = tempFolder()
    const file = join(folder, `scan-${HEX}.json`)
    const statOf = () => listKnownResults(folder)[0]?.stat
    writeFileSync(file, 'one')
    const first = statOf()
    expect(statOf()).toBe(first)
    writeFileSync(file, 'two')
    const second = statOf()
    expect(second).not.toBe(first)
    writeFileSync(file, 'three')
    expect(statOf()).not.toBe(second)
    const [inode, size, time] = (statOf() as string).split(':')
    const stats = statSync(file, { bigint: true })
    expect([inode, size, time]).toEqual([stats.ino, stats.size, stats.ctimeNs].map(String))
  })

  it('says what is wrong with one that cannot be read', () => {
    const folder = tempFolder()
    expect(readKnownResult(folder, 'nothing')).toEqual({ problem: 'is missing' })
    writeFileSync(join(folder, 'x'), '{')
    expect(readKnownResult(folder, 'x')).toEqual({ problem: expect.stringMatching(/^is not JSON: /) })
    expect(readFileSync(join(folder, 'x'), 'utf8')).toBe('{')
  })
})
