import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { place } from '../support/coord.ts'
import { at, fileName, startFields } from '../support/record-builder.ts'

test('case 13: ids that are paths, links, a FIFO and folders named like entries are refused by name', async () => {
  const here = place()
  here.record.start('good', at(0))
  const inFolder = (name: string) => join(here.record.dir, 'good', name)
  const secret = (session: string) =>
    JSON.stringify({ kind: 'start', sessionId: session, at: at(1), ...startFields, cwd: '/the-secret' })

  const outside = join(here.dir, 'outside')
  mkdirSync(outside)
  writeFileSync(join(outside, fileName(at(1), 'in')), secret('linked'))
  writeFileSync(join(outside, 'file'), secret('good'))

  const names = {
    id: fileName(at(2), 'id'),
    parent: fileName(at(2), 'parent'),
    peer: fileName(at(2), 'peer'),
    link: fileName(at(3), 'link'),
    dangling: fileName(at(3), 'dangling'),
    loop: fileName(at(3), 'loop'),
    fifo: fileName(at(4), 'fifo'),
    folder: fileName(at(5), 'folder'),
  }
  const path = '../../etc/x'
  here.record.entry('good', { kind: 'start', sessionId: path, at: at(2), ...startFields }, names.id)
  const chain = { kind: 'chain', sessionId: 'good', at: at(2), cwd: '/', parent: path, part: 'p' }
  here.record.entry('good', chain, names.parent)
  here.record.sent('good', { as: 'x', sessionId: path }, 'hello', at(2), {})
  symlinkSync(join(outside, 'file'), inFolder(names.link))
  symlinkSync(join(outside, 'nothing'), inFolder(names.dangling))
  symlinkSync(names.loop, inFolder(names.loop))
  expect(spawnSync('mkfifo', [inFolder(names.fifo)]).status).toBe(0)
  mkdirSync(inFolder(names.folder))
  writeFileSync(join(inFolder(names.folder), fileName(at(5), 'deep')), secret('good'))
  symlinkSync(outside, join(here.record.dir, 'linked'))
  symlinkSync('/', join(here.record.dir, 'root'))

  for (const how of [[], ['--rebuild']]) {
    const outcome = await here.run('index', ...how, '--json')
    expect(outcome.code, outcome.stderr).toBe(8)
    expect(outcome.json()).toMatchObject({ sessions: 1, entries: 1 })
  }
  const { rows } = (await here.run('query', 'unreadable', '--json')).json()
  const files = rows.map((row: { file: string }) => row.file)
  for (const name of [
    names.id,
    names.parent,
    names.link,
    names.dangling,
    names.loop,
    names.fifo,
    names.folder,
  ]) {
    expect(files).toContain(`good/${name}`)
  }
  for (const folder of ['linked', 'root']) expect(files).toContain(folder)

  for (const args of [
    ['tree', '--json'],
    ['query', 'entries', '--json'],
    ['query', 'sessions', '--json'],
    ['query', 'unreadable', '--json'],
    ['verify', '--json'],
    ['attribute', '--text', 'hello', '--json'],
  ]) {
    const { code, stdout, stderr } = await here.run(...args)
    expect(code, args.join(' ')).toBe(8)
    expect(stdout + stderr, args.join(' ')).not.toContain('the-secret')
  }
})

test('case 13: the published projections name no path either', async () => {
  const here = place()
  here.record.start('good', at(0))
  here.record.chain('constructor', '__proto__', 'p', at(1))
  here.record.chain('good', 'constructor', 'p', at(1))
  const outcome = await here.run('index', '--json')
  expect(outcome.code).toBe(8)
  expect(outcome.json().entries).toBe(2)
})

test('case 13: a session folder that is a FIFO, and a file where a folder should be', async () => {
  const here = place()
  here.record.start('good', at(0))
  expect(spawnSync('mkfifo', [join(here.record.dir, 'pipe')]).status).toBe(0)
  here.record.raw('.', 'a-file', 'x')
  const outcome = await here.run('index', '--json')
  expect([0, 8]).toContain(outcome.code)
  expect(outcome.json().entries).toBe(1)
})
