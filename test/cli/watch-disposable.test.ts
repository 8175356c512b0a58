import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Place, place, until } from '../support/coord.ts'
import { at, recordBuilder } from '../support/record-builder.ts'

async function watched(): Promise<{ here: Place; index: string; entries: () => Promise<number> }> {
  const here = place()
  here.record.start('a', at(0))
  const running = here.start({}, 'watch')
  onTestFinished(() => running.kill())
  const entries = async () => {
    const outcome = await here.run('tree', '--no-refresh', '--json')
    return outcome.code === 0 ? (outcome.json().freshness.entries as number) : -1
  }
  await until('the record is indexed', async () => (await entries()) === 1)
  await until('the watch has begun', () => running.stderr().includes('watching'))
  const { index } = (await here.run('index', '--json')).json()
  return { here, index, entries }
}

test('ruling 2: an index that is deleted under a watch comes back', async () => {
  const { here, index, entries } = await watched()
  rmSync(index)
  here.record.start('a', at(1))
  await until('the index is there and fresh', async () => (await entries()) === 2)
})

test('ruling 2: a whole cache that is deleted under a watch comes back', async () => {
  const { here, index, entries } = await watched()
  rmSync(dirname(index), { recursive: true })
  here.record.start('a', at(1))
  await until('the index is there and fresh', async () => (await entries()) === 2)
})

test('a record folder that is moved away and made again under a watch is read again', async () => {
  const { here, entries } = await watched()
  renameSync(here.record.dir, join(here.dir, 'moved-away'))
  await here.run('tree')
  mkdirSync(here.record.dir)
  const again = recordBuilder(here.record.dir)
  for (let i = 0; i < 3; i++) again.start(`new-${i}`, at(i))
  await until('the new record is indexed', async () => (await entries()) === 3)
  again.start('new-0', at(9))
  await until('and watched', async () => (await entries()) === 4)
})

test('two watches of one record keep one index and do not disturb each other', async () => {
  const { here, entries } = await watched()
  const second = here.start({}, 'watch', '--json')
  onTestFinished(() => second.kill())
  await until('the second has begun', () => second.stderr().includes('watching'))
  for (let i = 1; i <= 20; i++) here.record.start(`s${i}`, at(i))
  await until('all is indexed', async () => (await entries()) === 21)
  expect(second.stderr()).not.toMatch(/damaged|corrupt|locked|busy/i)
  expect(second.process.exitCode).toBeNull()
})
