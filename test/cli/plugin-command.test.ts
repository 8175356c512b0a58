import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { place } from '../support/coord.ts'

test('coord plugin says where the plugin lies and how to install it', async () => {
  const { code, json } = await place().run('plugin', '--json')
  expect(code).toBe(0)
  const { marketplace, plugin, install } = json()
  expect(existsSync(join(marketplace, '.claude-plugin/marketplace.json'))).toBe(true)
  expect(existsSync(join(plugin, '.claude-plugin/plugin.json'))).toBe(true)
  expect(install).toEqual([
    `claude plugin marketplace add ${marketplace}`,
    'claude plugin install coordination@cc-agents',
  ])
})

test.each([
  ['2.1.326', null],
  [
    '2.1.325',
    /2\.1\.325 refuses the plugin's mod .* nothing is recorded; .* 2\.1\.326 or later: claude update/,
  ],
  [null, null],
])(
  'coord plugin names the least host, and says of %s whether it loads the plugin',
  async (version, warning) => {
    const here = place()
    const bin = join(here.dir, 'bin')
    mkdirSync(bin)
    if (version !== null) {
      writeFileSync(join(bin, 'claude'), `#!/bin/sh\necho '${version} (Claude Code)'\n`)
      chmodSync(join(bin, 'claude'), 0o755)
    }
    const run = (...args: string[]) => here.runWith({ env: { PATH: `${bin}:/bin` } }, 'plugin', ...args)
    const { stdout, stderr } = await run()
    expect(stdout).toContain('needs    Claude Code 2.1.326 or later\n')
    if (warning === null) expect(stderr).toBe('')
    else expect(stderr).toMatch(warning)
    expect((await run('--json')).json().needs).toEqual({ claudeCode: '2.1.326', found: version })
  },
)

test('rule.readsInbound: coord doctor tells the inbound setting of each source, and whether the plugin is enabled', async () => {
  const here = place()
  const home = join(here.dir, 'home')
  const write = (path: string, settings: object) => {
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, JSON.stringify(settings))
  }
  const checks = async () => {
    const found = (await here.run('doctor', '--json')).json().checks as {
      name: string
      status: string
      detail: string
    }[]
    return Object.fromEntries(found.map(check => [check.name, check]))
  }
  expect((await checks()).plugin).toMatchObject({
    status: 'warning',
    detail: expect.stringContaining('not installed'),
  })
  expect((await checks())['inbound messages']).toMatchObject({
    status: 'ok',
    detail: expect.stringMatching(/^unset/),
  })

  write(join(home, '.claude/settings.json'), {
    enabledPlugins: { 'coordination@cc-agents': true },
    crossSessionInbound: 'hold',
  })
  expect((await checks()).plugin).toMatchObject({ status: 'ok' })
  expect((await checks())['inbound messages']).toMatchObject({
    status: 'warning',
    detail: expect.stringMatching(/^hold here \(policy unset, user hold/),
  })
})
