import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { place } from '../support/coord.ts'
import { at, publish, resolved } from '../support/record-builder.ts'

test('case 7: after cp -r S S-copy entries count once under the id they state, and the stray folder is reported', async () => {
  const here = place()
  here.record.start('S', at(0))
  here.record.sent('S', resolved('T'), 'hello', at(1))
  const before = (await here.run('query', 'entries', '--json')).json().rows
  cpSync(join(here.record.dir, 'S'), join(here.record.dir, 'S-copy'), { recursive: true })
  for (const how of [[], ['--rebuild']]) {
    const index = await here.run('index', ...how)
    expect(index.stdout + index.stderr).toContain('S-copy')
    const json = (await here.run('index', ...how, '--json')).json()
    expect(json).toMatchObject({ entries: 2, sessions: 1, files: { unreadable: 0, conflicts: 0 } })
    expect((await here.run('query', 'entries', '--json')).json().rows).toEqual(before)
    const sessions = (await here.run('query', 'sessions', '--json')).json().rows
    expect(sessions).toMatchObject([{ session_id: 'S', entries: 2 }])
  }
})

test('case 7: a copy that came first counts for nothing before the original is there, and then is a copy', async () => {
  const here = place()
  const file = here.record.start('S', at(0))
  const name = file.slice(2)
  cpSync(join(here.record.dir, 'S'), join(here.record.dir, 'S-copy'), { recursive: true })
  const original = here.record.path(file)
  const bytes = readFileSync(original)
  rmSync(original)
  const alone = await here.run('index', '--json')
  expect(alone.code).toBe(8)
  expect(alone.json()).toMatchObject({ entries: 0, files: { unreadable: 1 } })
  writeFileSync(join(here.record.dir, 'S', name), bytes)
  const both = await here.run('index', '--json')
  expect(both.code).toBe(0)
  expect(both.json()).toMatchObject({ entries: 1, files: { unreadable: 0 } })
})

test('case 7: a stray that says something else under the same name is unknown evidence', async () => {
  const here = place()
  here.record.start('S', at(0), { cwd: '/one' })
  cpSync(join(here.record.dir, 'S'), join(here.record.dir, 'S-copy'), { recursive: true })
  const [name] = (await here.run('query', 'entries', '--select', 'file', '--json')).json().rows
  const copy = join(here.record.dir, 'S-copy', name.file.slice(2))
  publish(copy, readFileSync(copy, 'utf8').replace('/one', '/two'))
  const outcome = await here.run('index', '--json')
  expect(outcome.code).toBe(8)
  expect(outcome.json()).toMatchObject({ entries: 1, files: { unreadable: 1 } })
})
