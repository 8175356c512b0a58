import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  classifyName,
  conflictedName,
  conflictFileName,
  entryFileName,
  entryNameOf,
  LONGEST_FILE_NAME,
  loadNumberOf,
  parseEntryFileName,
  placeholderOf,
  sequenceOf,
} from '../../src/record/file-name.ts'

describe('entryFile: names', () => {
  test('the time stands without colons, then the sequence', () => {
    const name = entryFileName(new Date('2026-11-01T10:02:03.045Z'), 'load-000001')
    expect(name).toBe('2026-11-01T100203.045Z-load-000001.json')
  })

  test.each([
    ['2026-11-01T100203.045Z-1.json', '1'],
    ['2026-11-01T100203.045Z-a1b2c3d4-000001.json', 'a1b2c3d4-000001'],
    ['2026-11-01T10-02-03.045Z-1.json', '1'],
    ['2026-11-01T10-02-03-045Z-1.json', '1'],
    ['20261101T100203.045Z-1.json', '1'],
    ['20261101T100203045Z-1.json', '1'],
    ['2026-11-01T100203.045Z-ABC_def.json', 'ABC_def'],
  ])('%s is an entry', (name, sequence) => {
    expect(parseEntryFileName(name)).toEqual({ at: '2026-11-01T10:02:03.045Z', sequence })
  })

  test.each([
    '',
    'notes.json',
    '.2026-11-01T100203.045Z-1.json',
    '2026-11-01T100203.045Z.json',
    '2026-11-01T100203.045Z-.json',
    '2026-11-01T100203.045Z-1.JSON',
    '2026-11-01T100203.045Z-1.json.tmp',
    '2026-11-01T100203.045Z-1 (1).json',
    '2026-11-01T100203.045Z-1.sync-conflict-20261101-ABC.json',
    '2026-11-01T100203.045Z-1.json\n',
    '\n2026-11-01T100203.045Z-1.json',
    '2026-11-01T10:02:03.045Z-1.json',
    '2026-11-01T100203Z-1.json',
    '2026-11-01T100203.045-1.json',
    '2026-11-01 100203.045Z-1.json',
    '2026-13-01T100203.045Z-1.json',
    '2026-02-30T100203.045Z-1.json',
    '2026-11-01T250203.045Z-1.json',
    '2026-11-01T100203.045Z-../1.json',
    '2026-11-01T100203.045Z-é.json',
    '٢٠٢٦-11-01T100203.045Z-1.json',
  ])('%j is no entry', name => {
    expect(parseEntryFileName(name)).toBeNull()
  })

  test('every name that the writer makes is read back: time and sequence', () => {
    const sequence = fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/)
    const date = fc.date({
      min: new Date('0000-01-01T00:00:00.000Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(date, sequence, (at, part) => {
        expect(parseEntryFileName(entryFileName(at, part))).toEqual({ at: at.toISOString(), sequence: part })
      }),
    )
  })

  test('the names of one load stand in the order of writing, also after many', () => {
    const next = sequenceOf('load')
    const at = new Date('2026-11-01T10:00:00.000Z')
    const names = Array.from({ length: 10_500 }, () => entryFileName(at, next()))
    expect(new Set(names).size).toBe(names.length)
    expect([...names].sort()).toEqual(names)
  })

  test('two loads in one millisecond have no name in common', () => {
    const at = new Date('2026-11-01T10:00:00.000Z')
    const [one, two] = ['aaaaaaaa', 'bbbbbbbb'].map(load => {
      const next = sequenceOf(load)
      return [entryFileName(at, next()), entryFileName(at, next())]
    })
    expect(new Set([...(one ?? []), ...(two ?? [])]).size).toBe(4)
  })
})

describe('ruling 12: the other bytes of a name', () => {
  const name = '2026-11-01T100203.045Z-1.json'
  const sha256 = '0123456789ab'.padEnd(64, 'f')

  test('stand beside it under a name that is no entry and leads back', () => {
    const conflict = conflictFileName(name, sha256)
    expect(conflict).toBe(`${name}.conflict-0123456789ab`)
    expect(parseEntryFileName(conflict)).toBeNull()
    expect(conflictedName(conflict)).toBe(name)
  })

  test.each([
    name,
    `${name}.conflict-`,
    `${name}.conflict-0123456789AB`,
    `${name}.conflict-0123456789abc`,
    'x',
  ])('%s is no conflict file', other => {
    expect(conflictedName(other)).toBeNull()
  })

  const bytes = (text: string) => Buffer.byteLength(text)
  const hex = '0123456789abcdef'.repeat(4)

  test.each([12, 16, 20, 64])('%i digits of the hash lead back too', digits => {
    const conflict = conflictFileName(name, hex, digits)
    expect(conflict).toBe(`${name}.conflict-${hex.slice(0, digits)}`)
    expect(conflictedName(conflict)).toBe(name)
  })

  test.each([4, 8, 10, 13, 68])('%i digits are no hash that import writes', digits => {
    expect(conflictedName(`${name}.conflict-${'a'.repeat(digits)}`)).toBeNull()
  })

  test.each(['x.json', '2026.JSON', 'a.jSoN', 'a.json.json'])('of %s too, whatever its letters', other => {
    expect(conflictedName(conflictFileName(other, hex))).toBe(other)
  })

  test.each(['x', 'x.jsonl', '.json', 'x.json.tmp'])('%s is no name that has one', other => {
    expect(conflictedName(`${other}.conflict-0123456789ab`)).toBeNull()
  })

  test('nothing may follow or lead', () => {
    expect(conflictedName(`${name}.conflict-0123456789ab.tmp`)).toBeNull()
    expect(conflictedName(`${name}.conflict-0123456789ab\n`)).toBeNull()
  })

  test.each(['a', 'ä', '漢', '🎉'])(
    'a name of %s is kept whole as long as a file system holds it, then cut',
    letter => {
      const suffix = '.conflict-0123456789ab'
      for (let size = 200; size <= LONGEST_FILE_NAME; size++) {
        const long = `${letter.repeat(Math.floor((size - 5) / bytes(letter)))}.JSON`
        const conflict = conflictFileName(long, sha256)
        if (bytes(long) + suffix.length <= 255) {
          expect(conflict).toBe(long + suffix)
          continue
        }
        expect(bytes(conflict)).toBeLessThanOrEqual(255)
        expect(bytes(conflict)).toBeGreaterThan(255 - bytes(letter))
        expect(conflict).toMatch(new RegExp(`^(${letter})+\\.json\\.conflict-0123456789ab$`, 'u'))
      }
    },
  )
})

describe('what a file is by its name', () => {
  const entry = '2026-11-01T100203.045Z-1.json'
  test.each([
    [entry, 'entry'],
    [`${entry}.conflict-0123456789ab`, 'conflict'],
    ['notes.json', 'misnamed'],
    ['2026-11-01T100203.045Z-1.JSON', 'misnamed'],
    ['2026-11-01T100203.045Z-1 (1).Json', 'misnamed'],
    ['2026-02-30T100203.045Z-1.json', 'misnamed'],
    ['notes.json.conflict-0123456789ab', 'conflict'],
    [`.${entry}`, null],
    [`.${entry}.conflict-0123456789ab`, null],
    ['.hidden.json', null],
    [`${entry}.tmp`, null],
    [`${entry}~`, null],
    ['notes.jsonl', null],
    ['json', null],
    ['', null],
  ])('%j: %j', (name, expected) => expect(classifyName(name)).toBe(expected))
})

describe('ruling 8: the number of an entry in its load', () => {
  test.each([
    ['2026-11-01T100203.045Z-1a2b3c4d-000007.json', { load: '1a2b3c4d', number: 7 }],
    ['20261101T10-02-03-045Z-00000000-999999.json', { load: '00000000', number: 999_999 }],
    ['2026-11-01T100203.045Z-1a2b3c4d-000000.json', null],
    ['2026-11-01T100203.045Z-1a2b3c4d-00007.json', null],
    ['2026-11-01T100203.045Z-1a2b3c4d-0000007.json', null],
    ['2026-11-01T100203.045Z-1A2B3C4D-000007.json', null],
    ['2026-11-01T100203.045Z-1a2b3c4-000007.json', null],
    ['2026-11-01T100203.045Z-load-000007.json', null],
    ['notes-1a2b3c4d-000007.json', null],
    ['', null],
  ])('%j: %j', (name, expected) => expect(loadNumberOf(name)).toEqual(expected))

  test('is the one that the writer gives', () => {
    const next = sequenceOf('1a2b3c4d')
    const at = new Date('2026-11-01T10:00:00.000Z')
    const numbers = Array.from({ length: 3 }, () => loadNumberOf(entryFileName(at, next()))?.number)
    expect(numbers).toEqual([1, 2, 3])
  })
})

describe('the entry that another file stands for', () => {
  const entry = '2026-11-01T100203.045Z-1a2b3c4d-000007.json'
  test.each([
    [`.${entry}.icloud`, entry],
    [`${entry}.icloud`, null],
    [`.${entry}`, null],
    ['.notes.json.icloud', null],
    ['.icloud', null],
    [`.${entry}.icloud.tmp`, null],
  ])('a placeholder %j: %j', (name, expected) => {
    expect(placeholderOf(name)).toBe(expected)
    expect(entryNameOf(name)).toBe(expected ?? name)
  })

  test('a conflict file stands for the name it has other bytes of, an entry for itself', () => {
    expect(entryNameOf(`${entry}.conflict-0123456789ab`)).toBe(entry)
    expect(entryNameOf(entry)).toBe(entry)
  })
})
