import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { place, until } from '../support/coord.ts'
import { at } from '../support/record-builder.ts'

/** A user namespace of its own, in which so few folders can be watched. */
function withFewWatches(count: number): string[] {
  const script = `echo ${count} > /proc/sys/user/max_inotify_watches; exec "$@"`
  return ['unshare', '-U', '-r', 'sh', '-c', script, 'sh']
}

test('case 2: with fewer watches than folders it polls, says so once, and misses nothing', async () => {
  const here = place()
  const folders = Array.from({ length: 30 }, (_, i) => `session-${i}`)
  for (const folder of folders) here.record.start(folder, at(0))
  const running = here.start({ under: withFewWatches(5) }, 'watch', '--json')
  onTestFinished(() => running.kill())
  const entries = async () => {
    const outcome = await here.run('tree', '--no-refresh', '--json')
    return outcome.code === 0 ? (outcome.json().freshness.entries as number) : -1
  }
  await until('the record is indexed', async () => (await entries()) === 30)
  const told = () =>
    running
      .stderr()
      .split('\n')
      .filter(line => /\bpoll|cannot be watched/i.test(line))
  await until('it says that it polls', () => told().length > 0)
  for (const folder of folders) here.record.start(folder, at(1))
  await until('a new file in each folder is read', async () => (await entries()) === 60)
  for (let i = 0; i < 10; i++) {
    mkdirSync(join(here.record.dir, `new-${i}`))
    here.record.start(`new-${i}`, at(2))
  }
  await until('the files in new folders are read', async () => (await entries()) === 70)
  expect(told(), running.stderr()).toHaveLength(1)
  expect(running.process.exitCode).toBeNull()
  for (const line of running.stdout().split('\n').slice(0, -1)) expect(JSON.parse(line)).toBeTypeOf('object')
})
