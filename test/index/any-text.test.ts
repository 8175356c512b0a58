import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { placeOf } from '../../src/indexer/place.ts'
import { refreshIndex } from '../../src/indexer/refresh-index.ts'
import type { Entry } from '../../src/record/entry.ts'
import { sequenceOf } from '../../src/record/file-name.ts'
import { entryWriter } from '../../src/writer/entry-writer.ts'
import { nodeStorage } from '../../src/writer/node-storage.ts'
import { answersOf } from '../support/answers.ts'
import { anyText } from '../support/any-text.ts'
import { at } from '../support/record-builder.ts'
import { inTempFolder } from '../support/temp-folder.ts'

function message(text: string, number: number): Entry {
  const peer = { as: text }
  const common = { kind: 'message' as const, sessionId: 's', at: at(number), cwd: text, peer, text }
  if (number % 2 === 0) return { ...common, side: 'sent', isQueued: false, reason: text }
  return { ...common, side: 'received', envelope: { before: text, after: text }, outcome: 'queued' }
}

interface MessageRow {
  text: string
  cwd: string
  peer_as: string
  reason: string | null
  envelope_before: string | null
  text_length: number
}

async function survives(texts: string[]): Promise<void> {
  await inTempFolder(async dir => {
    const recordDir = join(dir, 'record')
    const writer = entryWriter({ recordDir, storage: nodeStorage, sequence: sequenceOf('load1') })
    const place = placeOf(recordDir, join(dir, 'cache'))
    for (const [number, text] of texts.entries()) {
      expect(await writer.write(message(text, number))).toHaveProperty('file')
      // The first comes in by a rebuild, the others by refreshes.
      await refreshIndex(place)
    }
    const refreshed = (await answersOf(place)).messages as MessageRow[]
    expect(refreshed.map(row => row.text)).toEqual(texts)
    expect(refreshed.map(row => row.cwd)).toEqual(texts)
    expect(refreshed.map(row => row.peer_as)).toEqual(texts)
    expect(refreshed.map(row => row.reason ?? row.envelope_before)).toEqual(texts)
    expect(refreshed.map(row => row.text_length)).toEqual(texts.map(text => Buffer.byteLength(text)))
    await refreshIndex(place, { rebuild: true })
    expect((await answersOf(place)).messages).toEqual(refreshed)
  })
}

test('rule.verbatim: any text survives the writer, a refresh, a rebuild and a query, in every field', async () => {
  await fc.assert(fc.asyncProperty(fc.array(anyText, { minLength: 1, maxLength: 4 }), survives), {
    numRuns: 60,
  })
})

test('rule.verbatim: a text of 1 MB, and texts of what SQLite cannot hold', async () => {
  await survives([
    '\u{1f600}\r\n\u2028'.repeat(100_000),
    '\0',
    '\ud800',
    '\udc00\ud800',
    '\ufdd0',
    '\ufdd0\ufdd1\0',
    'a\0b',
    '',
  ])
})
