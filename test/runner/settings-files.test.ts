import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findSkill } from '../../src/runner/agents/installed-skills.ts'
import { readRunnerSettings } from '../../src/runner/agents/runner-settings.ts'
import { BAD_JSON_FILES } from '../support/bad-files.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { bench } from './support/bench.ts'

describe('rule.agents: the settings of the runner', () => {
  test('that are not there are none: claude and codex as they are installed', () => {
    const { agents, httpHosts, mcpServers } = readRunnerSettings(join(tempFolder(), 'none'))
    expect(agents.map(agent => agent.name)).toEqual(['claude', 'codex'])
    expect([httpHosts, mcpServers]).toEqual([[], {}])
  })

  test.each(BAD_JSON_FILES)(
    'are refused by name where there is %s, and nothing stands in for them',
    (_, put, said) => {
      const folder = tempFolder()
      const path = join(folder, 'settings.json')
      put(path)
      expect(() => readRunnerSettings(folder)).toThrow(
        expect.objectContaining({ kind: 'usage', path, message: expect.stringMatching(said) }),
      )
    },
  )
})

describe("rule.skillReference: the host's files", () => {
  function installed() {
    const here = bench()
    const list = join(here.place.host, 'plugins', 'installed_plugins.json')
    const root = join(here.place.host, 'pack')
    mkdirSync(root, { recursive: true })
    mkdirSync(join(here.place.host, 'plugins'), { recursive: true })
    const put = (plugins: unknown) => here.write(list, JSON.stringify({ version: 2, plugins }))
    const find = () => findSkill('pack:do@1.2.0', here.place.host, here.place.project)
    return { here, list, root, put, find }
  }

  test('a list that is not there names no plugin', () => {
    expect(installed().find).toThrow('the package "pack" is not installed')
  })

  test.each(BAD_JSON_FILES)('a list that cannot be used is no empty list: %s', (_, put, said) => {
    const { list, find } = installed()
    put(list)
    expect(find).toThrow(
      expect.objectContaining({ kind: 'failed', path: list, message: expect.stringMatching(said) }),
    )
  })

  test.each([null, 7, { 'pack@m': {} }, { 'pack@m': [null] }, { 'pack@m': [{ installPath: 1 }] }])(
    'a list of another form is none: %j',
    plugins => {
      const { put, find } = installed()
      put(plugins)
      expect(find).toThrow(/list of plugins has another form/)
    },
  )

  test('a plugin without a version stands in nobody’s way', () => {
    const { here, root, put, find } = installed()
    here.write(join(root, 'skills/do/SKILL.md'), 'Do it.')
    put({ 'other@m': [{ installPath: '/x' }], 'pack@m': [{ installPath: root, version: '1.2.0' }] })
    expect(find()).toMatchObject({ text: 'Do it.' })
  })

  test.each(BAD_JSON_FILES)('a manifest that cannot be used names no folders: %s', (_, bad) => {
    const { here, root, put, find } = installed()
    here.write(join(root, 'skills/do/SKILL.md'), 'Do it.')
    mkdirSync(join(root, '.claude-plugin'))
    bad(join(root, '.claude-plugin/plugin.json'))
    put({ 'pack@m': [{ installPath: root, version: '1.2.0' }] })
    expect(find()).toMatchObject({ text: 'Do it.' })
  })

  test.each(['extra', ['extra']])('a manifest names folders of skills: %j', skills => {
    const { here, root, put, find } = installed()
    here.write(join(root, 'extra/do/SKILL.md'), 'Do it there.')
    here.write(join(root, '.claude-plugin/plugin.json'), JSON.stringify({ name: 'pack', skills }))
    put({ 'pack@m': [{ installPath: root, version: '1.2.0' }] })
    expect(find()).toMatchObject({ text: 'Do it there.' })
  })

  test.each(BAD_JSON_FILES.filter(([name]) => /folder|UTF-8|pipe|more/.test(name)))(
    'a skill whose file cannot be used is refused: %s',
    (_, bad, said) => {
      const { root, put, find } = installed()
      mkdirSync(join(root, 'skills/do'), { recursive: true })
      bad(join(root, 'skills/do/SKILL.md'))
      put({ 'pack@m': [{ installPath: root, version: '1.2.0' }] })
      expect(find).toThrow(expect.objectContaining({ kind: 'check', message: expect.stringMatching(said) }))
    },
  )
})
