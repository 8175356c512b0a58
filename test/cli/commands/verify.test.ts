import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { indexCommand } from '../../../src/cli/commands/index-record.ts'
import { verifyCommand } from '../../../src/cli/commands/verify.ts'
import { at, fileName } from '../../support/record-builder.ts'
import { chainHome } from '../support/in-process.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

const TORN = fileName(at(50), 'torn')

describe('coord verify', () => {
  it('builds an index where there is none, and says what it compared', async () => {
    const { run } = chainHome()
    const { json, code, told } = await run(verifyCommand, '--json')
    expect(code).toBe(0)
    expect(json()).toMatchObject({ ok: true, indexIsSound: true, filesChecked: 5, differences: [] })
    expect(json().freshness).toMatchObject({ entries: 5 })
    expect(told.join()).not.toContain('hint')
    expect((await run(verifyCommand)).printed).toBe('5 files checked, no difference\n')
  })

  it('an index that is there is compared as it is: what is newer is no difference, and is counted', async () => {
    const { run, record } = chainHome()
    await run(indexCommand)
    record.start('new', at(9))
    const { printed, code } = await run(verifyCommand)
    expect([printed, code]).toEqual([
      '6 files checked, no difference; 1 of them are newer than the index\n',
      0,
    ])
  })

  it('a difference is named with its meaning, exit 4, and what takes the record as it is', async () => {
    const { run, record } = chainHome()
    await run(indexCommand)
    const [file] = readdirSync(record.path('alone'))
    const path = record.path(`alone/${file}`)
    writeFileSync(path, readFileSync(path, 'utf8').replace('claude-code', 'claude-cod3'))
    const one = await run(verifyCommand)
    expect(one.code).toBe(4)
    expect(one.printed).toContain(`alone/${file}: changed (`)
    expect(one.printed).toContain('5 files checked, 1 difference\n')
    expect(one.told.at(-1)).toBe('hint: coord index --rebuild takes the record as it is now')
    rmSync(record.path('top'), { recursive: true })
    const two = await run(verifyCommand, '--json')
    expect(two.code).toBe(4)
    expect(two.json()).toMatchObject({ ok: false, indexIsSound: true })
    expect(
      two
        .json()
        .differences.map(({ what }: { what: string }) => what)
        .sort(),
    ).toEqual(['changed', 'gone'])
    expect((await run(verifyCommand)).printed).toContain('2 differences\n')
  })

  it('what cannot be read makes it partial', async () => {
    const { run, record } = chainHome()
    record.raw('lead', TORN, '{')
    expect((await run(verifyCommand)).code).toBe(8)
  })

  it('a damaged index is exit 4, and says nothing of how fresh it is', async () => {
    const { run, place } = chainHome()
    await run(indexCommand)
    const bytes = Buffer.from(readFileSync(place().indexPath))
    bytes.fill(0xff, bytes.readUInt16BE(16))
    writeFileSync(place().indexPath, bytes)
    const json = await run(verifyCommand, '--json')
    expect(json.code).toBe(4)
    expect(json.json()).toMatchObject({ ok: false, indexIsSound: false, freshness: null })
    const words = await run(verifyCommand)
    expect([words.code, words.printed]).toEqual([4, expect.stringContaining('the index file is damaged\n')])
    expect(words.told).toEqual([expect.stringContaining('--rebuild')])
  })
})
