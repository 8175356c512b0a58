import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { indexCommand } from '../../../src/cli/commands/index-record.ts'
import { at, fileName } from '../../support/record-builder.ts'
import { chainHome } from '../support/in-process.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

const TORN = fileName(at(50), 'torn')

describe('coord index', () => {
  it('counts what there is, what came and what went; exit 0', async () => {
    const { run, record, dir, place } = chainHome()
    const first = await run(indexCommand, '--json')
    expect(first.code).toBe(0)
    expect(first.json()).toEqual({
      ...{ recordDir: record.dir, index: place().indexPath, rebuilt: true, elapsedMs: expect.any(Number) },
      ...{ files: { seen: 5, added: 5, removed: 0, unreadable: 0, conflicts: 0 }, sessions: 3, entries: 5 },
    })
    record.start('new', at(9))
    rmSync(record.path('alone'), { recursive: true })
    const second = await run(indexCommand, '--json')
    expect(second.json()).toMatchObject({
      ...{ rebuilt: false, sessions: 3, entries: 5 },
      files: { seen: 5, added: 1, removed: 1 },
    })
    expect((await run(indexCommand, '--json', '--rebuild')).json()).toMatchObject({ rebuilt: true })
    const elsewhere = join(dir, 'elsewhere.db')
    expect((await run(indexCommand, '--json', '--index', elsewhere)).json().index).toBe(elsewhere)
    expect(existsSync(elsewhere)).toBe(true)
  })

  it('what cannot be read makes it partial: counted, told and named; conflicts apart', async () => {
    const { run, record } = chainHome()
    record.raw('lead', TORN, '{')
    record.raw('lead', `${TORN}.conflict-${'a'.repeat(12)}`, '{')
    const answer = await run(indexCommand, '--json')
    expect(answer.code).toBe(8)
    expect(answer.json().files).toMatchObject({ unreadable: 2, conflicts: 1 })
    expect(answer.told.join('\n')).toContain(`lead/${TORN}`)
    const words = await run(indexCommand)
    expect(words.printed).toContain('7 files seen, 2 unreadable, 1 of them conflicts\n')
    expect(words.printed).toContain('(0 files added, 0 removed, ')
    expect(words.printed).toContain('holds   5 entries of 3 sessions; ')
  })

  it('for people says nothing of what there is none of', async () => {
    const { run } = chainHome()
    const { printed, told } = await run(indexCommand)
    expect(printed).toMatch(/\(built anew, \d+ ms\)\nholds {3}5 entries of 3 sessions; 5 files seen\n$/)
    expect(told.join()).not.toContain('could not be read')
  })
})
