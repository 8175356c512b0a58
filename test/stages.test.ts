import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createVitest } from 'vitest/node'
import { SLOW } from './stages.ts'
import { tempFolder } from './support/temp-folder.ts'

const ROOT = resolve(import.meta.dirname, '..')

const testFiles = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.test.ts'))
  .map(name => join('test', name))
  .sort()

test('every test file belongs to exactly one stage', async () => {
  const vitest = await createVitest('test', { root: ROOT, watch: false })
  const specifications = await vitest.globTestSpecifications()
  const inStage = (name: string) =>
    specifications
      .filter(({ project }) => project.name === name)
      .map(({ moduleId }) => relative(ROOT, moduleId))
      .sort()
  const [quick, slow] = [inStage('quick'), inStage('slow')]
  await vitest.close()
  expect([...quick, ...slow].sort()).toEqual(testFiles)
  expect(slow).toEqual([...SLOW].sort())
  expect(quick.filter(name => name.startsWith('test/host/'))).toEqual([])
})

test('a test that may be skipped says why, by test/support/only-where.ts or by what it gives to `skip`', () => {
  const withoutReason = /\b(test|it|describe)\.(skip|skipIf|runIf|todo|only)\b|\bskip\(\)/
  const names = testFiles.filter(name => name !== relative(ROOT, import.meta.filename))
  expect(names.filter(name => withoutReason.test(readFileSync(join(ROOT, name), 'utf8')))).toEqual([])
})

/** What the runner of the stages makes of two small stages. */
function run(
  { quick, slow = '', ci = '' }: { quick: string; slow?: string; ci?: string },
  ...args: string[]
) {
  const folder = tempFolder()
  const stages = { quick, slow }
  const projects = Object.keys(stages).map(name => ({
    test: { name, globals: true, include: [`${name}.test.js`] },
  }))
  writeFileSync(join(folder, 'vitest.config.mjs'), `export default ${JSON.stringify({ test: { projects } })}`)
  for (const [name, text] of Object.entries(stages)) writeFileSync(join(folder, `${name}.test.js`), text)
  const { status, stdout } = spawnSync(process.execPath, [join(ROOT, 'scripts/test-stages.mjs'), ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, CI: ci, NO_COLOR: '1' },
  })
  return { status, stdout, closing: stdout.trimEnd().split('\n').at(-1) }
}

const PASSES = "test('passes', () => {})\n"
const FAILS = "test('fails', () => { throw new Error('no') })\n"
const SKIPS = "test('skips', ({ skip }) => skip(true, 'no such thing here'))\n"

describe('scripts/test-stages.mjs', () => {
  test('the last line is the sum of both stages', () => {
    const { status, closing } = run({ quick: PASSES + PASSES.replace('passes', 'too'), slow: PASSES })
    expect([status, closing]).toEqual([0, '3 passed, 0 failed'])
  })

  test('a stage with a failure is the last', () => {
    const { status, stdout, closing } = run({ quick: PASSES + FAILS, slow: PASSES })
    expect([status, closing]).toEqual([1, '1 passed, 1 failed'])
    expect(stdout).not.toContain('Stage slow')
  })

  test.each([
    ['in the second stage', { quick: PASSES, slow: FAILS }, '1 passed, 1 failed'],
    ['that lets no test of its file run', { quick: `${PASSES}throw new Error('no')` }, '0 passed, 1 failed'],
    ['outside of a test', { quick: `${PASSES}Promise.reject(new Error('no'))` }, '1 passed, 1 failed'],
  ])('a failure %s is one', (_, stages, closing) => {
    expect(run(stages)).toMatchObject({ status: 1, closing })
  })

  test('a skipped test is named with its reason, and fails the check where CI runs it on Linux', () => {
    const stages = { quick: PASSES + SKIPS, slow: PASSES }
    const told = 'skipped: 1 of quick.test.js: no such thing here'
    const here = run(stages)
    expect([here.status, here.closing]).toEqual([0, '2 passed, 0 failed'])
    expect(here.stdout).toContain(told)
    const inCi = run({ ...stages, ci: '1' })
    expect(inCi.stdout).toContain(told)
    expect([inCi.status, inCi.closing]).toEqual(
      process.platform === 'linux' ? [1, '2 passed, 1 failed'] : [0, '2 passed, 0 failed'],
    )
  })

  test('arguments choose test files; where they choose none, that is a failure', () => {
    const stages = { quick: FAILS, slow: PASSES }
    expect(run(stages, 'slow.test')).toMatchObject({ status: 0, closing: '1 passed, 0 failed' })
    expect(run(stages, 'elsewhere')).toMatchObject({ status: 1, closing: '0 passed, 1 failed' })
  })
})
