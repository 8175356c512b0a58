import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect } from 'vitest'
import { type Place, sharedPlace } from '../support/coord.ts'
import { onlyWhere } from '../support/only-where.ts'
import { HAS_NODE_SQLITE } from '../support/sqlite-drivers.ts'

const project = resolve(import.meta.dirname, '../..')
const test = onlyWhere(HAS_NODE_SQLITE, 'this Node brings no SQLite of its own: needs Node 22.16 or later')

/** The installed program with nothing beside it: whatever it needs but better-sqlite3 is bundled. */
function installAlone(folder: string): string {
  mkdirSync(folder)
  cpSync(join(project, 'dist'), join(folder, 'dist'), { recursive: true })
  cpSync(join(project, 'package.json'), join(folder, 'package.json'))
  return join(folder, 'dist/coord.js')
}

const here: Place = sharedPlace()
const sample = join(here.dir, 'sample')
let alone: string
beforeAll(async () => {
  alone = installAlone(join(here.dir, 'installed'))
  await here.run('sample', sample)
})

/** What a command answers with an index of its own, without what only tells of the run or of the index's place. */
async function answer(program: string | undefined, name: string, args: string[]): Promise<string> {
  const index = join(here.dir, `${name}.db`)
  const env = { COORD_RECORD_DIR: sample, COORD_INDEX: index, XDG_CACHE_HOME: join(here.dir, name) }
  const { code, stdout, stderr } = await here.runWith(
    program === undefined ? { env } : { env, program },
    ...args,
  )
  const told = `${code}\n${stdout}\n--\n${stderr}`
  return told
    .replaceAll(name, 'NAME')
    .replace(/^coord: indexing: .*\n/gm, '')
    .replace(/as of .*|\d+ ms|"(elapsedMs|ageMs)": ?\d+|"indexedAt": ?"[^"]*"/g, 'then')
}

const COMMANDS = [
  ['index'],
  ['index', '--rebuild', '--json'],
  ['tree'],
  ['tree', '--json'],
  ['query', 'messages', "text match 'schema drift' or text like '%parser%'", '--format', 'csv'],
  ['query', 'messages', "not text match 'schema*'", '--json'],
  ['query', 'entries', '--format', 'ndjson'],
  ['query', 'sessions', "role = 'lead'", '--order', 'last_heard desc', '--limit', '2'],
  ['query', 'chain', 'is_current', '--json'],
  ['query', 'entries', '--count'],
  ['query', 'unreadable'],
  ['attribute', '--text', 'Read both, but write only numbers.'],
  ['attribute', '--text', 'nobody said it', '--json'],
  ['verify'],
  ['verify', '--json'],
]

describe('coord without better-sqlite3, on a Node that brings SQLite', () => {
  test.each(COMMANDS.map(args => [args.join(' '), args] as const))(
    'coord %s gives the same answer, byte for byte, and warns of nothing',
    async (_, args) => {
      const expected = await answer(undefined, 'native', args)
      expect(await answer(alone, 'nodeown', args)).toBe(expected)
    },
  )

  test('a refresh takes in what came, what changed and what is gone, as with better-sqlite3', async () => {
    const file = (
      await here.runWith(
        { env: { COORD_RECORD_DIR: sample } },
        'query',
        'entries',
        '--select',
        'file',
        '--format',
        'tsv',
      )
    ).stdout
      .split('\n')
      .find(line => line.endsWith('.json')) as string
    const before = readFileSync(join(sample, file), 'utf8')
    writeFileSync(join(sample, file), '{')
    try {
      for (const args of [['query', 'unreadable', '--select', 'file,reason'], ['tree'], ['verify']])
        expect(await answer(alone, 'nodeown', args)).toBe(await answer(undefined, 'native', args))
    } finally {
      writeFileSync(join(sample, file), before)
    }
    expect(await answer(alone, 'nodeown', ['tree'])).toBe(await answer(undefined, 'native', ['tree']))
  })

  test('coord doctor says which of the two it is, and why; all else is the same', async () => {
    const lines = async (program: string | undefined, name: string) =>
      (await answer(program, name, ['doctor'])).split('\n')
    const [own, native] = [await lines(alone, 'nodeown'), await lines(undefined, 'native')]
    const isDatabase = (line: string) => /^ok +database: /.test(line)
    expect(own.filter(line => !isDatabase(line))).toEqual(native.filter(line => !isDatabase(line)))
    expect(native.find(isDatabase)).toMatch(/: better-sqlite3 with SQLite [\d.]+ and full-text search$/)
    expect(own.find(isDatabase)).toMatch(
      /: node:sqlite with SQLite [\d.]+ and full-text search; better-sqlite3 is not used, since it cannot be loaded: Cannot find module/,
    )
  })
})
