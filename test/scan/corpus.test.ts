import { hash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { scanTranscripts } from '../../src/scan/scan.ts'
import type { ScannedMessage } from '../../src/scan/scanned.ts'

const corpus = resolve(import.meta.dirname, '../corpus')
const dir = mkdtempSync(join(tmpdir(), 'corpus-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

interface Expected {
  line: number
  label: string | null
  kind: string
  text_sha256?: string
  text_preview?: string
  confidence?: string
}

const scanned = scanTranscripts({
  options: { claude: [corpus], codex: [], project: null, since: null, until: null, recordDir: null },
  cacheDir: join(dir, 'cache'),
  revision: 'test',
  record: null,
})
const messages = [...scanned.messages()]
const files = readdirSync(corpus).filter(name => /\.jsonl(\.zst)?$/.test(name))

/** The messages that stand in a file, by line. */
function placesIn(name: string): { line: number; message: ScannedMessage['message'] }[] {
  const file = join(corpus, name)
  return messages.flatMap(({ message }) =>
    [message.source, ...message.alsoAt]
      .filter(place => place.file === file)
      .map(place => ({ line: place.line, message })),
  )
}

function expectedOf(name: string): Expected[] {
  const path = join(corpus, name.replace(/\.jsonl(\.zst)?$/, '.expected.json'))
  return JSON.parse(readFileSync(path, 'utf8')) as Expected[]
}

describe('the corpus of real transcripts', () => {
  it('is scanned whole', () => {
    expect(files).toHaveLength(51)
    expect(scanned.sources.map(({ file }) => file)).toEqual(files.map(name => join(corpus, name)).sort())
  })

  it.each(files)(
    'rule.personsWords: %s: each expected row has its label, its words and its confidence',
    name => {
      const places = placesIn(name)
      for (const row of expectedOf(name)) {
        const at = places.filter(
          ({ line, message }) => line === row.line && message.sha256 === row.text_sha256,
        )
        if (row.label === null || row.kind === 'tool_result') expect(at, JSON.stringify(row)).toEqual([])
        else {
          expect(
            at.map(({ message }) => ({
              label: message.label,
              kind: message.kind,
              confidence: message.confidence,
            })),
            JSON.stringify(row),
          ).toEqual([{ label: row.label, kind: row.kind, confidence: row.confidence }])
        }
      }
    },
  )

  it.each(files)('rule.personsWords: %s: nothing else is the person’s', name => {
    const expected = expectedOf(name).filter(({ label }) => label === 'person')
    const hashes = new Set(expected.map(row => row.text_sha256))
    const others = placesIn(name).filter(
      ({ message }) => message.label === 'person' && !hashes.has(message.sha256),
    )
    expect(others).toEqual([])
  })

  it('keeps words verbatim, with their hash', () => {
    for (const { message } of messages) expect(hash('sha256', message.words)).toBe(message.sha256)
  })
})
