import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DURATION, milliseconds } from '../../../src/runner/spec/duration.ts'
import { chainPlaces, findChain, listChains, projectRootOf } from '../../../src/runner/spec/find-chain.ts'
import { mistakeLine, mistakesProblem } from '../../../src/runner/spec/mistake.ts'
import { checkChain, checkFile, readChain } from '../../../src/runner/spec/read-chain.ts'
import { splicesScript } from '../../../src/runner/spec/script-argument.ts'
import { parseSkillReference, referenceMistake } from '../../../src/runner/spec/skill-reference.ts'
import { readYaml } from '../../../src/runner/spec/yaml-source.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { chainOf } from '../support/bench.ts'

test.each([
  ['1s', 1_000],
  ['90s', 90_000],
  ['10m', 600_000],
  ['2h', 7_200_000],
  ['596h', 2_145_600_000],
  ['597h', 2_147_483_647],
  ['999999h', 2_147_483_647],
])('rule.closedFormat: %s is %i ms', (text, ms) => {
  expect(DURATION.test(text)).toBe(true)
  expect(milliseconds(text)).toBe(ms)
})

test.each(['', '0s', '01s', '10', 's', '1d', '1.5m', '-1s', '1 s', '1ms', '1M', '1000000s', '1s\n', 'x1s'])(
  'rule.closedFormat: %j is no time span',
  text => {
    expect(DURATION.test(text)).toBe(false)
  },
)

describe('rule.skillReference: its form', () => {
  test.each([
    ['pack:do@1.2.0', ['pack', 'do', '1.2.0']],
    ['1p-a:2-do@10.20.30-beta.1+x', ['1p-a', '2-do', '10.20.30-beta.1+x']],
    ['anthropic-pack:do@1.0.0', ['anthropic-pack', 'do', '1.0.0']],
    ['pack:claudette@1.0.0', ['pack', 'claudette', '1.0.0']],
    ['pack:my-codex-skill@1.0.0', ['pack', 'my-codex-skill', '1.0.0']],
  ])('%s', (text, [pack, skill, version]) => {
    expect(parseSkillReference(text)).toEqual({ package: pack, skill, version })
    expect(referenceMistake(text)).toBeNull()
  })

  test.each([
    ...['pack:do', 'pack:do@1', 'pack:do@1.2', 'pack:do@^1.2.0', 'pack:do@latest', 'do@1.2.0', ':do@1.2.0'],
    ...['Pack:do@1.2.0', 'pack:Do@1.2.0', '-p:do@1.2.0', 'pack:-do@1.2.0', 'pack:a/b@1.2.0', '../p:do@1.2.0'],
    ...[
      'pack:do@1.2.0 ',
      ' pack:do@1.2.0',
      'pack:do@1.2.0\n',
      'pack:do@1.2.0-',
      'pack:do@x1.2.0',
      'pack:a:b@1.2.0',
    ],
  ])('%j has not', text => {
    expect(parseSkillReference(text)).toBeNull()
    expect(referenceMistake(text)).toMatch(/one exact version/)
  })

  test.each([
    'anthropic',
    'claude',
    'openai',
    'codex',
    'gpt',
    'chatgpt',
    'google',
    'gemini',
    'xai',
    'grok',
    'zhipu',
    'glm',
  ])('a name that begins with %s is invalid', family => {
    expect(referenceMistake(`pack:${family}-do@1.0.0`)).toMatch(`begins with a family (${family}-)`)
  })
})

describe('rule.noSplicing: where a template would be a script', () => {
  const T = '{{ steps.a.output }}'
  test.each([
    ...['sh', 'bash', 'zsh', 'ksh', 'mksh', 'dash', 'ash', 'fish', 'csh', 'tcsh'].map(shell => [
      shell,
      '-c',
      `a ${T}`,
    ]),
    ...[
      ['pwsh', '-Command', T],
      ['powershell.exe', '-EncodedCommand', T],
      ['pwsh', '-c', T],
      ['PowerShell', '-ec', T],
    ],
    ...[
      ['cmd', '/c', T],
      ['CMD.EXE', '/C', `x ${T}`],
      ['cmd', '/k', T],
      ['cmd', '/r', T],
    ],
    ...[
      ['python', '-c', T],
      ['python3.12', '-Ic', T],
      ['pypy3', '-c', T],
    ],
    ...[
      ['node', '-e', T],
      ['nodejs', '-p', T],
      ['bun', '--eval', T],
      ['node', '--print', T],
      ['node', '-pe', T],
    ],
    ...[
      ['perl', '-e', T],
      ['perl', '-E', T],
      ['ruby', '-ne', T],
      ['php', '-r', T],
      ['php', '-B', T],
    ],
    ...[
      ['/usr/bin/bash', '-c', T],
      ['C:\\bin\\bash.exe', '-c', T],
      ['env', 'sh', '-c', T],
      ['nice', '-n', '5', 'bash', '-xc', T],
    ],
    ...[
      ['bash', '--command', T],
      ['bash', T],
      ['bash', '-x', T],
      ['bash', `--rcfile=${T}`],
      ['bash', '-o', 'pipefail', '-c', T],
    ],
    ...[
      ['bash', '+O', 'extglob', '-c', T],
      ['bash', '-e', '-u', '-c', T],
      ['python3', '-W', 'ignore', '-c', T],
    ],
  ])('%s %s', (...argv) => {
    expect(splicesScript(argv)).toBe(true)
  })

  // The value stands within the script: one that stands first is refused wherever it is.
  test.each([
    ...['-c', '-ce', '-xc', '-exc', '-xce', '--command'].map(option => ['bash', option]),
    ...['-c', '-ce'].map(option => ['sh', option]),
    ...['-e', '-p', '-pe', '--eval', '--print'].map(option => ['node', option]),
    ...['-c', '-command', '-Command', '-e', '-ec', '-encodedcommand'].map(option => ['pwsh', option]),
    ...['/c', '/k', '/r', '/C'].map(option => ['cmd', option]),
    ...['-r', '-B', '-R', '-E'].map(option => ['php', option]),
    ...['-e', '-E', '-ne', '-lE'].map(option => ['perl', option]),
    ...['-c', '-Ic', '-Bc'].map(option => ['python3', option]),
  ])('%s %s with a value within', (program, option) => {
    expect(splicesScript([program as string, option as string, `print(${T})`])).toBe(true)
    expect(splicesScript([program as string, option as string, 'print()', T])).toBe(false)
  })

  test.each([
    [['grep', '-c', T]],
    [['bash', 'x.sh', T]],
    [['bash', '--', T]],
    [['bash', '-c', 'echo "$1"', 'sh', T]],
    [['bash', 'x.sh', '-c', T]],
    [['bash', '-o', 'pipefail', 'x.sh', T]],
    [['node', 'x.mjs', '-e', T]],
    [['hash', '-c', T]],
    [['bashful', '-c', T]],
    [['nodemon', '-e', T]],
    [['phpunit', '-r', T]],
    [['bash', '-c']],
    [[]],
    [['test', T, '=', 'x']],
  ])('not in %j', argv => {
    expect(splicesScript(argv)).toBe(false)
  })
})

describe('rule.closedFormat: YAML and its places', () => {
  const mistakes = (text: string) => {
    const read = readYaml(text)
    return 'mistakes' in read ? read.mistakes : []
  }
  test.each<[string, string, RegExp, number, number]>([
    ['nothing', '', /the file is empty/, 1, 1],
    ['a comment', '# x\n', /the file is empty|./, 1, 1],
    ['a second document', 'a: 1\n---\nb: 2\n', /a second document/, 2, 1],
    ['a key twice', 'a: 1\nb: 2\na: 3\n', /not well-formed YAML/, 3, 1],
    ['what is open', 'a: [1', /not well-formed YAML/, 1, 6],
    ['a key that is no text', '? [a]\n: 1\n', /not well-formed YAML/, 1, 3],
    ['an alias within itself', 'a: &x\n  b: *x\n', /within what it names|not usable/, 1, 1],
    ['101 levels', `${'['.repeat(102)}${']'.repeat(102)}`, /too deep/, 1, 102],
  ])('%s', (_, text, message, line, column) => {
    if (text.startsWith('#')) return expect('chain' in checkChain(text)).toBe(false)
    expect(mistakes(text)[0]).toMatchObject({ message: expect.stringMatching(message), line, column })
  })

  test('100 levels are read, and 99 aliases of one part', () => {
    expect(mistakes(`${'['.repeat(100)}${']'.repeat(100)}`)).toEqual([])
    const aliases = (count: number) => mistakes(`a: &a 1\nb: [${Array(count).fill('*a').join(', ')}]\n`)
    expect(aliases(99)).toEqual([])
    expect(aliases(100)).toMatchObject([{ message: expect.stringContaining('alias count') }])
  })

  test('the place of each part, of a name, and of what is not there', () => {
    const read = readYaml('a: &a\n  b: [1, {c: 2}]\n  d:\ne: *a\n')
    if ('mistakes' in read) throw new Error('it is right')
    const { placeOf, placeOfKey } = read.source
    expect(read.source.data).toEqual({ a: { b: [1, { c: 2 }], d: null }, e: { b: [1, { c: 2 }], d: null } })
    expect(placeOf(['a', 'b', 1, 'c'])).toEqual({ line: 2, column: 14 })
    expect(placeOf(['a', 'b', 0])).toEqual({ line: 2, column: 7 })
    expect(placeOf(['e', 'b', 1])).toEqual({ line: 2, column: 10 })
    expect(placeOfKey(['a'], 'd')).toEqual({ line: 3, column: 3 })
    expect(placeOf(['a', 'b', 9])).toEqual({ line: 2, column: 6 })
    expect(placeOf(['x'])).toEqual({ line: 1, column: 1 })
    const bare = readYaml('a: 1\n? d\n')
    expect('source' in bare && bare.source.placeOf(['d'])).toEqual({ line: 2, column: 3 })
  })

  test('mistakes are told in the order of their places, safe to show', () => {
    const checked = checkChain('name: A\nversion: 1\nsteps: []\nprimary: a\ndescription: x\nmore: 1\n')
    const found = 'mistakes' in checked ? checked.mistakes : []
    expect(found.map(({ line }) => line)).toEqual([1, 2, 3, 6])
    expect(mistakeLine('/x\n', { message: 'a\u001b', line: 2, column: 3, hint: 'b\u202e' })).not.toMatch(
      /[\n\u001b\u202e]/,
    )
    const one = { message: 'm', line: 2, column: 3 }
    expect(mistakeLine('/x', one)).toBe('/x:2:3: m')
    expect(mistakeLine('/x', { ...one, hint: 'h' })).toBe('/x:2:3: m (h)')
    expect(mistakesProblem('/x', [{ ...one, hint: 'h' }])).toMatchObject({
      kind: 'check',
      message: '/x:2:3: m',
      hint: 'h',
      path: '/x',
    })
    expect(mistakesProblem('/x', [one])).toMatchObject({ hint: expect.stringContaining('docs/chains.md') })
    expect(mistakesProblem('/x', [one, { ...one, line: 4 }, one])).toMatchObject({
      message: '/x:2:3: m, and 2 more',
      hint: '/x:2:3: m\n/x:4:3: m\n/x:2:3: m\nmend these; nothing was run',
    })
  })

  test('a file that cannot be read is a mistake of its first line', () => {
    const path = join(tempFolder(), 'no.yaml')
    expect(checkFile(path)).toEqual({
      mistakes: [{ message: "the chain's file is missing", line: 1, column: 1 }],
    })
    expect(() => readChain(path)).toThrow(expect.objectContaining({ kind: 'not-found', path }))
    for (const [at, kind] of [
      [dirname(path), 'check'],
      [join(path, 'x'), 'not-found'],
    ] as const)
      expect(() => readChain(at)).toThrow(expect.objectContaining({ kind, path: at }))
    writeFileSync(path, Buffer.from([0x61, 0xff]))
    expect(() => readChain(path)).toThrow(
      expect.objectContaining({ kind: 'check', message: expect.stringContaining('not UTF-8') }),
    )
    writeFileSync(path, JSON.stringify(chainOf([{}, {}])))
    const read = readChain(path)
    expect(read).toMatchObject({
      path,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      chain: { name: 'sample' },
    })
    expect(checkFile(path)).toEqual({ chain: read.chain })
    writeFileSync(path, 'x'.repeat(1_048_576))
    expect(checkFile(path)).not.toMatchObject({ mistakes: [{ message: expect.stringContaining('1 MiB') }] })
    writeFileSync(path, 'x'.repeat(1_048_577))
    expect(checkFile(path)).toMatchObject({ mistakes: [{ message: expect.stringContaining('over 1 MiB') }] })
  })
})

test('rule.searchOrder: chains are named by their files, sorted, and by their paths', () => {
  const root = tempFolder()
  const places = chainPlaces(root, join(root, 'user'))
  expect(places.map(({ scope }) => scope)).toEqual(['project', 'user', 'drafts'])
  for (const { folder } of places) mkdirSync(folder, { recursive: true })
  const put = (path: string) => writeFileSync(join(root, path), '')
  for (const path of ['chains/b.yaml', 'chains/a.yaml', 'user/chains/c.yaml', 'user/chains/a.yaml']) put(path)
  for (const path of ['drafts/sample-chains/d.yaml', 'chains/x.yml', 'chains/.yaml', 'chains/y.yaml.bak'])
    put(path)
  expect(listChains(places).map(({ name, scope }) => `${scope} ${name}`)).toEqual([
    ...['project a', 'project b', 'user c', 'drafts d'],
  ])
  const file = join(root, 'chains/x.yml')
  expect(findChain(file, places)).toEqual({ name: file, scope: 'file', path: file })
  expect(findChain('c', places)).toEqual({ name: 'c', scope: 'user', path: join(root, 'user/chains/c.yaml') })
  for (const word of ['no.yaml', 'no.yml', './a', join(root, 'no')])
    expect(() => findChain(word, places)).toThrow(
      expect.objectContaining({ kind: 'not-found', message: `no file ${word}` }),
    )
  expect(() => findChain('zzzzzz', places)).toThrow(
    expect.objectContaining({
      kind: 'not-found',
      hint: `searched: ${places.map(({ folder }) => folder).join(', ')}`,
    }),
  )
  expect(projectRootOf(join(root, 'drafts/no'))).toBe(root)
  const [below, deep] = [join(root, 'drafts/below'), join(root, 'drafts/below/a/b')]
  mkdirSync(deep, { recursive: true })
  expect(projectRootOf(deep)).toBe(root)
  // A worktree and a submodule have a file of that name.
  writeFileSync(join(below, '.git'), 'gitdir: x')
  expect([projectRootOf(deep), projectRootOf(below)]).toEqual([below, below])
  expect(projectRootOf('/no/such/folder')).toBe('/no/such/folder')
})
