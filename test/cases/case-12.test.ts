import { expect, test } from 'vitest'
import { place } from '../support/coord.ts'
import { at, fileName, startFields } from '../support/record-builder.ts'

test('case 12: a file in folder S7 that states another session is attributed to neither, and reported', async () => {
  const here = place()
  here.record.start('S7', at(0))
  here.record.start('S8', at(0))
  const name = fileName(at(5), 'x')
  const entry = { kind: 'chain', sessionId: 'S8', at: at(5), cwd: '/', parent: 'S7', part: 'forged' }
  here.record.entry('S7', entry, name)
  const outcome = await here.run('index', '--json')
  expect(outcome.code).toBe(8)
  expect(outcome.json()).toMatchObject({ entries: 2, sessions: 2, files: { unreadable: 1 } })
  const { rows } = (await here.run('query', 'unreadable', '--json')).json()
  expect(rows).toMatchObject([{ file: `S7/${name}`, reason: expect.stringMatching(/mismatch/i) }])
  expect(rows[0].reason).toContain('S8')
  const answers = await Promise.all([
    here.run('tree', '--no-refresh', '--json'),
    here.run('query', 'chain', '--no-refresh', '--json'),
    here.run('query', 'entries', '--no-refresh', '--json'),
  ])
  for (const { stdout } of answers) expect(stdout).not.toContain('forged')
  const people = await here.run('tree')
  expect(people.code).toBe(8)
  expect(people.stdout + people.stderr).toContain(name)
})

test('case 12: the same for a session of which nothing else is known', async () => {
  const here = place()
  here.record.start('S7', at(0))
  here.record.entry('S7', { kind: 'start', sessionId: 'ghost', at: at(5), ...startFields })
  const sessions = (await here.run('query', 'sessions', '--json')).json().rows
  expect(sessions.map((row: { session_id: string }) => row.session_id)).toEqual(['S7'])
  expect(sessions[0].entries).toBe(1)
})

test('case 12: ids that differ in case only are no match', async () => {
  const here = place()
  here.record.entry('abc', { kind: 'start', sessionId: 'ABC', at: at(0), ...startFields })
  const outcome = await here.run('index', '--json')
  expect(outcome.code).toBe(8)
  expect(outcome.json().entries).toBe(0)
})
