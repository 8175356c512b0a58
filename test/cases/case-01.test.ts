import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { pause, place, until } from '../support/coord.ts'
import { at, fileName, startFields } from '../support/record-builder.ts'

const COUNT = 2000

test('case 1: 2,000 folders made, written to and renamed while it watches are 2,000 entries', {
  timeout: 180_000,
}, async () => {
  const here = place()
  const running = here.start({}, 'watch', '--json')
  onTestFinished(() => running.kill())
  const entries = async () => {
    const outcome = await here.run('tree', '--no-refresh', '--json')
    return outcome.code === 0 ? (outcome.json().freshness.entries as number) : -1
  }
  await until('the watch has begun', async () => (await entries()) === 0)
  for (let i = 0; i < COUNT; i++) {
    const session = `session-${i}`
    const folder = join(here.record.dir, session)
    const time = at(i)
    const temporary = join(folder, `.tmp-${i}`)
    mkdirSync(folder)
    writeFileSync(temporary, JSON.stringify({ kind: 'start', sessionId: session, at: time, ...startFields }))
    await pause(3)
    renameSync(temporary, join(folder, fileName(time, 'w-000001')))
  }
  const seen = async () => {
    await pause(500)
    return (await entries()) >= COUNT
  }
  await until(`${COUNT} entries stand in the index of the watch`, seen)
  expect(await entries()).toBe(COUNT)
  expect(running.process.exitCode, running.stderr()).toBeNull()
})
