import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'

const PRELOAD = resolve(import.meta.dirname, '../../scripts/mutate/in-child.cjs')
/** As the instrumented sources count a mutant that is reached. */
const REACH =
  'const c = globalThis.__stryker__.mutantCoverage.static; const reach = id => { c[id] = (c[id] || 0) + 1 }'

function reached(program: string): string[] {
  const folder = tempFolder()
  spawnSync(process.execPath, ['--require', PRELOAD, '-e', `${REACH}\n${program}`], {
    env: { COORD_MUTATE_COVERAGE: folder },
  })
  return readdirSync(folder).flatMap(name => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n'))
}

describe('a program under mutation tells which mutants it reached', () => {
  it('with the number of hits at its end', () => {
    expect(reached("reach('7'); reach('7'); reach('12')").slice(-2)).toEqual(['7 2', '12 1'])
  })

  it('also when it is killed', () => {
    const lines = reached("reach('7'); reach('12'); process.kill(process.pid, 'SIGKILL')")
    expect(lines.map(line => line.split(' ')[0])).toEqual(['7', '12'])
  })

  it('and stops at the limit of hits like a test process', () => {
    const { stdout } = spawnSync(
      process.execPath,
      ['--require', PRELOAD, '-p', 'JSON.stringify(globalThis.__stryker__)'],
      { env: { COORD_MUTATE_HIT_LIMIT: '300' }, encoding: 'utf8' },
    )
    expect(JSON.parse(stdout)).toEqual({ hitCount: 0, hitLimit: 300 })
  })
})
