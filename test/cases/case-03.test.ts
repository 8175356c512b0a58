import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Place, sharedPlace } from '../support/coord.ts'
import { at } from '../support/record-builder.ts'

const project = resolve(import.meta.dirname, '../..')

/** The installed program with everything but the native module. */
function installWithoutScripts(folder: string): string {
  const modules = join(folder, 'node_modules')
  mkdirSync(modules, { recursive: true })
  for (const name of readdirSync(join(project, 'node_modules'))) {
    if (name !== 'better-sqlite3') symlinkSync(join(project, 'node_modules', name), join(modules, name))
  }
  for (const part of ['package.json', 'lib']) {
    const source = join(project, 'node_modules/better-sqlite3', part)
    cpSync(source, join(modules, 'better-sqlite3', part), { recursive: true, dereference: true })
  }
  cpSync(join(project, 'dist'), join(folder, 'dist'), { recursive: true })
  cpSync(join(project, 'package.json'), join(folder, 'package.json'))
  return join(folder, 'dist', 'coord.js')
}

/** Hides the SQLite that a newer Node brings, so that there is nothing to fall back on. */
const WITHOUT_NODE_SQLITE = `
  const modules = require('node:module')
  const { _load: load } = modules
  modules._load = function (name, ...more) {
    if (name === 'node:sqlite') throw new Error('No such built-in module: node:sqlite')
    return load.call(this, name, ...more)
  }`

const here: Place = sharedPlace()
here.record.start('a', at(0))
let program: string
const preload = join(here.dir, 'without-node-sqlite.cjs')
writeFileSync(preload, WITHOUT_NODE_SQLITE)
const run = (...args: string[]) =>
  here.runWith({ program, env: { NODE_OPTIONS: `--require ${preload}` } }, ...args)
beforeAll(() => {
  program = installWithoutScripts(join(here.dir, 'installed'))
})

const commands = [
  ['index'],
  ['tree'],
  ['query', 'entries'],
  ['attribute', '--text', 'x'],
  ['verify'],
  ['watch'],
]

describe('case 3: installed with --ignore-scripts, on a Node without a SQLite of its own', () => {
  test.each(commands.map(args => [args.join(' '), args]))(
    'coord %s names the cause and the command that mends it, exit 3, no answer',
    async (_, args) => {
      const { code, stdout, stderr } = await run(...args)
      expect(code).toBe(3)
      expect(stdout).toBe('')
      expect(stderr).toMatch(/^coord: .*better-sqlite3.* \(environment\)$/m)
      expect(stderr).toMatch(/npm (run )?install/)
      expect(stderr.trimEnd().split('\n').length, stderr).toBeLessThanOrEqual(2)
      expect(stderr).not.toMatch(/^\s+at /m)
    },
  )

  test('with --json it is an object of kind environment', async () => {
    const outcome = await run('tree', '--json')
    expect(outcome.code).toBe(3)
    expect(outcome.stdout).toBe('')
    expect(outcome.error()).toMatchObject({
      kind: 'environment',
      hint: expect.stringMatching(/npm (run )?install/),
    })
  })

  test('coord doctor says the same', async () => {
    const { code, stdout, stderr } = await run('doctor')
    expect(code).toBe(3)
    expect(stdout + stderr).toMatch(/better-sqlite3/)
    expect(stdout + stderr).toMatch(/npm (run )?install/)
  })

  test('a native module that was built for another machine is the same case', async () => {
    const build = join(here.dir, 'installed/node_modules/better-sqlite3/build/Release')
    mkdirSync(build, { recursive: true })
    writeFileSync(join(build, 'better_sqlite3.node'), 'not a library')
    const { code, stdout, stderr } = await run('tree')
    rmSync(build, { recursive: true })
    expect(code).toBe(3)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/npm (run )?install/)
  })

  test('what needs no index works without it: help, version, sample', async () => {
    expect((await run('--help')).code).toBe(0)
    expect((await run('--version')).code).toBe(0)
    expect((await run('sample', join(here.dir, 'sample'))).code).toBe(0)
    expect(existsSync(join(here.dir, 'sample'))).toBe(true)
  })
})
