import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Entry, parseEntry } from '../../src/record/entry.ts'
import { wholeEntries } from '../support/entries.ts'
import { filesIn } from '../support/files.ts'
import { isLinux, isPosix, onlyWhere } from '../support/only-where.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { hostCommand } from './support/host-command.ts'
import { messagesApi } from './support/messages-api.ts'
import { bundled, pluginDir } from './support/plugin-dir.ts'
import { newProfile } from './support/profile.ts'
import { type StreamSession, stream } from './support/session.ts'

/** A mod with the project's own writer: `/look <path>` stats, `/write <json>` writes entries and says what came of each. */
const MODULE = `
import { entryWriter } from './src/writer/entry-writer.ts'
import { hostStorage } from './src/writer/host-storage.ts'
import { sequenceOf } from './src/record/file-name.ts'
async function answer(work) {
  try {
    return { text: JSON.stringify({ answer: await work() }) }
  } catch (error) {
    return { text: JSON.stringify({ threw: { name: error.name, message: error.message } }) }
  }
}
export function register(on) {
  on('session.start', async ($, e, next) => {
    await $.command.register({ name: 'look', description: 'stats a path', immediate: true })
    await $.command.register({ name: 'write', description: 'writes entries', immediate: true })
    return next(e)
  })
  on('command.run', { command: 'look' }, ($, e) => answer(() => $.fs.stat(e.args)))
  on('command.run', { command: 'write' }, ($, e) => answer(async () => {
    const { recordDir, load, entries, fill } = JSON.parse(e.args)
    const writer = entryWriter({ recordDir, storage: hostStorage($), sequence: sequenceOf(load) })
    const results = []
    for (const entry of entries)
      results.push(await writer.write(fill ? { ...entry, text: 'x'.repeat(fill) } : entry))
    return results
  }))
}
`

const start = wholeEntries.start as Entry
const sent = wholeEntries.sent as Entry
const FIRST = 'session-1/2026-11-01T100000.000Z-load1-000001.json'
const SECOND = 'session-1/2026-11-01T100000.000Z-load1-000002.json'
const degraded = (why: RegExp) => [{ degraded: expect.stringMatching(why) }]

/** Root may write everywhere; without these rights it is refused as anyone is. */
const AS_ANYONE = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : []

const api = messagesApi()
const module = bundled(MODULE)

/** A session that runs the mod's commands, for all tests of this file. */
async function session(under?: string[]) {
  const pluginDirs = [pluginDir({ name: 'writer', module: await module })]
  return stream({ profile: newProfile({ api: await api }), pluginDirs, ...(under && { under }) })
}

let free: StreamSession
let limited: StreamSession
beforeAll(async () => {
  free = await session()
  limited = await session(AS_ANYONE)
})

/** Runs one command of the mod; what it answered, or the error it met. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape they check
async function run(command: string, { under = free } = {}): Promise<any> {
  const { result } = await under.ask(command)
  expect(result).toMatch(/^writer: \{/)
  return JSON.parse(result.slice('writer: '.length))
}

async function write(
  recordDir: string,
  entries: Entry[],
  { fill, under }: { fill?: number; under?: StreamSession } = {},
) {
  const command = `/write ${JSON.stringify({ recordDir, load: 'load1', entries, fill })}`
  return (await run(command, { ...(under && { under }) })).answer
}

describe('the writer in the host', () => {
  test('writes an entry below new folders, private to the user', async () => {
    const recordDir = join(tempFolder(), 'a', 'record')
    const hostile = { ...sent, text: 'é\n<&>"\\ \u{1f600} \u2028 \u202e \u0000 \u001b[1m' } as Entry
    expect(await write(recordDir, [start, hostile])).toEqual([{ file: FIRST }, { file: SECOND }])
    expect(parseEntry(readFileSync(join(recordDir, FIRST), 'utf8'))).toEqual({ entry: start })
    expect(parseEntry(readFileSync(join(recordDir, SECOND), 'utf8'))).toEqual({ entry: hostile })
    expect(statSync(join(recordDir, FIRST)).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(join(recordDir, FIRST))).mode & 0o777).toBe(0o700)
    expect(readdirSync(dirname(join(recordDir, FIRST)))).toHaveLength(2)
  })

  test('does not write over a taken name: it takes the second sequence', async () => {
    const recordDir = tempFolder()
    mkdirSync(join(recordDir, 'session-1'))
    writeFileSync(join(recordDir, FIRST), 'mine')
    expect(await write(recordDir, [start])).toEqual([{ file: SECOND }])
    expect(readFileSync(join(recordDir, FIRST), 'utf8')).toBe('mine')
    expect(parseEntry(readFileSync(join(recordDir, SECOND), 'utf8'))).toEqual({ entry: start })
  })

  test('degraded where a folder above is a file', async () => {
    const file = join(tempFolder(), 'file')
    writeFileSync(file, 'mine')
    expect(await write(join(file, 'record'), [start])).toEqual(degraded(/EEXIST|ENOTDIR/))
    expect(readFileSync(file, 'utf8')).toBe('mine')
  })

  onlyWhere(isLinux, 'writes below /proc')('degraded where the system makes no folder', async () => {
    expect(await write('/proc/record', [start])).toEqual(degraded(/ENOENT/))
  })

  onlyWhere(isPosix, 'takes rights away')('degraded where the folder may not be written', async () => {
    const recordDir = tempFolder()
    chmodSync(recordDir, 0o500)
    expect(await write(recordDir, [start], { under: limited })).toEqual(degraded(/EACCES/))
    expect(filesIn(recordDir)).toEqual({})
  })

  onlyWhere(isPosix, 'takes rights away')(
    'degraded where the folder may not be searched: it may hold the name',
    async () => {
      const recordDir = tempFolder()
      mkdirSync(join(recordDir, 'session-1'))
      chmodSync(join(recordDir, 'session-1'), 0o200)
      expect(await write(recordDir, [start], { under: limited })).toEqual(degraded(/fs\.stat.*EACCES/))
    },
  )

  test('degraded over 4 MiB, and nothing is written; below it all is', async () => {
    const recordDir = tempFolder()
    expect(await write(recordDir, [sent], { fill: 4_194_304 })).toEqual(
      degraded(/over the 4194304-byte limit/),
    )
    expect(filesIn(recordDir)).toEqual({})
    expect(await write(recordDir, [sent], { fill: 4_190_000 })).toEqual([{ file: FIRST }])
    const entry = parseEntry(readFileSync(join(recordDir, FIRST), 'utf8'))
    expect(entry).toMatchObject({ entry: { kind: 'message' } })
    expect(existsSync(join(recordDir, SECOND))).toBe(false)
  })
})

test('the bundled writer passes `claude plugin validate`', async () => {
  const plugin = pluginDir({ name: 'writer', module: await module })
  const outcome = await hostCommand({ profile: newProfile({ api: await api }) }, 'plugin', 'validate', plugin)
  expect(outcome, outcome.stdout).toMatchObject({ code: 0 })
})

describe('$.fs.stat', () => {
  test('of a missing path rejects with ENOENT in its message', async () => {
    const path = join(tempFolder(), 'missing', 'file.json')
    const { threw } = await run(`/look ${path}`)
    expect(threw).toEqual({ name: 'HooksError', message: expect.stringMatching(/\bENOENT\b/) })
  })

  test('of a path below a file rejects with another code', async () => {
    const file = join(tempFolder(), 'file')
    writeFileSync(file, '')
    const { threw } = await run(`/look ${file}/x.json`)
    expect(threw.message).not.toMatch(/\bENOENT\b/)
  })

  test('of a file resolves', async () => {
    const file = join(tempFolder(), 'file')
    writeFileSync(file, 'abc')
    expect(await run(`/look ${file}`)).toMatchObject({ answer: { size: 3 } })
  })
})
