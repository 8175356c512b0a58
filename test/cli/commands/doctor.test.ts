import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { doctorCommand } from '../../../src/cli/commands/doctor.ts'
import { chainHome } from '../support/in-process.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('coord doctor', () => {
  it('exit 0 where nothing has failed, also with warnings; 3 where something has', async () => {
    const here = chainHome()
    mkdirSync(join(here.dir, 'bin'))
    here.env.PATH = join(here.dir, 'bin')
    const well = await here.run(doctorCommand, '--json')
    expect(well.code).toBe(0)
    expect(well.json()).toMatchObject({ ok: true })
    const names = well.json().checks.map(({ name }: { name: string }) => name)
    expect(names).toEqual(expect.arrayContaining(['node', 'index', 'host', 'plugin', 'inbound messages']))
    expect(well.json().checks.some(({ status }: { status: string }) => status === 'warning')).toBe(true)
    writeFileSync(join(here.dir, 'cache'), '')
    const bad = await here.run(doctorCommand, '--json')
    expect([bad.code, bad.json().ok]).toEqual([3, false])
    const words = await here.run(doctorCommand)
    expect(words.code).toBe(3)
    expect(words.printed).toMatch(
      /^failed {3}index folder: .*\n {9}mend it: .*XDG|^failed {3}index folder: .*\n {9}mend it: /m,
    )
    expect(words.printed).toMatch(/^ok {7}node: Node/m)
  })

  it('looks at the settings of the person’s own folder', async () => {
    const here = chainHome()
    mkdirSync(join(here.home, '.claude'))
    writeFileSync(join(here.home, '.claude/settings.json'), '{"crossSessionInbound":"hold"}')
    const { printed } = await here.run(doctorCommand)
    expect(printed).toContain('inbound messages: hold here')
    here.env.CLAUDE_CONFIG_DIR = join(here.dir, 'other')
    expect((await here.run(doctorCommand)).printed).not.toContain('hold here')
  })

  it('names of the record reach no terminal as they are', async () => {
    const here = chainHome()
    here.env.COORD_RECORD_DIR = join(here.dir, 'no\u001b[31m')
    expect((await here.run(doctorCommand)).printed).not.toContain('\u001b')
    expect((await here.run(doctorCommand, '--json')).printed).not.toContain('\u001b')
  })
})
