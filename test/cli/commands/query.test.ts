import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { indexCommand } from '../../../src/cli/commands/index-record.ts'
import { queryCommand } from '../../../src/cli/commands/query.ts'
import { treeCommand } from '../../../src/cli/commands/tree.ts'
import { at } from '../../support/record-builder.ts'
import { chainHome } from '../support/in-process.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('--no-refresh', () => {
  it('answers from the index as it is, and says as of when, for people alone', async () => {
    const { run, record } = chainHome()
    await run(indexCommand)
    record.start('new', at(9))
    const words = await run(queryCommand, 'sessions', '--count', '--no-refresh')
    expect([words.printed, words.code]).toEqual(['3\n', 0])
    expect(words.told).toEqual([expect.stringMatching(/^coord: answered from the index as of \d{4}-/)])
    const json = await run(queryCommand, 'sessions', '--count', '--no-refresh', '--json')
    expect(json.told).toEqual([])
    expect((await run(queryCommand, 'sessions', '--count')).printed).toBe('4\n')
  })

  it('without an index is an error, and makes none', async () => {
    const { run, place } = chainHome()
    const { error, printed } = await run(queryCommand, 'sessions', '--no-refresh')
    expect(error).toMatchObject({ name: 'Problem', kind: 'index' })
    expect([printed, existsSync(place().indexPath)]).toEqual(['', false])
  })

  it('a damaged index is left as it is; without the option it is set aside, and the answer comes', async () => {
    const { run, place } = chainHome()
    await run(indexCommand)
    const { indexPath } = place()
    const damaged = Buffer.from(readFileSync(indexPath))
    damaged.fill(0xff, damaged.readUInt16BE(16))
    writeFileSync(indexPath, damaged)
    expect((await run(treeCommand, '--no-refresh')).error).toBeDefined()
    expect(readFileSync(indexPath).equals(damaged)).toBe(true)
    const { printed, told, code } = await run(queryCommand, 'sessions', '--count')
    expect([printed, code]).toEqual(['3\n', 0])
    expect(told.join('\n')).toContain('damaged')
    expect(readdirSync(join(indexPath, '..')).some(name => name.includes('.damaged-'))).toBe(true)
  })
})

describe('coord query', () => {
  it('counts, limits, orders and selects', async () => {
    const { run } = chainHome()
    const rows = async (...args: string[]) => (await run(queryCommand, ...args, '--json')).json().rows
    expect(await rows('sessions', '--count')).toEqual([{ count: 3 }])
    expect(await rows('sessions', "role = 'lead'", '--count')).toEqual([{ count: 1 }])
    expect(await rows('entries', '--order', 'at desc', '--limit', '2', '--select', 'session_id')).toEqual([
      { session_id: 'alone' },
      { session_id: 'lead' },
    ])
    expect(await rows('entries', '--limit', '0')).toEqual([])
  })

  it('a table has the columns for people, the other formats all', async () => {
    const { run } = chainHome()
    const columns = (await run(queryCommand, 'entries', '--columns', '--json')).json()
    expect(Object.keys(columns)).toEqual(['relation', 'columns'])
    expect(Object.keys(columns.columns[0])).toEqual(['name', 'type', 'description'])
    const all = columns.columns.map(({ name }: { name: string }) => name)
    expect((await run(queryCommand, 'entries', '--json')).json().columns).toEqual(all)
    const csv = await run(queryCommand, 'entries', '--format', 'csv')
    expect(csv.printed.split('\r\n')[0]?.split(',')).toEqual(all)
    const table = await run(queryCommand, 'entries')
    expect(table.printed.split('\n')[0]?.split(/\s{2,}/).length).toBeLessThan(all.length)
    expect((await run(queryCommand, 'entries', '--columns')).printed).toMatch(/^name +type +description/)
  })

  it.each([
    ['--limit', '-1'],
    ['--limit', '1.5'],
    ['--limit', '1e3'],
    ['--limit', ''],
    ['--limit', 'many'],
    ['--format', 'xml'],
    ['--format', ''],
    ['--format', 'csv', '--json'],
  ])('%s %s is wrong usage, told before anything is indexed', async (...args) => {
    const { run, place } = chainHome()
    const { error, code } = await run(queryCommand, 'entries', ...args)
    expect(error).toMatchObject({ name: 'Problem', kind: 'usage' })
    expect([code, existsSync(place().indexPath)]).toEqual([null, false])
  })

  it('a format is taken in any letter case, and json beside --json', async () => {
    const { run } = chainHome()
    const args = ['entries', '--select', 'session_id', '--limit', '1']
    expect((await run(queryCommand, ...args, '--format', 'CSV')).printed).toMatch(/^session_id\r?\n/)
    expect((await run(queryCommand, ...args, '--format', 'JSON', '--json')).json().rows).toHaveLength(1)
    expect((await run(queryCommand, ...args, '--format', 'ndjson')).printed.trim().split('\n')).toHaveLength(
      1,
    )
  })

  it.each([
    ['entries', 'kind ='],
    ['nothing'],
    ['entries', '--select', 'nothing'],
    ['entries', '--order', 'nothing'],
  ])('a question that cannot be asked is told before anything is indexed: %s %s', async (...args) => {
    const { run, place } = chainHome()
    const { error } = await run(queryCommand, ...args)
    expect(error.name).toBe('Problem')
    expect(existsSync(place().indexPath)).toBe(false)
  })
})
