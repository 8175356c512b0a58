import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseEntry } from '../../src/record/entry.ts'
import { digestText, textFields } from '../../src/record/text-digest.ts'
import { anyText } from '../support/any-text.ts'
import { wholeEntries } from '../support/entries.ts'

const { text: _, ...received } = wholeEntries.received
const { text: __, ...sent } = wholeEntries.sent

describe('rule.metadataOnly, ruling 9', () => {
  test('length is bytes of UTF-8 and the hash is of the same bytes', () => {
    fc.assert(
      fc.property(anyText, text => {
        const bytes = Buffer.from(text, 'utf8')
        expect(digestText(text)).toEqual({
          textLength: bytes.length,
          textSha256: createHash('sha256').update(bytes).digest('hex'),
        })
      }),
    )
  })

  test('the text of a message in metadata mode is nowhere in its fields', () => {
    expect(textFields('secret', 'full')).toEqual({ text: 'secret' })
    expect(Object.keys(textFields('secret', 'metadata')).sort()).toEqual(['textLength', 'textSha256'])
    expect(JSON.stringify(textFields('secret', 'metadata'))).not.toContain('secret')
  })

  test.each([
    ['sent', sent],
    ['received', received],
  ])('%s: an entry with length and hash is read, and keeps all else', (_, entry) => {
    const kept = { ...entry, ...digestText('secret') }
    expect(parseEntry(JSON.stringify(kept))).toEqual({ entry: kept })
  })

  test.each([
    ['text', {}],
    ['textLength', { textSha256: 'a'.repeat(64) }],
    ['textSha256', { textLength: 1 }],
  ])('%s: missing on either side, and the reason names it', (field, fields) => {
    for (const entry of [sent, received])
      expect(parseEntry(JSON.stringify({ ...entry, ...fields }))).toEqual({
        reason: expect.stringContaining(field),
      })
  })

  test.each([
    ['textLength', [-1, 1.5, '5', null, 1e300]],
    [
      'textSha256',
      [
        '',
        'a'.repeat(63),
        'A'.repeat(64),
        'g'.repeat(64),
        `${'a'.repeat(64)}\n`,
        `x${'a'.repeat(64)}`,
        `${'a'.repeat(64)}a`,
        5,
        null,
      ],
    ],
  ])('%s: ill-typed, and the reason names it', (field, values) => {
    for (const value of values) {
      const entry = { ...received, ...digestText('x'), [field]: value }
      expect(parseEntry(JSON.stringify(entry)), String(value)).toEqual({
        reason: expect.stringMatching(new RegExp(`^${field}\\b`)),
      })
    }
  })
})
