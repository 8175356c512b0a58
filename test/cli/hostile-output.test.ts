import { spawnSync } from 'node:child_process'
import { existsSync, openSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { place, until } from '../support/coord.ts'
import { at } from '../support/record-builder.ts'

const NAME = 'x\u001b[31m\u202e\ncoord: forged note.json'
const RAW = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/

describe('case 8: names of a record act on no terminal and forge no line', () => {
  test.each([
    ['tree'],
    ['index'],
    ['query', 'unreadable'],
    ['query', 'entries', '--format', 'csv'],
    ['verify'],
    ['attribute', '--text', 'x'],
  ])('%s %s', async (...args) => {
    const here = place()
    here.record.start('s', at(0))
    here.record.raw('s', NAME, '{}')
    here.record.raw(NAME, '2026-11-01T100000.000Z-a.json', '{}')
    const { stdout, stderr } = await here.run(...args.filter(arg => arg !== undefined))
    expect((stdout + stderr).replaceAll('\r\n', '\n')).not.toMatch(RAW)
    expect(stderr).not.toMatch(/^coord: forged/m)
    expect(stderr).toContain('forged')
  })

  test('watch', async () => {
    const here = place()
    here.record.start('s', at(0))
    const watch = here.start({}, 'watch')
    await until('the watch has started', () => watch.stderr().includes('watching'))
    here.record.raw('s', NAME, '{}')
    await until('the file is seen', () => watch.stdout().includes('forged'))
    watch.kill('SIGTERM')
    const { stdout } = await watch.ended
    expect(stdout).not.toMatch(RAW)
    expect(stdout).not.toMatch(/^coord: forged/m)
  })
})

test('an answer that cannot be written is an error of the environment, without a stack', async () => {
  if (!existsSync('/dev/full')) return expect(process.platform).not.toBe('linux')
  const here = place()
  here.record.start('s', at(0))
  const { status, stderr } = spawnSync(
    process.execPath,
    [resolve('dist/coord.js'), 'tree', '--record-dir', here.record.dir],
    {
      stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
      env: { ...process.env, XDG_CACHE_HOME: here.cache },
      encoding: 'utf8',
    },
  )
  expect(status).toBe(3)
  expect(stderr).toMatch(/^coord: .*ENOSPC.*\n$/)
})

describe('paths that a shell did not fill in', () => {
  test.each([['--record-dir'], ['--index']])(
    '%s "" is wrong usage, never the current folder',
    async option => {
      const { code, error } = await place().run('tree', option, '', '--json')
      expect(code).toBe(2)
      expect(error().message).toContain(option)
    },
  )

  test('~/ in COORD_RECORD_DIR is the home folder', async () => {
    const here = place()
    const { error } = await here.runWith({ env: { COORD_RECORD_DIR: '~/records' } }, 'tree', '--json')
    expect(error().path).toBe(join(here.dir, 'home', 'records'))
  })

  test('ruling 11: a home that is no absolute path gives no default folder', async () => {
    const { code, error } = await place().runWith(
      { env: { HOME: '.', COORD_RECORD_DIR: undefined, XDG_DATA_HOME: undefined } },
      'tree',
      '--json',
    )
    expect(code).toBe(3)
    expect(error().message).toContain('HOME')
  })
})

test('ruling 2: an index of another record is not answered from', async () => {
  const here = place()
  here.record.start('s', at(0))
  const index = join(here.dir, 'one.db')
  await here.run('index', '--index', index)
  const other = place()
  other.record.start('t', at(0))
  const { code, stdout, error } = await other.run(
    'query',
    'entries',
    '--no-refresh',
    '--index',
    index,
    '--json',
  )
  expect([code, stdout]).toEqual([1, ''])
  expect(error().message).toContain(here.record.dir)
})
