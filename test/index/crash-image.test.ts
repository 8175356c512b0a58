import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { type Place, place } from '../support/coord.ts'
import { at } from '../support/record-builder.ts'

/**
 * Leaves the index as a process does that is killed in the middle of its commit: some pages of the transaction are
 * in the file already, and the journal that takes them back lies beside it.
 */
function cutInTheCommit(here: Place, index: string): void {
  const image = join(here.dir, 'image')
  const db = new Database(index)
  db.pragma('cache_size = 1')
  db.pragma('cache_spill = 1')
  db.exec(`begin immediate; update entry set cwd = 'cut in the commit'`)
  copyFileSync(index, image)
  copyFileSync(`${index}-journal`, `${image}-journal`)
  db.exec('rollback')
  db.close()
  expect(readFileSync(image).includes('cut in the commit')).toBe(true)
  copyFileSync(image, index)
  copyFileSync(`${image}-journal`, `${index}-journal`)
}

describe('killed in the middle of a commit', () => {
  const commands = [
    ['index'],
    ['index', '--rebuild'],
    ['tree', '--json'],
    ['query', 'entries', '--json', '--no-refresh'],
    ['verify'],
  ]

  test.each(commands.map(args => [args.join(' '), args]))(
    'coord %s comes next: the journal is taken back, and the index is whole',
    async (_, args) => {
      const here = place()
      for (let i = 0; i < 1500; i++) here.record.start(`s${i % 10}`, at(i))
      const { index } = (await here.run('index', '--json')).json()
      const { rows } = (await here.run('query', 'entries', '--json')).json()
      cutInTheCommit(here, index)
      if (args.includes('--rebuild')) here.record.start('s3', at(5000))
      const outcome = await here.run(...args)
      expect(outcome.code, outcome.stderr).toBe(0)
      expect(outcome.stderr).not.toMatch(/damaged|corrupt|malformed|aside/i)
      expect(outcome.stdout).not.toContain('cut in the commit')
      const after = (await here.run('query', 'entries', `at < '${at(5000)}'`, '--json')).json()
      expect(after.rows).toEqual(rows)
      expect(after.freshness.entries).toBe(args.includes('--rebuild') ? 1501 : 1500)
      expect((await here.run('verify')).code).toBe(0)
      expect(existsSync(`${index}-journal`)).toBe(false)
      expect(readdirSync(dirname(index)).filter(name => /damaged|building/.test(name))).toEqual([])
    },
  )
})
