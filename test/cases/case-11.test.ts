import { closeSync, existsSync, openSync, readdirSync, readSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { pause, place, until } from '../support/coord.ts'
import { at } from '../support/record-builder.ts'

/** The versions in a database's head that say how it is journalled: 1 is a rollback journal, 2 is WAL. */
function journalVersions(path: string): number[] {
  const head = Buffer.alloc(20)
  const file = openSync(path, 'r')
  readSync(file, head, 0, 20, 0)
  closeSync(file)
  expect(head.subarray(0, 15).toString()).toBe('SQLite format 3')
  return [head[18] as number, head[19] as number]
}

test('case 11: the index needs no shared memory: it never is in WAL mode, and no such file appears', async () => {
  const here = place()
  for (let i = 0; i < 500; i++) here.record.start(`s${i % 50}`, at(i))
  const walFiles = new Set<string>()
  let looks = true
  const look = async () => {
    while (looks) {
      if (existsSync(here.cache)) {
        for (const name of readdirSync(here.cache, { recursive: true, encoding: 'utf8' })) {
          if (/-(wal|shm)$/.test(name)) walFiles.add(name)
        }
      }
      await pause(1)
    }
  }
  const looking = look()
  const { index } = (await here.run('index', '--json')).json()
  expect(journalVersions(index)).toEqual([1, 1])
  const watch = here.start({}, 'watch')
  onTestFinished(() => watch.kill())
  for (let i = 0; i < 5; i++) {
    here.record.start('later', at(1000 + i))
    const tree = await here.run('tree', '--json')
    expect(tree.code).toBe(0)
    await here.run('index', '--rebuild')
  }
  await until('the watch has read it', async () => {
    const outcome = await here.run('tree', '--no-refresh', '--json')
    return outcome.json().freshness.entries === 505
  })
  looks = false
  await looking
  expect([...walFiles]).toEqual([])
  expect(journalVersions(index)).toEqual([1, 1])
})
