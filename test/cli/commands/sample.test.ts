import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { sampleCommand } from '../../../src/cli/commands/sample.ts'
import { commandHome } from '../support/in-process.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('coord sample', () => {
  it('says where and how many', async () => {
    const { run, dir } = commandHome()
    const json = await run(sampleCommand, join(dir, 'one'), '--json')
    expect([json.code, json.json()]).toEqual([0, { recordDir: join(dir, 'one'), entries: 24 }])
    const words = await run(sampleCommand, join(dir, 'two\u001b'))
    expect(words.printed).toBe(
      `24 entries written to ${dir}/two\\x1b\nlook at them: coord tree --record-dir ${dir}/two\\x1b\n`,
    )
    symlinkSync(join(dir, 'one'), join(dir, 'link'))
    expect((await run(sampleCommand, join(dir, 'link'))).error).toMatchObject({ kind: 'failed' })
  })
})
