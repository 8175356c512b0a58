import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Entry, parseEntry } from '../../src/record/entry.ts'
import { parseEntryFileName, sequenceOf } from '../../src/record/file-name.ts'
import { entryWriter } from '../../src/writer/entry-writer.ts'
import { hostStorage } from '../../src/writer/host-storage.ts'
import { newLoad } from '../../src/writer/new-load.ts'
import { nodeStorage } from '../../src/writer/node-storage.ts'
import type { RecordStorage } from '../../src/writer/storage.ts'
import { wholeEntries } from '../support/entries.ts'
import { hostFiles } from '../support/host-files.ts'
import { tempFolder } from '../support/temp-folder.ts'

const start = wholeEntries.start as Entry
const storages: [string, () => RecordStorage][] = [
  ['node', () => nodeStorage],
  ['host', () => hostStorage(hostFiles())],
]

describe.each(storages)('through the %s storage', (_, storage) => {
  test.each(Object.entries(wholeEntries))(
    'rule.oneWriter: a %s entry is one file in its folder',
    async (_, entry) => {
      const recordDir = join(tempFolder(), 'not', 'there', 'yet')
      const result = await entryWriter({
        recordDir,
        storage: storage(),
        sequence: sequenceOf('load1'),
      }).write(entry as Entry)
      expect(readdirSync(recordDir)).toEqual(['session-1'])
      const [name] = readdirSync(join(recordDir, 'session-1')) as [string]
      expect(readdirSync(join(recordDir, 'session-1'))).toHaveLength(1)
      expect(result).toEqual({ file: `session-1/${name}` })
      expect(parseEntryFileName(name)).toMatchObject({ at: entry.at })
      const bytes = readFileSync(join(recordDir, 'session-1', name), 'utf8')
      expect(bytes).toBe(JSON.stringify(entry))
      expect(parseEntry(bytes)).toEqual({ entry })
    },
  )

  test('entryFile: entries of one millisecond are files of their own, in the order of writing', async () => {
    const recordDir = tempFolder()
    const writer = entryWriter({ recordDir, storage: storage(), sequence: sequenceOf('load1') })
    const texts = Array.from({ length: 25 }, (_, number) => `message ${number}`)
    for (const text of texts) await writer.write({ ...wholeEntries.sent, text } as Entry)
    expect(textsIn(recordDir)).toEqual(texts)
  })

  test('entryFile: two loads of one session in one millisecond overwrite nothing', async () => {
    const recordDir = tempFolder()
    const writers = [newLoad(), newLoad()].map(load =>
      entryWriter({ recordDir, storage: storage(), sequence: sequenceOf(load) }),
    )
    await Promise.all(
      writers.flatMap((writer, number) =>
        ['a', 'b', 'c'].map(text => writer.write({ ...wholeEntries.sent, text: text + number } as Entry)),
      ),
    )
    expect(textsIn(recordDir).sort()).toEqual(['a0', 'a1', 'b0', 'b1', 'c0', 'c1'])
  })

  test('rule.oneWriter: a file that stands there already keeps its bytes, and the entry gets the next name', async () => {
    const recordDir = tempFolder()
    const probe = await entryWriter({ recordDir, storage: storage(), sequence: sequenceOf('same') }).write(
      start,
    )
    const taken = join(recordDir, 'file' in probe ? probe.file : '')
    writeFileSync(taken, 'x'.repeat(2000))
    const result = await entryWriter({ recordDir, storage: storage(), sequence: sequenceOf('same') }).write(
      start,
    )
    expect(result).toHaveProperty('file')
    expect(result).not.toEqual(probe)
    expect(readFileSync(taken, 'utf8')).toBe('x'.repeat(2000))
    expect(readdirSync(join(recordDir, 'session-1'))).toHaveLength(2)
  })

  test('rule.oneWriter: a folder under the name is left alone too', async () => {
    const recordDir = tempFolder()
    const probe = await entryWriter({
      recordDir: join(recordDir, 'a'),
      storage: storage(),
      sequence: sequenceOf('same'),
    }).write(start)
    mkdirSync(join(recordDir, 'b', 'file' in probe ? probe.file : ''), { recursive: true })
    const result = await entryWriter({
      recordDir: join(recordDir, 'b'),
      storage: storage(),
      sequence: sequenceOf('same'),
    }).write(start)
    expect(result).toHaveProperty('file')
    expect(result).not.toEqual(probe)
  })

  test('rule.staysLocal: folder and file are the private ones of the user', async () => {
    const recordDir = join(tempFolder(), 'record')
    const result = await entryWriter({ recordDir, storage: storage(), sequence: sequenceOf('load1') }).write(
      start,
    )
    const mode = (path: string) => (statSync(join(recordDir, path)).mode & 0o777).toString(8)
    expect(mode('.')).toBe('700')
    expect(mode('session-1')).toBe('700')
    expect(mode('file' in result ? result.file : '')).toBe('600')
  })

  test('writing the same entry twice makes two files: nothing is ever taken for known', async () => {
    const recordDir = tempFolder()
    const writer = entryWriter({ recordDir, storage: storage(), sequence: sequenceOf('load1') })
    await writer.write(start)
    await writer.write(start)
    expect(readdirSync(join(recordDir, 'session-1'))).toHaveLength(2)
  })
})

test('rule.oneWriter: one entry is one write of the host, to a path that was looked up', async () => {
  const host = hostFiles()
  const recordDir = tempFolder()
  await entryWriter({ recordDir, storage: hostStorage(host), sequence: sequenceOf('load1') }).write(start)
  expect(host.calls.map(({ call }) => call)).toEqual(['stat', 'write'])
  expect(new Set(host.calls.map(({ path }) => path)).size).toBe(1)
})

test('every load has a name of its own', () => {
  const loads = Array.from({ length: 1000 }, newLoad)
  expect(new Set(loads).size).toBe(1000)
  for (const load of loads) expect(load).toMatch(/^[A-Za-z0-9]+$/)
})

function textsIn(recordDir: string): unknown[] {
  return readdirSync(join(recordDir, 'session-1'))
    .sort()
    .map(name => JSON.parse(readFileSync(join(recordDir, 'session-1', name), 'utf8')).text)
}
