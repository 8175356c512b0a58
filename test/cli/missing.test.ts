import { renameSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { doctorCommand } from '../../src/cli/commands/doctor.ts'
import { queryCommand } from '../../src/cli/commands/query.ts'
import { treeCommand } from '../../src/cli/commands/tree.ts'
import { verifyCommand } from '../../src/cli/commands/verify.ts'
import { loadOf } from '../support/load-builder.ts'
import { at, resolved } from '../support/record-builder.ts'
import { commandHome } from './support/in-process.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

/** A top and a lead that joined it and has an entry more. */
function leadHome() {
  const here = commandHome()
  loadOf(here.record, 'top').start(at(0))
  const load = loadOf(here.record, 'lead')
  load.start(at(1))
  load.chain('top', 'port', at(2))
  return { ...here, load, last: load.received(resolved('top'), 'brief', at(5)) }
}

const NO = 'sent its parent a message since it joined: no'
const UNKNOWN = 'sent its parent a message since it joined: unknown'

describe('ruling 8: a gap is unknown, never "no"', () => {
  it('the tree says how many entries are missing, and where to look; that alone makes no answer partial', async () => {
    const { run, load } = leadHome()
    const whole = await run(treeCommand)
    expect([whole.code, whole.told]).toEqual([0, []])
    expect(whole.printed).toContain(NO)
    expect(whole.printed).toContain('4 entries in 4 files, as of')
    load.lose(2)
    load.received(resolved('top'), 'more', at(6), { missing: 2 })
    const { code, told, printed } = await run(treeCommand)
    expect([code, told]).toEqual([0, []])
    expect(printed).toContain(UNKNOWN)
    expect(printed).toContain('5 entries in 5 files, 2 known to be missing (coord query unreadable), as of')
    expect((await run(treeCommand, '--json')).json().freshness).toMatchObject({ unreadable: 0, missing: 2 })
  })

  it('an entry that is gone is named once on standard error, and listed until it is back', async () => {
    const { run, record, last, dir } = leadHome()
    await run(treeCommand)
    renameSync(record.path(last), `${dir}/aside`)
    const first = await run(treeCommand)
    expect(first.code).toBe(0)
    expect(first.told).toEqual([expect.stringContaining(`gone, and what it held is unknown now: ${last}`)])
    expect(first.printed).toContain(UNKNOWN)
    expect((await run(treeCommand)).told).toEqual([])
    const listed = await run(queryCommand, 'unreadable', 'missing = 1', '--json')
    expect(listed.json().rows).toMatchObject([
      {
        file: last,
        reason: expect.stringMatching(/^gone since /),
        session_id: 'lead',
        name_at: at(5),
        missing: 1,
      },
    ])
    const verified = await run(verifyCommand, '--json')
    expect([verified.code, verified.json().ok]).toEqual([0, true])
    renameSync(`${dir}/aside`, record.path(last))
    expect((await run(treeCommand)).printed).toContain(NO)
    expect((await run(queryCommand, 'unreadable', '--count')).printed).toBe('0\n')
  })

  it('a placeholder counts as a file that could not be read: exit 8', async () => {
    const { run, record, last } = leadHome()
    const placeholder = last.replace('lead/', 'lead/.').concat('.icloud')
    renameSync(record.path(last), record.path(placeholder))
    const { code, told, printed } = await run(treeCommand)
    expect(code).toBe(8)
    expect(told).toEqual([expect.stringContaining(`${placeholder} (a placeholder: `)])
    expect(printed).toContain(UNKNOWN)
  })

  it('coord doctor shows what is missing, and is still well', async () => {
    const { run, load } = leadHome()
    const last = load.received(resolved('top'), 'more', at(6), { missing: 1 })
    await run(treeCommand)
    const { printed, json } = await run(doctorCommand, '--json')
    expect(printed).not.toBe('')
    expect(json().checks).toContainEqual(
      expect.objectContaining({
        name: 'missing entries',
        status: 'warning',
        detail: expect.stringContaining(`${last} (1 entry could not be written before this one)`),
      }),
    )
  })

  it('the fields that say so can be asked for', async () => {
    const { run, load } = leadHome()
    load.received(resolved('top'), 'more', at(6), { missing: 3 })
    const rows = async (filter: string) =>
      (await run(queryCommand, 'entries', filter, '--select', 'at,cause,missing,extra', '--json')).json().rows
    expect(await rows("cause = 'startup' and session_id = 'lead'")).toEqual([
      { at: at(1), cause: 'startup', missing: null, extra: null },
    ])
    expect(await rows('missing > 0')).toEqual([{ at: at(6), cause: null, missing: 3, extra: null }])
  })
})
