import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { givenValues, readRunnerSettings } from '../../../src/runner/agents/runner-settings.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const CLAUDE = { name: 'claude', argv: ['claude', '-p'], prompt: 'stdin', family: 'Anthropic', env: {} }
const CODEX = { name: 'codex', argv: ['codex', 'exec', '-'], prompt: 'stdin', family: 'OpenAI', env: {} }

function read(settings: unknown) {
  const folder = tempFolder()
  writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings))
  return readRunnerSettings(folder)
}

test('rule.agents: without settings claude and codex as they are installed', () => {
  const folder = tempFolder()
  const none = { path: join(folder, 'settings.json'), agents: [CLAUDE, CODEX], httpHosts: [], mcpServers: {} }
  expect(readRunnerSettings(folder)).toEqual(none)
  expect(read({})).toEqual({ ...none, path: expect.stringMatching(/settings\.json$/) })
})

test('rule.agents: what the person names comes first, as it is, and in its order', () => {
  const settings = read({
    agents: {
      zed: { argv: ['zed'], prompt: 'argument', family: 'zhipu', env: { Z: '1' }, timeout: '90s' },
      claude: { argv: ['my-claude'] },
      anon: { argv: ['a', 'b'], family: 'nobody' },
    },
    http: { allow: ['ci.invalid'] },
    mcp: { notes: { argv: ['notes'], env: { N: '2' } }, bare: { argv: ['bare'] } },
  })
  expect(settings.agents).toEqual([
    { name: 'zed', argv: ['zed'], prompt: 'argument', family: 'Zhipu', env: { Z: '1' }, timeout: '90s' },
    { name: 'claude', argv: ['my-claude'], prompt: 'stdin', family: 'unknown', env: {} },
    { name: 'anon', argv: ['a', 'b'], prompt: 'stdin', family: 'unknown', env: {} },
    CODEX,
  ])
  expect(settings.httpHosts).toEqual(['ci.invalid'])
  expect(settings.mcpServers).toEqual({
    notes: { argv: ['notes'], env: { N: '2' } },
    bare: { argv: ['bare'], env: {} },
  })
  expect(givenValues(settings)).toEqual({ Z: '1', N: '2' })
})

test.each<[string, unknown, RegExp]>([
  ['no object', [], /the file: /],
  ['an unknown field', { agent: {} }, /the file: .*agent/],
  ['an agent without a command', { agents: { a: {} } }, /agents\.a\.argv: /],
  ['an empty command', { agents: { a: { argv: [] } } }, /agents\.a\.argv: /],
  ['an empty program', { agents: { a: { argv: [''] } } }, /agents\.a\.argv\.0: /],
  ['an unknown field of an agent', { agents: { a: { argv: ['a'], shell: true } } }, /agents\.a: .*shell/],
  ['another way to give a prompt', { agents: { a: { argv: ['a'], prompt: 'file' } } }, /agents\.a\.prompt: /],
  ['a timeout without a unit', { agents: { a: { argv: ['a'], timeout: '90' } } }, /a number and s, m or h/],
  ['a variable that is no text', { agents: { a: { argv: ['a'], env: { N: 1 } } } }, /agents\.a\.env\.N: /],
  ['an empty host', { http: { allow: [''] } }, /http\.allow\.0: /],
  ['an unknown field of http', { http: { deny: [] } }, /http: .*deny/],
  ['a server without a command', { mcp: { s: { env: {} } } }, /mcp\.s\.argv: /],
  ['an unknown field of a server', { mcp: { s: { argv: ['s'], cwd: '/' } } }, /mcp\.s: .*cwd/],
  ['two mistakes', { agents: { a: { argv: [] } }, mcp: { s: 1 } }, /agents\.a\.argv: .*; mcp\.s: /],
])('rule.agents: settings are refused with the field: %s', (_, settings, told) => {
  expect(() => read(settings)).toThrow(
    expect.objectContaining({ kind: 'usage', message: expect.stringMatching(told) }),
  )
})
