import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '..')

/** What each room may import of ours (docs/design.md, rooms). A room may always import itself. */
const MAY_IMPORT: Record<string, string[]> = {
  'src/problem': [],
  'src/files': ['src/problem'],
  'src/hostile-text': [],
  'src/record': [],
  'src/chain': ['src/record'],
  migrations: [],
  'src/writer': ['src/record', 'src/files'],
  'src/importer': ['src/record', 'src/problem', 'src/files'],
  'src/database': ['src/chain'],
  // The engine's room: a second engine is one more of these, beside it.
  'src/sqlite': ['migrations', 'src/database', 'src/problem'],
  'src/lock': ['src/sqlite', 'src/database', 'src/problem'],
  'src/query': ['src/chain', 'src/database', 'src/record', 'src/hostile-text', 'src/problem'],
  'src/known-results': ['src/files'],
  'src/scan': [
    ...['src/scan/claude', 'src/scan/codex'],
    ...['src/database', 'src/record', 'src/problem', 'src/files'],
  ],
  'src/scan/claude': ['src/scan'],
  'src/scan/codex': ['src/scan'],
  'src/scan/result': ['src/scan', 'src/lock', 'src/hostile-text', 'src/problem', 'src/files'],
  'src/scan/check': ['src/scan', 'src/scan/result', 'src/problem'],
  'src/scan/compare': ['src/scan', 'src/scan/result', 'src/problem'],
  'src/indexer': [
    ...['migrations', 'src/database', 'src/sqlite', 'src/lock', 'src/chain', 'src/record'],
    ...['src/known-results', 'src/scan', 'src/scan/result', 'src/runner', 'src/problem', 'src/files'],
  ],
  'src/sample': ['src/record', 'src/writer', 'src/problem', 'src/files'],
  'src/plugin': ['src/record', 'src/writer', 'src/chain', 'src/hostile-text'],
  'src/runner': ['src/record', 'src/lock', 'src/hostile-text', 'src/problem', 'src/files'],
  'src/doctor': ['src/plugin', 'src/database', 'src/sqlite', 'src/indexer', 'src/problem', 'src/files'],
}

/** The longest room that a file lies in. */
function roomOf(file: string, rooms: string[]): string | undefined {
  return rooms
    .filter(room => file === room || file.startsWith(`${room}/`))
    .sort((a, b) => b.length - a.length)[0]
}

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => `${folder}/${name}`)
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const found = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(match => match[1] as string)
  return found.map(name => (name.startsWith('.') ? relative(root, resolve(root, dirname(file), name)) : name))
}

/** The circles among files, each named by the files that it goes through; what is imported from elsewhere leads nowhere. */
function circlesOf(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const circles: string[] = []
  const isDone = new Set<string>()
  const visit = (file: string, way: readonly string[]) => {
    const since = way.indexOf(file)
    if (since !== -1) circles.push([...way.slice(since), file].join(' -> '))
    if (since !== -1 || isDone.has(file)) return
    for (const next of imports.get(file) ?? []) visit(next, [...way, file])
    isDone.add(file)
  }
  for (const file of imports.keys()) visit(file, [])
  return circles
}

describe('rooms', () => {
  const rooms = [...Object.keys(MAY_IMPORT), 'src/cli']
  const files = [...sources('src'), ...sources('migrations')]

  it.each(files.filter(file => roomOf(file, rooms) !== 'src/cli'))(
    '%s imports only what its room may',
    file => {
      const room = roomOf(file, rooms)
      expect(room, `${file} lies in no room`).toBeDefined()
      const allowed = [room, ...(MAY_IMPORT[room as string] as string[])]
      const ours = importsOf(file).filter(name => name.startsWith('src/') || name.startsWith('migrations'))
      expect(ours.filter(name => !allowed.includes(roomOf(name, rooms)))).toEqual([])
    },
  )

  it('rule.modOnly: what the mod will run imports no file system, process or database', () => {
    const forMod = files.filter(file =>
      /^src\/(record|chain|plugin|hostile-text)\/|^src\/writer\/(entry-writer|host-storage|storage|new-load)\.ts$/.test(
        file,
      ),
    )
    expect(forMod.length).toBeGreaterThan(10)
    const outside = forMod.flatMap(file =>
      importsOf(file).filter(name => /^node:|^better-sqlite3$|^kysely$/.test(name)),
    )
    expect(outside).toEqual([])
  })

  it('rule.staysLocal: no part of the program imports or calls what opens a connection', () => {
    // The gate http_status asks a server, which is what it is for: loopback alone and the hosts that the person's own
    // settings name (test/runner/gates.test.ts). MCP servers are spoken to over standard input and output.
    const gate = 'src/runner/gates/http-status.ts'
    const mcp = files.flatMap(file =>
      importsOf(file).filter(name => name.startsWith('@modelcontextprotocol/')),
    )
    expect(
      mcp.filter(name => !/\/(client\/(index|stdio)|shared\/(stdio|transport))\.js$/.test(name)),
    ).toEqual([])
    const network = /^node:(http|https|http2|net|tls|dgram|dns)\b/
    expect(files.filter(file => importsOf(file).some(name => network.test(name)))).toEqual([])
    const calls = /\b(fetch|WebSocket|XMLHttpRequest)\s*\(/
    expect(files.filter(file => calls.test(readFileSync(join(root, file), 'utf8')))).toEqual([gate])
  })

  it('the core of runs is pure, and whatever a run starts is started in one room', () => {
    const runner = files.filter(file => file.startsWith('src/runner/'))
    const pure = runner.filter(file => /^src\/runner\/(plan|template|graph)\//.test(file))
    expect(pure.length).toBeGreaterThan(8)
    expect(pure.filter(file => importsOf(file).some(name => name.startsWith('node:')))).toEqual([])
    const starting = runner.filter(file => importsOf(file).includes('node:child_process'))
    expect(starting).toEqual(['src/runner/processes/start-process.ts'])
  })

  it('rule.oneEngineRoom: only the room of SQLite, and its migrations, speak its dialect or load its drivers', () => {
    const others = files.filter(file => !/^(src\/sqlite|migrations)\//.test(file))
    const drivers = /^(better-sqlite3|node:sqlite|kysely\/.*)$/
    expect(others.filter(file => importsOf(file).some(name => drivers.test(name)))).toEqual([])
    const dialect =
      /\bfts5|_fts\b|\browid|last_?insert_?rowid|\bpragma\b|sqlite_|new SqliteDialect|integrity.check|\bbegin (immediate|exclusive)|insert or |total_changes|\battach\b|= [01] then|then 1 else 0/i
    const spoken = others.flatMap(file =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .filter(line => dialect.test(line))
        .map(line => `${file}: ${line.trim()}`),
    )
    expect(spoken).toEqual([])
  })

  it('no circle of imports, those of types included', () => {
    expect(circlesOf(new Map(files.map(file => [file, importsOf(file)])))).toEqual([])
  })

  it('no file is a drawer: none is named utils, helpers, common or misc', () => {
    expect(files.filter(file => /(^|\/)(utils?|helpers?|common|misc)(\.ts|\/)/.test(file))).toEqual([])
  })
})

describe('formats of transcripts', () => {
  const folders = ['src/scan/claude', 'src/scan/codex']
  const scan = sources('src/scan')
  const isInFormat = (file: string) => folders.some(folder => file.startsWith(`${folder}/`))
  const list = 'src/scan/formats.ts'

  it('nothing of the scan names one, but its own folder and the list', () => {
    const code = (file: string) =>
      readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
    const outside = scan.filter(file => !isInFormat(file) && file !== list)
    expect(outside.length).toBeGreaterThan(40)
    expect(outside.filter(file => /claude|codex/i.test(code(file)))).toEqual([])
  })

  it('the list alone imports one, by its format.ts', () => {
    const imports = scan
      .filter(file => !isInFormat(file))
      .flatMap(file =>
        importsOf(file)
          .filter(isInFormat)
          .map(name => `${file} ${name}`),
      )
    expect(imports).toEqual(folders.map(folder => `${list} ${folder}/format.ts`))
  })

  it.each(folders)('%s has the parts that every format has, and each knows only its own', folder => {
    const files = scan
      .filter(file => file.startsWith(`${folder}/`))
      .map(file => file.slice(folder.length + 1))
    expect(files).toEqual(
      expect.arrayContaining(
        ['format', 'history', 'read', 'judge', 'follow', 'state', 'tell', 'turns'].map(part => `${part}.ts`),
      ),
    )
    // Judging sees a row and no turn, following sees a turn and no verdict; reading alone knows both.
    const pure = files.filter(file => /^(judge|follow)/.test(file))
    const known = pure.flatMap(file => importsOf(`${folder}/${file}`).map(name => `${file} ${name}`))
    expect(known.filter(line => /\/(read|state|tell|turns)[\w-]*\.ts$/.test(line))).toEqual([])
    expect(known.filter(line => /^judge.*\/(follow|turn)\.ts$/.test(line))).toEqual([])
    expect(known.filter(line => /^follow.*\/(judge[\w-]*|verdict)\.ts$/.test(line))).toEqual([])
  })
})
