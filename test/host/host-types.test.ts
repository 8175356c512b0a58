import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')

test('scripts/host-types.mjs writes the declarations of the installed host', () => {
  execFileSync(process.execPath, ['scripts/host-types.mjs'], { cwd: root })
  const { version } = JSON.parse(
    readFileSync(`${root}/node_modules/@anthropic-ai/claude-code/package.json`, 'utf8'),
  )
  expect(readFileSync(`${root}/.host-types/host-version.txt`, 'utf8')).toBe(version)
  expect(readFileSync(`${root}/.host-types/claude-code.d.ts`, 'utf8')).toContain(
    "declare module 'claude-code'",
  )
})

test('git ignores the declarations: they are not ours to publish', () => {
  expect(() => execFileSync('git', ['check-ignore', '-q', '.host-types/x'], { cwd: root })).not.toThrow()
})
