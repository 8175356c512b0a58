import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { examineHost } from '../../src/doctor/examine-host.ts'
import { BAD_JSON_FILES } from '../support/bad-files.ts'
import { tempFolder } from '../support/temp-folder.ts'

function host() {
  const configDir = tempFolder()
  const cwd = tempFolder()
  mkdirSync(join(cwd, '.claude'))
  const path = join(configDir, 'settings.json')
  return { path, look: () => examineHost({ configDir, cwd }) }
}

const NOT_INSTALLED = { name: 'plugin', detail: 'coordination@cc-agents is not installed' }

describe('settings of the host', () => {
  it('say whether the plugin is enabled', () => {
    const { path, look } = host()
    writeFileSync(path, JSON.stringify({ enabledPlugins: { 'coordination@cc-agents': true } }))
    expect(look()).toContainEqual(expect.objectContaining({ name: 'plugin', status: 'ok' }))
  })

  it.each(['null', '1', '"text"', '[]', '{"enabledPlugins":null}', '{"enabledPlugins":7}'])(
    'that are %s say nothing',
    text => {
      const { path, look } = host()
      writeFileSync(path, text)
      expect(look()).toContainEqual(expect.objectContaining(NOT_INSTALLED))
    },
  )

  it.each(BAD_JSON_FILES)('say nothing where there is %s', (_, put) => {
    const { path, look } = host()
    put(path)
    expect(look()).toContainEqual(expect.objectContaining(NOT_INSTALLED))
  })
})
