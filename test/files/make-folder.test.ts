import { chmodSync, existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../../src/files/make-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('makes a folder and those above it, private to the user', () => {
  const dir = tempFolder()
  makeFolder(join(dir, 'a/b/c'))
  expect(statSync(join(dir, 'a')).mode & 0o777).toBe(0o700)
  expect(statSync(join(dir, 'a/b/c')).isDirectory()).toBe(true)
})

test('leaves a folder that exists, and a link to one, as they are', () => {
  const dir = tempFolder()
  mkdirSync(join(dir, 'a'))
  chmodSync(join(dir, 'a'), 0o755)
  symlinkSync(join(dir, 'a'), join(dir, 'link'))
  makeFolder(join(dir, 'a'))
  makeFolder(join(dir, 'link/b'))
  expect(statSync(join(dir, 'a')).mode & 0o777).toBe(0o755)
  expect(existsSync(join(dir, 'a/b'))).toBe(true)
})

test.each([
  ['below a file', (dir: string) => join(dir, 'file/a/b'), 'ENOTDIR'],
  ['in place of a file', (dir: string) => join(dir, 'file'), 'EEXIST'],
  ['in place of a link to a file', (dir: string) => join(dir, 'link'), 'EEXIST'],
  ['where the system makes none', () => '/proc/coordination', 'ENOENT'],
])("throws the system's error %s, and does not try for ever", (_, path, code) => {
  const dir = tempFolder()
  writeFileSync(join(dir, 'file'), '')
  symlinkSync(join(dir, 'file'), join(dir, 'link'))
  expect(() => makeFolder(path(dir))).toThrow(expect.objectContaining({ code, path: path(dir) }))
})

test('a folder that exists already above is no error, the root neither', () => {
  expect(() => makeFolder('/')).not.toThrow()
})
