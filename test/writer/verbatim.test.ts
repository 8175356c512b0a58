import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Entry, parseEntry } from '../../src/record/entry.ts'
import { sequenceOf } from '../../src/record/file-name.ts'
import { entryWriter } from '../../src/writer/entry-writer.ts'
import { hostStorage } from '../../src/writer/host-storage.ts'
import { nodeStorage } from '../../src/writer/node-storage.ts'
import type { RecordStorage } from '../../src/writer/storage.ts'
import { anyText } from '../support/any-text.ts'
import { wholeEntries } from '../support/entries.ts'
import { hostFiles } from '../support/host-files.ts'
import { tempFolder } from '../support/temp-folder.ts'

const storages: [string, () => RecordStorage][] = [
  ['node', () => nodeStorage],
  ['host', () => hostStorage(hostFiles())],
]

describe.each(storages)('rule.verbatim, through the %s storage', (_, storage) => {
  const throughFile = async (recordDir: string, entry: Entry) => {
    const result = await entryWriter({ recordDir, storage: storage(), sequence: sequenceOf('load1') }).write(
      entry,
    )
    if ('degraded' in result) throw new Error(result.degraded)
    return parseEntry(readFileSync(join(recordDir, result.file), 'utf8'))
  }

  test('any text, peer and reason of a sent message reads back exactly', async () => {
    const recordDir = tempFolder()
    await fc.assert(
      fc.asyncProperty(anyText, anyText, anyText, async (text, as, reason) => {
        const entry = { ...wholeEntries.sent, text, peer: { as }, reason } as Entry
        expect(await throughFile(recordDir, entry)).toEqual({ entry })
      }),
    )
  })

  test('any delivery reads back byte for byte from before, text and after', async () => {
    const recordDir = tempFolder()
    await fc.assert(
      fc.asyncProperty(anyText, anyText, anyText, async (before, text, after) => {
        const entry = { ...wholeEntries.received, envelope: { before, after }, text } as Entry
        const read = await throughFile(recordDir, entry)
        expect(read).toEqual({ entry })
      }),
    )
  })

  test('any part, brief and working directory of a chain entry reads back exactly', async () => {
    const recordDir = tempFolder()
    await fc.assert(
      fc.asyncProperty(anyText, anyText, anyText, async (part, brief, cwd) => {
        const entry = { ...wholeEntries.chain, part, brief, cwd } as Entry
        expect(await throughFile(recordDir, entry)).toEqual({ entry })
      }),
    )
  })

  test('a text of a megabyte reads back exactly', async () => {
    const text = 'ä\n\u2028"\\'.repeat(170_000)
    const entry = { ...wholeEntries.sent, text } as Entry
    expect(await throughFile(tempFolder(), entry)).toEqual({ entry })
  })
})
