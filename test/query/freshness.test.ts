import { describe, expect, it, test } from 'vitest'
import { describeGaps, readFreshness, readGaps } from '../../src/query/freshness.ts'
import { problemAt, quoted } from '../../src/query/place-problem.ts'
import { readChains, refuseShortenedId, standsAlone } from '../../src/query/read-chains.ts'
import { IndexFixture, NOW } from './index-fixture.ts'

const HEARD = '2026-11-01T11:00:00.000Z'

function whole(indexedAt = HEARD): IndexFixture {
  const fixture = new IndexFixture()
  fixture.sqlite.prepare("insert or replace into meta (key, value) values ('indexed_at', ?)").run(indexedAt)
  return fixture
}

function result(fixture: IndexFixture, name: string, state: string, path: string | null): void {
  fixture.sqlite
    .prepare(
      `insert into result (name, kind, path, state, problem, first_seen, tries, identity, stat)
       values (?, 'scan', ?, ?, 'no manifest', ?, 1, 'x', 's')`,
    )
    .run(name, path, state, HEARD)
}

/** One gap of each kind, and beside each something that is none. */
function withGaps(): IndexFixture {
  const fixture = whole()
  const { name } = fixture.entry({ session_id: 'S1', sha256: 'e'.repeat(64) })
  fixture.folder('Locked', { problem: 'permission denied', identity: 'x' })
  fixture.folder('Fine', { identity: 'x' })
  fixture.folder('stray', { problem: 'a link', identity: null })
  fixture.unread('S1', { name: 'z.json' })
  fixture.unread('S1', { name: 'a\u001b.json', reason: 'not\nJSON' })
  const copy = { twin_session: 'S1', twin_name: name, sha256: 'e'.repeat(64) }
  fixture.unread('B2', { name: 'copy.json', ...copy })
  fixture.unread('B2', { name: 'copy2.json', ...copy })
  fixture.unread('A2', { name: 'copy.json', ...copy })
  result(fixture, 'r1', 'damaged', '/b')
  result(fixture, 'r2', 'damaged', null)
  result(fixture, 'r3', 'gone', '/c')
  return fixture
}

describe('how fresh and whole an answer is', () => {
  it('counts files with those that cannot be read, and gaps without copies and results that are gone', () => {
    expect(readFreshness(withGaps().sqlite, null, NOW)).toEqual({
      ...{ files: 6, entries: 1, unreadable: 6, missing: 0, indexedAt: HEARD, ageMs: 3_600_000 },
    })
    expect(readFreshness(whole().sqlite, null, NOW)).toMatchObject({ files: 0, entries: 0, unreadable: 0 })
  })

  it('goes by when it was checked where this process did it; no age is less than none', () => {
    const { sqlite } = whole()
    const later = new Date(NOW.getTime() + 5)
    const checked = new Date(NOW.getTime() - 7)
    expect(readFreshness(sqlite, checked, NOW)).toMatchObject({
      ...{ indexedAt: checked.toISOString(), ageMs: 7 },
    })
    expect(readFreshness(sqlite, later, NOW)).toMatchObject({ indexedAt: later.toISOString(), ageMs: 0 })
    expect(() => readFreshness(whole('yesterday').sqlite, null, NOW)).toThrow(/no time/)
  })

  it('names each gap by its kind, in the order of the names', () => {
    const { sqlite } = withGaps()
    const gaps = readGaps(sqlite, 9)
    expect(gaps).toEqual({
      folders: { seen: 2, unlisted: [{ path: 'Locked', reason: 'permission denied' }] },
      refused: [{ path: 'stray', reason: 'a link' }],
      files: [
        { path: 'S1/a\u001b.json', reason: 'not\nJSON' },
        { path: 'S1/z.json', reason: 'not JSON' },
      ],
      copies: [
        { folder: 'A2', files: 1 },
        { folder: 'B2', files: 2 },
      ],
      results: [
        { path: '/b', reason: 'no manifest' },
        { path: 'r2', reason: 'no manifest' },
      ],
    })
    expect(describeGaps(gaps, readFreshness(sqlite, null, NOW))).toEqual([
      '1 of 2 session folders were read; not read: Locked (permission denied)',
      'beside the session folders, and not read: stray (a link)',
      '2 of 6 files could not be read and are unknown evidence: S1/a\\x1b.json (not\\nJSON), S1/z.json (not JSON)',
      '2 results of scans could not be read and are unknown evidence: /b (no manifest), r2 (no manifest)',
      'the folder A2 holds 1 copies of entries that count once',
      'the folder B2 holds 2 copies of entries that count once',
    ])
  })

  it('names so many files and counts the rest; where nothing is missing it says nothing', () => {
    const { sqlite } = withGaps()
    const freshness = readFreshness(sqlite, null, NOW)
    const gaps = readGaps(sqlite, 1)
    expect(gaps.files).toHaveLength(1)
    expect(describeGaps(gaps, freshness)[2]).toMatch(/, and 1 more \(coord query unreadable\)$/)
    const fresh = whole().sqlite
    expect(describeGaps(readGaps(fresh, 9), readFreshness(fresh, null, NOW))).toEqual([])
  })
})

describe('the chains of the index', () => {
  const facts = (sessionId: string, parent: string | null) => ({
    ...{ sessionId, firstHeard: HEARD, lastHeard: HEARD, newestName: 'x', entries: 1, cwd: '/p' },
    ...{ coveredFrom: HEARD, latestStart: null, loads: [], notWritten: [], isGapSinceJoin: false },
    join: parent && {
      ...{ at: HEARD, name: 'x', parent, part: 'p', brief: null },
      ...{ noticeSeen: true, sentToParent: false, sentToUnknown: false },
    },
  })
  function record(parents: Record<string, string | null>): IndexFixture {
    const fixture = whole()
    for (const [id, parent] of Object.entries(parents))
      fixture.session({ session_id: id, parent, facts: JSON.stringify(facts(id, parent)) })
    return fixture
  }
  const tops = (fixture: IndexFixture, id?: string) =>
    readChains(fixture.sqlite, id).chains.map(({ sessionId }) => sessionId)
  const parents = { 'aaaa-1': null, 'aaaa-2': 'aaaa-1', 'bbbb-1': null, 'cccc-2': 'gone' }

  it('are all, or the one that a session belongs to, as its top, its lead or a boundary', () => {
    const fixture = record(parents)
    expect(tops(fixture).sort()).toEqual(['aaaa-1', 'bbbb-1', 'gone'])
    expect(tops(fixture, 'aaaa-1')).toEqual(['aaaa-1'])
    expect(tops(fixture, 'aaaa-2')).toEqual(['aaaa-1'])
    expect(tops(fixture, 'cccc-2')).toEqual(['gone'])
    expect(tops(fixture, 'gone')).toEqual(['gone'])
    expect(readChains(fixture.sqlite, 'bbbb-1').chains.map(standsAlone)).toEqual([true])
    expect(readChains(fixture.sqlite, 'aaaa-1').chains.map(standsAlone)).toEqual([false])
    expect(readChains(fixture.sqlite, 'gone').chains.map(standsAlone)).toEqual([false])
  })

  test.each<[string, RegExp, RegExp]>([
    ['aaaa', /no session aaaa/, /in full: aaaa-1, aaaa-2$/],
    ['x', /no session x/, /coord query sessions/],
    ['', /no session/, /coord query sessions/],
    ['dark', /has 2 files in this record, and none can be read/, /unreadable "session_id = 'dark'"/],
  ])('%j is told with the way on', (id, message, hint) => {
    const fixture = record(parents)
    for (const name of ['a.json', 'b.json']) fixture.unread('dark', { name })
    expect(() => tops(fixture, id)).toThrow(
      expect.objectContaining({
        ...{ kind: 'not-found', message: expect.stringMatching(message) },
        hint: expect.stringMatching(hint),
      }),
    )
  })

  it('names five of the ids that a short one may be, and says that there are more', () => {
    const many = (count: number) =>
      record(Object.fromEntries(Array.from({ length: count }, (_, at) => [`same-${at}`, null])))
    expect(() => tops(many(6), 'same')).toThrow(
      expect.objectContaining({ hint: expect.stringMatching(/same-4, …$/) }),
    )
    expect(() => tops(many(5), 'same')).toThrow(
      expect.objectContaining({ hint: expect.stringMatching(/same-4$/) }),
    )
  })

  test.each<[string, boolean]>([
    ['aaaa', true],
    ['aaaa-', true],
    ['aaaa-1', false],
    ['aaa', false],
    ['zzzz', false],
    ['aaaa-11', false],
  ])('%s is a shortened id: %s', (id, isShort) => {
    const refuse = () => refuseShortenedId(record({ ...parents, aaaab: null }).sqlite, id)
    if (isShort) expect(refuse).toThrow(/no session/)
    else expect(refuse).not.toThrow()
  })
})

describe('a place in what a person typed', () => {
  const shown = (source: string, index: number) => {
    const { message, hint } = problemAt('usage', 'wrong', source, index)
    return [message, ...(hint ?? '').split('\n')]
  }

  test.each<[string, number, string[]]>([
    ['abc', 0, ['wrong at character 1', 'abc', '^']],
    ['abc', 3, ['wrong at character 4', 'abc', '   ^']],
    ['日本x', 2, ['wrong at character 3', '日本x', '    ^']],
    ['😀😀x', 4, ['wrong at character 3', '😀😀x', '    ^']],
    ['a\nx', 2, ['wrong at character 3', 'a\\nx', '   ^']],
    ['\udc00x', 1, ['wrong at character 2', '\\u{dc00}x', '        ^']],
    ['a'.repeat(38), 38, ['wrong at character 39', 'a'.repeat(38), `${' '.repeat(38)}^`]],
    ['a'.repeat(39), 39, ['wrong at character 40', `…${'a'.repeat(38)}`, `${' '.repeat(39)}^`]],
    ['b'.repeat(39), 0, ['wrong at character 1', `${'b'.repeat(38)}…`, '^']],
  ])('%j at %d', (source, index, expected) => {
    expect(shown(source, index)).toEqual(expected)
  })

  it('stands with what would fit, each on its own line and escaped', () => {
    const { message, hint, kind } = problemAt('filter', 'un\u001b', 'x', 0, 'fi\nts')
    expect([kind, message, hint]).toEqual(['filter', 'un\\x1b at character 1', 'x\n^\nfi\\nts'])
  })

  it('is quoted whole up to 60 characters, and never cut in the middle of one', () => {
    expect(quoted('x'.repeat(60))).toBe(`"${'x'.repeat(60)}"`)
    expect(quoted('x'.repeat(61))).toBe(`"${'x'.repeat(60)}…"`)
    expect(quoted(`${'x'.repeat(59)}😀`)).toBe(`"${'x'.repeat(59)}…"`)
    expect(quoted(`${'x'.repeat(58)}😀y`)).toBe(`"${'x'.repeat(58)}😀…"`)
  })
})
