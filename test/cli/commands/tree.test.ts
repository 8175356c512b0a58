import { afterEach, describe, expect, it, vi } from 'vitest'
import { treeCommand } from '../../../src/cli/commands/tree.ts'
import { at, fileName } from '../../support/record-builder.ts'
import { chainHome } from '../support/in-process.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

const TORN = fileName(at(50), 'torn')

describe('coord tree', () => {
  it('draws chains, and counts the sessions that stand alone', async () => {
    const { run, record } = chainHome()
    const some = await run(treeCommand, '--utc')
    expect(some.code).toBe(0)
    expect(some.printed).toContain('top top\n')
    expect(some.printed).toContain('lead lead  port\n')
    expect(some.printed).toContain('1 session stands alone (--all lists them)\n')
    expect(some.printed).not.toContain('top alone')
    expect(some.printed).toMatch(/\n5 entries in 5 files, as of \d{4}-/)
    record.start('other', at(5))
    expect((await run(treeCommand)).printed).toContain('2 sessions stand alone')
    const all = await run(treeCommand, '--all')
    expect(all.printed).toContain('top alone\n')
    expect(all.printed).not.toContain('alone (--all')
    const one = await run(treeCommand, '--session', 'alone')
    expect(one.printed).toContain('top alone\n')
    expect(one.printed).not.toContain('lead lead')
  })

  it('has times in UTC where asked, else in local time, and their age as of the look', async () => {
    const { run } = chainHome()
    expect((await run(treeCommand, '--utc')).printed).toContain('last heard 2026-11-01 10:00:00Z (')
    expect((await run(treeCommand)).printed).not.toContain('10:00:00Z')
  })

  it('tells notices and what could not be read, in JSON among the notices', async () => {
    const { run, record } = chainHome()
    record.chain('deep', 'lead', 'fuzz', at(6))
    record.raw('lead', TORN, '{')
    const words = await run(treeCommand)
    expect(words.code).toBe(8)
    expect(words.printed).toContain('! the chain has grown a level: deep (fuzz)')
    expect(words.told.join('\n')).toContain(TORN)
    const { json, code } = await run(treeCommand, '--json')
    expect(code).toBe(8)
    expect(json().notices).toEqual([
      expect.stringContaining('grown a level'),
      expect.stringContaining('could not be read'),
    ])
    expect(json().freshness).toMatchObject({ files: 7, entries: 6, unreadable: 1 })
  })
})
