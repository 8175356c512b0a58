import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { examineHost } from '../../src/doctor/examine-host.ts'
import { tempFolder } from '../support/temp-folder.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

type Source = 'policy' | 'user' | 'project' | 'local'
const FILES: Record<Source, string> = {
  policy: 'managed.json',
  user: 'config/settings.json',
  project: 'work/.claude/settings.json',
  local: 'work/.claude/settings.local.json',
}

/** What is found with these settings, and a host that answers `--version` so; null for no host. */
function look(
  settings: Partial<Record<Source, unknown>>,
  host: string | null = 'echo "2.1.332 (Claude Code)"',
) {
  const dir = tempFolder()
  for (const [source, value] of Object.entries(settings)) {
    const path = join(dir, FILES[source as Source])
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value))
  }
  const bin = join(dir, 'bin')
  mkdirSync(bin)
  if (host !== null) {
    writeFileSync(join(bin, 'claude'), `#!/bin/sh\n${host}\n`)
    chmodSync(join(bin, 'claude'), 0o755)
  }
  vi.stubEnv('PATH', `${bin}:/bin`)
  const places = {
    configDir: join(dir, 'config'),
    cwd: join(dir, 'work'),
    managed: join(dir, 'managed.json'),
  }
  const checks = examineHost(places)
  expect(checks.map(({ name }) => name)).toEqual(['host', 'plugin', 'inbound messages'])
  const [version, plugin, inbound] = checks as [(typeof checks)[0], (typeof checks)[0], (typeof checks)[0]]
  return { version, plugin, inbound }
}

describe('the host', () => {
  it('of the version that the plugin was measured on is well', () => {
    expect(look({}).version).toMatchObject({
      ...{ status: 'ok', hint: null },
      detail: 'Claude Code 2.1.332; the plugin was measured on 2.1.332',
    })
  })

  it.each(['2.1.326', '2.1.333', '2.1.3320', '2.2.0', '3.0.0', '12.1.332'])(
    'of version %s is a warning',
    version => {
      const found = look({}, `echo "${version} (Claude Code)"`).version
      expect(found).toMatchObject({ status: 'warning', hint: expect.stringContaining('docs/host.md') })
      expect(found.detail).toContain(`Claude Code ${version};`)
    },
  )

  it.each(['2.1.325', '2.1.300', '2.1.33', '2.0.999', '1.9.400'])(
    'of version %s refuses the mod without a notice: nothing is recorded, and the least version is named',
    version => {
      expect(look({}, `echo "${version} (Claude Code)"`).version).toEqual({
        ...{ name: 'host', status: 'warning' },
        detail: `Claude Code ${version} refuses the plugin's mod and does not say so: nothing is recorded`,
        hint: 'the plugin needs Claude Code 2.1.326 or later: claude update',
      })
    },
  )

  it.each([
    ['is not there', null],
    ['says no version', 'echo hello 2.1.332'],
    ['says nothing', 'true'],
  ])('that %s is a warning: the record can be read without it', (_, host) => {
    expect(look({}, host).version).toMatchObject({
      ...{ status: 'warning', detail: 'claude is not on the path' },
      hint: expect.stringContaining('install Claude Code'),
    })
  })
})

describe('the plugin', () => {
  const enabled = (is: unknown) => ({ enabledPlugins: { 'coordination@cc-agents': is } })

  it.each<[Partial<Record<Source, unknown>>, 'enabled' | 'disabled' | 'not installed']>([
    [{}, 'not installed'],
    [{ user: {} }, 'not installed'],
    [{ user: { enabledPlugins: { 'other@cc-agents': true } } }, 'not installed'],
    [{ user: enabled(true) }, 'enabled'],
    [{ user: enabled(false) }, 'disabled'],
    [{ user: enabled(true), project: enabled(false) }, 'disabled'],
    [{ user: enabled(false), project: enabled(true) }, 'enabled'],
    [{ project: enabled(true), local: enabled(false) }, 'disabled'],
    [{ project: enabled(false), local: enabled(true) }, 'enabled'],
    [{ user: enabled(true), local: enabled(false) }, 'disabled'],
    [
      { policy: enabled(false), user: enabled(true), project: enabled(true), local: enabled(true) },
      'disabled',
    ],
    [
      { policy: enabled(true), user: enabled(false), project: enabled(false), local: enabled(false) },
      'enabled',
    ],
    [{ user: '{' }, 'not installed'],
    [{ user: '{', local: enabled(true) }, 'enabled'],
  ])('with %j is %s', (settings, state) => {
    const { plugin } = look(settings)
    expect(plugin.detail).toMatch(new RegExp(` is ${state}( here)?$`))
    expect(plugin.status).toBe(state === 'enabled' ? 'ok' : 'warning')
    if (state === 'enabled') expect(plugin.hint).toBeNull()
    else expect(plugin.hint).toContain('coord plugin says how')
  })
})

describe('inbound messages', () => {
  const of = (state: unknown) => ({ crossSessionInbound: state })

  it.each<[Partial<Record<Source, unknown>>, string, string]>([
    [{}, 'unset', 'policy unset, user unset, project unset, local unset'],
    [{ user: of('accept') }, 'accept', 'policy unset, user accept, project unset, local unset'],
    [
      { user: of('accept'), project: of('hold') },
      'hold',
      'policy unset, user accept, project hold, local unset',
    ],
    [
      { user: of('hold'), local: of('accept') },
      'hold',
      'policy unset, user hold, project unset, local accept',
    ],
    [{ policy: of('accept'), user: of('refuse') }, 'accept', 'policy accept, user refuse'],
    [{ user: of('accept'), local: of('refuse') }, 'refuse', 'local refuse'],
  ])('with %j are %s here', (settings, state, sources) => {
    const { inbound } = look(settings)
    expect(inbound.detail.startsWith(`${state} here (`)).toBe(true)
    expect(inbound.detail).toContain(sources)
    const isOpen = ['accept', 'unset'].includes(state)
    expect(inbound.status).toBe(isOpen ? 'ok' : 'warning')
    if (isOpen) expect(inbound.hint).toBeNull()
    else expect(inbound.hint).toContain('crossSessionInbound')
  })
})
