import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Place, place } from '../support/coord.ts'
import { at, recordBuilder } from '../support/record-builder.ts'

/** Makes a record in a folder, with one session that is named as given. */
function recordIn(folder: string, session: string): string {
  recordBuilder(folder).start(session, at(0))
  return folder
}

async function sessionsOf(here: Place, env: Record<string, string | undefined>, ...args: string[]) {
  const outcome = await here.runWith({ env }, 'query', 'sessions', '--json', ...args)
  expect(outcome.code, outcome.stderr).toBe(0)
  return outcome.json().rows.map((row: { session_id: string }) => row.session_id)
}

describe('ruling 11: which record', () => {
  test('--record-dir goes before COORD_RECORD_DIR, which goes before the default', async () => {
    const here = place()
    const option = recordIn(join(here.dir, 'by-option'), 'by-option')
    const variable = recordIn(join(here.dir, 'by-variable'), 'by-variable')
    recordIn(join(here.dir, 'data', 'coordination', 'record'), 'by-default')
    const env = { COORD_RECORD_DIR: variable }
    expect(await sessionsOf(here, env, '--record-dir', option)).toEqual(['by-option'])
    expect(await sessionsOf(here, env)).toEqual(['by-variable'])
    expect(await sessionsOf(here, { COORD_RECORD_DIR: undefined })).toEqual(['by-default'])
  })

  test('without XDG_DATA_HOME the default is below the home folder', async () => {
    const here = place()
    recordIn(join(here.dir, 'home', '.local', 'share', 'coordination', 'record'), 'by-home')
    expect(await sessionsOf(here, { COORD_RECORD_DIR: undefined, XDG_DATA_HOME: undefined })).toEqual([
      'by-home',
    ])
  })

  test('CLAUDE_CONFIG_DIR changes nothing', async () => {
    const here = place()
    recordIn(join(here.dir, 'data', 'coordination', 'record'), 'by-default')
    const env = { COORD_RECORD_DIR: undefined, CLAUDE_CONFIG_DIR: join(here.dir, 'profile') }
    expect(await sessionsOf(here, env)).toEqual(['by-default'])
  })
})

describe('a record folder that does not exist', () => {
  test.each([['index'], ['tree'], ['query', 'entries'], ['verify'], ['attribute', '--text', 'x'], ['watch']])(
    'coord %s %s: exit 1, kind record, the folder is named and not made',
    async (...args) => {
      const here = place()
      const missing = join(here.dir, 'missing')
      const outcome = await here.run(
        ...args.filter(arg => arg !== undefined),
        '--record-dir',
        missing,
        '--json',
      )
      expect(outcome.code).toBe(1)
      expect(outcome.stdout).toBe('')
      expect(outcome.error()).toMatchObject({ kind: 'record' })
      expect(JSON.stringify(outcome.error())).toContain(missing)
      expect(existsSync(missing)).toBe(false)
    },
  )

  test('a record folder that is a file is an error of its own, never an empty answer', async () => {
    const here = place()
    here.record.raw('.', 'file', 'x')
    const outcome = await here.run('tree', '--record-dir', here.record.path('file'), '--json')
    expect(outcome.code).not.toBe(0)
    expect(outcome.stdout).toBe('')
    expect(outcome.error().message).toMatch(/\S/)
  })

  test('a record folder named by a link is the folder it leads to', async () => {
    const here = place()
    here.record.start('a', at(0))
    const link = join(here.dir, 'link')
    symlinkSync(here.record.dir, link)
    expect(await sessionsOf(here, {}, '--record-dir', link)).toEqual(['a'])
  })

  test('an empty record is no error', async () => {
    const here = place()
    const empty = join(here.dir, 'empty')
    mkdirSync(empty)
    const outcome = await here.run('index', '--record-dir', empty, '--json')
    expect(outcome.code).toBe(0)
    expect(outcome.json()).toMatchObject({ files: { seen: 0, unreadable: 0 }, sessions: 0, entries: 0 })
  })
})
