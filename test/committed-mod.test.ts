import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sharedTempFolder } from './support/temp-folder.ts'

const ROOT = resolve(import.meta.dirname, '..')
const HOOKS = join(ROOT, 'plugins/coordination/hooks')

/** The mod as the sources make it now, built from another folder than the project's. */
function builtMod(): string {
  const folder = sharedTempFolder()
  execFileSync(process.execPath, [join(ROOT, 'scripts/build-mod.mjs'), folder], {
    cwd: tmpdir(),
    stdio: 'pipe',
  })
  return folder
}

describe('the mod that is committed', () => {
  const folder = builtMod()

  it('is what the sources make, byte for byte', () => {
    for (const name of readdirSync(folder)) {
      const isSame = readFileSync(join(folder, name)).equals(readFileSync(join(HOOKS, name)))
      expect(isSame, `${join(HOOKS, name)} is not what src/plugin makes: npm run build, and commit it`).toBe(
        true,
      )
    }
    expect(readdirSync(folder).sort()).toEqual(['THIRD-PARTY-LICENSES.txt', 'register.js'])
  })

  it('is in git, so that the marketplace works from a clone that was never built', () => {
    const ignored = () =>
      execFileSync('git', ['check-ignore', '-q', join(HOOKS, 'register.js')], { cwd: ROOT })
    expect(ignored).toThrow()
    expect(execFileSync('git', ['ls-files', '--', HOOKS], { cwd: ROOT, encoding: 'utf8' })).toContain(
      'plugins/coordination/hooks/register.js',
    )
  })

  it('names no folder of the machine that built it, and holds no line that is too long to merge', () => {
    const text = readFileSync(join(folder, 'register.js'), 'utf8')
    expect(text).not.toContain(ROOT)
    expect(text.match(/^\/\/ .*node_modules\//gm)).toEqual(text.match(/^\/\/ node_modules\//gm))
    expect(text.split('\n').filter(line => line.length > 400)).toEqual([])
  })

  it('carries the licence of every package in it, and no zod, which was most of what a session had to load', () => {
    const text = readFileSync(join(folder, 'register.js'), 'utf8')
    const packages = [...text.matchAll(/^\/\/ node_modules\/((?:@[^/\n]+\/)?[^/\n]+)/gm)].map(
      ([, name]) => name,
    )
    expect([...new Set(packages)]).toEqual(['@noble/hashes'])
    expect(readFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), 'utf8')).toMatch(
      /^@noble\/hashes \S+ \(MIT\)[\s\S]*permission notice/,
    )
  })
})
