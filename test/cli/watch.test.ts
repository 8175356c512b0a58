import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Place, place, until } from '../support/coord.ts'
import { at, publish, startFields } from '../support/record-builder.ts'

function watching(here: Place, ...args: string[]) {
  const running = here.start({}, 'watch', ...args)
  onTestFinished(() => running.kill())
  return running
}

async function entriesOf(here: Place): Promise<number> {
  const outcome = await here.run('tree', '--no-refresh', '--json')
  return outcome.code === 0 || outcome.code === 8 ? outcome.json().freshness.entries : -1
}

test('coord watch --json: one line of JSON for each change, and the index is kept fresh', async () => {
  const here = place()
  here.record.start('a', at(0))
  const running = watching(here, '--json')
  await until('the record is indexed', async () => (await entriesOf(here)) === 1)
  const lines = () => running.stdout().split('\n').slice(0, -1)
  const before = lines().length
  here.record.start('a', at(1))
  await until('a file in a known folder is indexed', async () => (await entriesOf(here)) === 2)
  await until('it is told', () => lines().length > before)
  here.record.start('new-folder', at(2))
  await until('a file in a new folder is indexed', async () => (await entriesOf(here)) === 3)
  rmSync(join(here.record.dir, 'a'), { recursive: true })
  await until('a deleted folder is gone', async () => (await entriesOf(here)) === 1)
  for (const line of lines()) expect(JSON.parse(line)).toBeTypeOf('object')
  running.kill('SIGINT')
  const { code, stderr } = await running.ended
  expect([0, 130, 'SIGINT']).toContain(code)
  expect(stderr).not.toMatch(/^\s+at .*:\d+:\d+\)?$/m)
})

test('coord watch: a file that is torn at first is read when it is whole', async () => {
  const here = place()
  here.record.start('a', at(0))
  watching(here)
  await until('the record is indexed', async () => (await entriesOf(here)) === 1)
  const name = '2026-11-01T100005.000Z-late.json'
  const whole = JSON.stringify({ kind: 'start', sessionId: 'a', at: at(5), ...startFields })
  here.record.raw('a', name, whole.slice(0, 20))
  await until('it is seen', async () => (await here.run('tree', '--no-refresh', '--json')).code === 8)
  here.record.raw('a', name, whole)
  await until('it is read', async () => (await entriesOf(here)) === 2)
})

test('coord watch: a folder moved in with its files is read', async () => {
  const here = place()
  here.record.start('a', at(0))
  watching(here)
  await until('the record is indexed', async () => (await entriesOf(here)) === 1)
  const outside = place()
  for (let i = 0; i < 5; i++) outside.record.start('moved', at(i))
  const { renameSync } = await import('node:fs')
  renameSync(join(outside.record.dir, 'moved'), join(here.record.dir, 'moved'))
  await until('its files are read', async () => (await entriesOf(here)) === 6)
})

test('coord watch: ends well on SIGTERM, and its index answers', async () => {
  const here = place()
  here.record.start('a', at(0))
  const running = watching(here)
  await until('the record is indexed', async () => (await entriesOf(here)) === 1)
  mkdirSync(join(here.record.dir, 'b'))
  publish(join(here.record.dir, 'b', '2026-11-01T100000.000Z-1.json'), '{}')
  running.kill('SIGTERM')
  await running.ended
  expect((await here.run('index', '--json')).json().entries).toBe(1)
})
