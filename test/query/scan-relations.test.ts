import { describe, expect, test } from 'vitest'
import type { ScanDirectionRow, ScanMessageRow } from '../../src/database/tables.ts'
import { IndexFixture } from './index-fixture.ts'

/** An index with one result of a scan, filled row by row. */
class ScanFixture extends IndexFixture {
  #messages = 0

  constructor() {
    super()
    this.sqlite.exec(
      `insert into result (id, name, stat, state, path, status, first_seen, tries) values (1, 'n', 's', 'read', '/out', 'incomplete', 'x', 1)`,
    )
  }

  scanned(sessionId: string, row: Partial<ScanMessageRow> = {}): number {
    this.#messages += 1
    const filled = {
      ...{
        result_id: 1,
        message_id: `m${this.#messages}`,
        label: 'person',
        confidence: 'high',
        kind: 'typed',
      },
      ...{ words: 'mend the fence', sha256: 'a', product: 'claude-code', session_id: sessionId },
      ...{ at: '2026-11-01T10:00:00.000Z', file: '/t.jsonl', line: this.#messages, offset: this.#messages },
      ...{ places: 1, is_decided: 0, ...row },
    }
    const names = Object.keys(filled).map(name => `"${name}"`)
    const { lastInsertRowid } = this.sqlite
      .prepare(`insert into scan_message (${names}) values (${names.map(() => '?')})`)
      .run(...Object.values(filled))
    this.sqlite
      .prepare('insert into scan_fts (rowid, words) values (?, ?)')
      .run(lastInsertRowid, filled.words)
    return Number(lastInsertRowid)
  }

  direction(
    sessionId: string,
    row: Partial<ScanMessageRow> = {},
    traced: Partial<ScanDirectionRow> = {},
  ): void {
    const id = this.scanned(sessionId, row)
    const filled = { id, result_id: 1, turn_end: 'done', files_edited: 0, commands: 0, agents: 0, ...traced }
    const names = Object.keys(filled)
    this.sqlite
      .prepare(`insert into scan_direction (${names}) values (${names.map(() => '?')})`)
      .run(...Object.values(filled))
  }
}

describe('directions joined with sessions and chains', () => {
  test('role, parent, part and the root of the chain, as the tree has them', async () => {
    const index = new ScanFixture()
    index.session({ session_id: 'top' })
    index.session({ session_id: 'lead', parent: 'top', part: 'the tests' })
    index.session({ session_id: 'deep', parent: 'lead', part: 'fuzz' })
    index.session({ session_id: 'far', parent: 'elsewhere', part: 'far' })
    index.session({ session_id: 'x', parent: 'y', part: 'in a cycle' })
    index.session({ session_id: 'y', parent: 'x', part: 'in a cycle' })
    index.session({ session_id: 'below', parent: 'x', part: 'below a cycle' })
    for (const id of ['top', 'lead', 'deep', 'far', 'elsewhere', 'x', 'below', 'unrecorded'])
      index.direction(id)
    const rows = await index.rows('directions', { select: 'session_id,role,parent,part,chain' })
    expect(rows.map(row => Object.values(row))).toEqual([
      ['top', 'top', null, null, 'top'],
      ['lead', 'lead', 'top', 'the tests', 'top'],
      ['deep', 'lead', 'lead', 'fuzz', 'top'],
      ['far', 'lead', 'elsewhere', 'far', 'elsewhere'],
      ['elsewhere', 'boundary', null, null, 'elsewhere'],
      ['x', 'lead', 'y', 'in a cycle', null],
      ['below', 'lead', 'x', 'below a cycle', null],
      ['unrecorded', null, null, null, null],
    ])
  })

  test('rule.everyDirectionTraced: directions of the last week without an outcome, by chain, is one question', async () => {
    const index = new ScanFixture()
    index.session({ session_id: 'b-top' })
    index.session({ session_id: 'a-lead', parent: 'b-top' })
    index.session({ session_id: 'c-top' })
    const at = (day: number) => ({ at: `2026-10-${day}T10:00:00.000Z` })
    index.direction('c-top', { ...at(30), words: 'third' })
    index.direction('a-lead', { ...at(29), words: 'second' })
    index.direction('b-top', { ...at(28), words: 'first' })
    index.direction('b-top', { ...at(28), words: 'traced' }, { outcome: 'open' })
    index.direction('b-top', { ...at(10), words: 'long ago' })
    const rows = await index.rows('directions', { filter: 'at > 7d and outcome is null', order: 'chain' })
    expect(rows.map(({ words, chain }) => [chain, words])).toEqual([
      ['b-top', 'first'],
      ['b-top', 'second'],
      ['c-top', 'third'],
    ])
  })

  test('is_open is unknown until somebody said so', async () => {
    const index = new ScanFixture()
    index.direction('s', { words: 'a' })
    index.direction('s', { words: 'b' }, { outcome: 'open' })
    index.direction('s', { words: 'c' }, { outcome: 'done' })
    expect(await index.values('directions', 'is_open')).toEqual([null, true, false])
    expect(await index.values('directions', 'words', 'is_open')).toEqual(['b'])
    expect(await index.values('directions', 'words', 'not is_open')).toEqual(['c'])
  })

  test('words are searched', async () => {
    const index = new ScanFixture()
    index.direction('s', { words: 'mend the fence' })
    index.direction('s', { words: 'paint the gate' })
    index.scanned('s', { words: 'the gate, says a peer', label: 'peer' })
    expect(await index.values('directions', 'words', "words match 'gate'")).toEqual(['paint the gate'])
    expect(await index.values('scanned_messages', 'label', "words match 'gate'")).toEqual(['person', 'peer'])
    expect(await index.values('directions', 'words', "not words match 'gate'")).toEqual(['mend the fence'])
  })

  test('stay fast with 100,000 of them in chains of 10,000 sessions, one of them deep', async () => {
    const index = new ScanFixture()
    index.sqlite.exec('begin')
    for (let i = 0; i < 10_000; i++) {
      const isTop = i < 5_000 ? i === 0 : i % 100 === 0
      index.session({ session_id: `s${i}`, ...(isTop ? {} : { parent: `s${i - 1}` }) })
    }
    for (let i = 0; i < 100_000; i++) index.direction(`s${i % 12_000}`)
    index.sqlite.exec('commit')
    const started = performance.now()
    const rows = await index.rows('directions', { filter: 'outcome is null', order: 'chain', limit: 50_000 })
    expect(rows).toHaveLength(50_000)
    expect(rows.at(-1)?.chain).toBe('s0')
    // One pass takes about a second; a walk up from each row would take minutes.
    expect(performance.now() - started).toBeLessThan(20_000)
  })
})

test('the record’s messages and those of transcripts are two relations', async () => {
  const index = new ScanFixture()
  index.message('recorded')
  index.scanned('s', { words: 'scanned' })
  expect(await index.values('messages', 'text')).toEqual(['recorded'])
  expect(await index.values('scanned_messages', 'words')).toEqual(['scanned'])
})
