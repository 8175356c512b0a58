import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packed } from '../support/packed.ts'
import { entriesOf, PLUGIN, recordOf } from './support/coordination.ts'
import { endingFolder } from './support/endings.ts'
import { hostCommand } from './support/host-command.ts'
import { messagesApi } from './support/messages-api.ts'
import { newProfile } from './support/profile.ts'
import { print, stream } from './support/session.ts'

const ROOT = resolve(import.meta.dirname, '../..')

test('rule.twoPlugins: from the packed npm package the marketplace is added, the plugin installed, and a session recorded', async () => {
  const profile = newProfile({ api: await messagesApi() })
  const { folder } = packed()
  expect(existsSync(join(folder, 'plugins/coordination/hooks/register.js'))).toBe(true)
  for (const args of [
    ['marketplace', 'add', folder],
    ['install', 'coordination@cc-agents'],
  ]) {
    const { code, stdout, stderr } = await hostCommand({ profile }, 'plugin', ...args)
    expect(code, stdout + stderr).toBe(0)
  }
  const { sessionId } = await print('hello', { profile })
  expect(entriesOf(recordOf(profile), sessionId, 'start')).toHaveLength(1)
})

test('rule.twoPlugins: from a clone that was never built the marketplace is added, the plugin installed, and a session recorded', async () => {
  const profile = newProfile({ api: await messagesApi() })
  const clone = cloned()
  expect(existsSync(join(clone, 'node_modules')) || existsSync(join(clone, 'dist'))).toBe(false)
  for (const args of [
    ['marketplace', 'add', clone],
    ['install', 'coordination@cc-agents'],
  ]) {
    const { code, stdout, stderr } = await hostCommand({ profile }, 'plugin', ...args)
    expect(code, stdout + stderr).toBe(0)
  }
  const { sessionId } = await print('hello', { profile })
  expect(entriesOf(recordOf(profile), sessionId, 'start')).toHaveLength(1)
})

/** A clone by git of the project's files as they are now, those aside that git does not know and ignores. */
function cloned(): string {
  const [source, clone] = [endingFolder(), join(endingFolder(), 'clone')]
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.invalid', ...args], {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  const names = git(ROOT, 'ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0')
  for (const name of names.filter(one => one !== '' && existsSync(join(ROOT, one))))
    cpSync(join(ROOT, name), join(source, name))
  git(source, 'init', '-q')
  git(source, 'add', '-A')
  git(source, 'commit', '-q', '-m', 'all')
  git(source, 'clone', '-q', source, clone)
  return clone
}

describe('recordDir', () => {
  const withRecordDir = (recordDir: string) => ({
    pluginConfigs: { 'coordination@inline': { options: { recordDir } } },
  })

  test('a relative path is refused with a notice, and nothing is recorded', async () => {
    const profile = newProfile({ api: await messagesApi() })
    profile.writeSettings('user', withRecordDir('records/here'))
    const session = await stream({ profile, pluginDirs: [PLUGIN] })
    await session.ask('hello')
    const logs = session
      .events()
      .filter(event => event.subtype === 'ui_log')
      .map(event => event.text as string)
    expect(
      logs.filter(text => text.includes('recordDir is not an absolute path: records/here')),
    ).toHaveLength(1)
    expect(existsSync(recordOf(profile))).toBe(false)
    expect(existsSync(join(profile.cwd, 'records'))).toBe(false)
    expect((await session.ask('/chain')).result).toContain('recordDir is not an absolute path')
  })

  test('~/ is the home folder', async () => {
    const profile = newProfile({ api: await messagesApi() })
    profile.writeSettings('user', withRecordDir('~/records'))
    const { sessionId } = await print('hello', { profile, pluginDirs: [PLUGIN] })
    expect(entriesOf(join(profile.home, 'records'), sessionId, 'start')).toHaveLength(1)
    mkdirSync(recordOf(profile), { recursive: true })
    expect(readdirSync(recordOf(profile))).toEqual([])
  })
})
