import { describe, expect, test } from 'vitest'
import { place } from '../support/coord.ts'
import { at, fileName, startFields } from '../support/record-builder.ts'

const whole = (second: number) =>
  JSON.stringify({ kind: 'start', sessionId: 'a', at: at(second), ...startFields })

describe('case 9: a 0-byte entry file; 100 good files and one {"a":', () => {
  test('the good ones are indexed, the bad ones are unknown evidence, and they are tried again', async () => {
    const here = place()
    for (let i = 0; i < 100; i++) here.record.start('a', at(i))
    const empty = fileName(at(100), 'empty')
    const torn = fileName(at(101), 'torn')
    here.record.raw('a', empty, '')
    here.record.raw('a', torn, '{"a":')
    const first = await here.run('index', '--json')
    expect(first.code).toBe(8)
    expect(first.json()).toMatchObject({ entries: 100, files: { seen: 102, unreadable: 2 } })
    const tries = async () => {
      const { rows } = (await here.run('query', 'unreadable', '--order', 'file', '--json')).json()
      expect(rows.map((row: { file: string }) => row.file)).toEqual([`a/${empty}`, `a/${torn}`])
      return rows.map((row: { tries: number }) => row.tries)
    }
    const before = await tries()
    const after = await tries()
    for (const i of [0, 1]) expect(after[i]).toBeGreaterThan(before[i])

    here.record.raw('a', torn, whole(101))
    const one = await here.run('index', '--json')
    expect(one.json()).toMatchObject({ entries: 101, files: { unreadable: 1 } })
    here.record.raw('a', empty, whole(100))
    const both = await here.run('index', '--json')
    expect(both.code).toBe(0)
    expect(both.json()).toMatchObject({ entries: 102, files: { unreadable: 0 } })
    expect((await here.run('query', 'unreadable', '--json')).json().rows).toEqual([])
  })

  test.each([
    [
      'no UTF-8',
      Buffer.concat([Buffer.from(whole(1).slice(0, -1)), Buffer.from(',"x":"\xff\xfe"}', 'latin1')]),
    ],
    ['UTF-16', Buffer.from(whole(1), 'utf16le')],
    ['zeros, as after a power cut', Buffer.alloc(400)],
    ['half and zeros', Buffer.concat([Buffer.from(whole(1).slice(0, 60)), Buffer.alloc(100)])],
    ['two entries', Buffer.from(`${whole(1)}\n${whole(1)}`)],
    ['a list', Buffer.from(`[${whole(1)}]`)],
    ['null', Buffer.from('null')],
    ['a new head on an old tail', Buffer.from(`${whole(1)}"old tail"}`)],
    ['brackets 100,000 deep and no end', Buffer.from('['.repeat(100_000))],
  ])('%s is unknown evidence and stops nothing', async (_, bytes) => {
    const here = place()
    here.record.start('a', at(0))
    const bad = here.record.raw('a', fileName(at(1), 'bad'), bytes)
    const outcome = await here.run('index', '--json')
    expect(outcome.code, outcome.stderr).toBe(8)
    expect(outcome.json()).toMatchObject({ entries: 1, files: { unreadable: 1 } })
    const { rows } = (await here.run('query', 'unreadable', '--json')).json()
    expect(rows).toMatchObject([{ file: bad, reason: expect.stringMatching(/\S/) }])
  })

  test.each([
    ['a field 50,000 levels deep', `{"x":${'['.repeat(50_000)}${']'.repeat(50_000)},${whole(1).slice(1)}`],
    [
      '20,000 fields',
      `{${Array.from({ length: 20_000 }, (_, i) => `"f${i}":${i}`).join()},${whole(1).slice(1)}`,
    ],
    ['a field of 2 MB', `{"x":"${'y'.repeat(2_000_000)}",${whole(1).slice(1)}`],
    ['spaces and line breaks around it', `\n\n  ${whole(1).replaceAll(',', ' ,\n ')}\n`],
    ['a number that is too large', `{"x":1e999,${whole(1).slice(1)}`],
  ])('an entry with %s is read, or told as unreadable: nothing fails', async (_, json) => {
    const here = place()
    here.record.start('a', at(0))
    here.record.raw('a', fileName(at(1), 'odd'), json)
    const outcome = await here.run('index', '--json')
    expect([0, 8], outcome.stderr).toContain(outcome.code)
    const { entries, files } = outcome.json()
    expect(entries + files.unreadable).toBe(2)
    expect([0, 8]).toContain((await here.run('query', 'entries', '--json')).code)
    expect([0, 8]).toContain((await here.run('verify')).code)
  })
})
