import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { writeWholeFile } from '../../src/files/whole-file.ts'
import { tempFolder } from '../support/temp-folder.ts'

// What nobody can guess is guessed here, so that somebody can have put a link there.
vi.mock('node:crypto', async importActual => ({
  ...(await importActual<typeof import('node:crypto')>()),
  randomBytes: (size: number) => Buffer.alloc(size, 0xab),
}))

it('a link under the temporary name is not followed, and what it leads to stays', () => {
  const folder = tempFolder()
  writeFileSync(join(folder, 'mine'), 'mine')
  const planted = `.file.${'ab'.repeat(8)}.tmp`
  symlinkSync(join(folder, 'mine'), join(folder, planted))
  expect(() => writeWholeFile(join(folder, 'file'), 'x')).toThrow(expect.objectContaining({ code: 'EEXIST' }))
  expect(readFileSync(join(folder, 'mine'), 'utf8')).toBe('mine')
  expect(readdirSync(folder).sort()).toEqual([planted, 'mine'])
})
