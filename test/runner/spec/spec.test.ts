import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { chainSchema } from '../../../src/runner/spec/chain-schema.ts'
import { DURATION, milliseconds } from '../../../src/runner/spec/duration.ts'
import { chainPlaces, findChain, listChains, projectRootOf } from '../../../src/runner/spec/find-chain.ts'
import { mistakeLine, mistakesProblem } from '../../../src/runner/spec/mistake.ts'
import { checkChain, checkFile, readChain } from '../../../src/runner/spec/read-chain.ts'
import { splicesScript } from '../../../src/runner/spec/script-argument.ts'
import { parseSkillReference, referenceMistake } from '../../../src/runner/spec/skill-reference.ts'
import { readYaml } from '../../../src/runner/spec/yaml-source.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { chainOf } from '../support/bench.ts'

/** What is wrong with a chain of these steps, one text for each mistake. */
function wrong(steps: object[], more: object = {}): string[] {
  const checked = checkChain(JSON.stringify(chainOf(steps, more)))
  return 'chain' in checked ? [] : checked.mistakes.map(({ message, hint }) => `${message} (${hint ?? ''})`)
}
const withGate = (gate: object) => wrong([{ gates: [{ on_fail: 'warn', ...gate }] }])

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

describe('rule.closedFormat: fields that do not go together', () => {
  test.each<[string, object, RegExp[]]>([
    ['text', { type: 'file_contains', path: 'x', text: 'a' }, []],
    ['neither', { type: 'file_contains', path: 'x' }, [/either "text" or "pattern"/]],
    ['both', { type: 'file_contains', path: 'x', text: 'a', pattern: 'b' }, [/either "text" or "pattern"/]],
    ['a pattern', { type: 'file_contains', path: 'x', pattern: '^a$' }, []],
    [
      'a pattern that is none',
      { type: 'file_contains', path: 'x', pattern: '(' },
      [/Invalid regular expression/],
    ],
    [
      'a pattern that only old rules allow',
      { type: 'file_contains', path: 'x', pattern: '\\-' },
      [/Invalid/],
    ],
    ['neither', { type: 'bash_exit_code' }, [/either "argv" or "script"/]],
    ['both', { type: 'bash_exit_code', argv: ['a'], script: 'b' }, [/either "argv" or "script"/]],
    [
      'a shell without a script',
      { type: 'bash_exit_code', argv: ['a'], shell: 'sh' },
      [/"shell" belongs to "script"/],
    ],
    [
      'args without a script',
      { type: 'bash_exit_code', argv: ['a'], args: ['b'] },
      [/"args" belongs to "script"/],
    ],
    ['a script with both', { type: 'bash_exit_code', script: 'a', shell: 'sh', args: ['b'] }, []],
    ['env with argv', { type: 'bash_exit_code', argv: ['a'], env: { A: 'b' } }, []],
    ['neither', { type: 'json_schema' }, [/either "schema" or "schema_file"/]],
    ['both', { type: 'json_schema', schema: true, schema_file: 'x' }, [/either "schema" or "schema_file"/]],
    [
      'a value and a file',
      { type: 'json_schema', schema: true, value: 'a', path: 'b' },
      [/either "value" or the file/],
    ],
    ['a file', { type: 'json_schema', schema_file: 'x', path: 'b' }, []],
    ['a schema that is none', { type: 'json_schema', schema: { type: 'x' } }, [/^no JSON Schema/]],
    [
      'a schema that is none',
      { type: 'mcp_call', server: 's', tool: 't', schema: { type: 'x' } },
      [/^no JSON Schema/],
    ],
    ['a skill without version', { type: 'skill', skill: 'p:s' }, [/one exact version/]],
    ['a skill', { type: 'skill', skill: 'p:s@1.0.0' }, []],
  ])('%s: %j', (_, gate, told) => {
    expect(withGate(gate)).toEqual(told.map(one => expect.stringMatching(one)))
  })

  const check = { kind: 'cross_check', of: ['steps.s1'], instruction: 'Is it so?' }
  const skill = { runner: 'skill', skill: 'p:s@1.0.0' }
  const form = { output_schema: { type: 'structured-text', output_anchor: '(?<a>x)' } }
  test.each<[string, object[], RegExp[]]>([
    ['a skill with a version', [skill, {}], []],
    ['a skill that lacks one', [{ runner: 'skill', skill: 'p:s' }, {}], [/one exact version/]],
    ['a skill of another runner', [{ skill: 'p:s@1.0.0', runner: 'claude' }, {}], [/has runner "skill"/]],
    [
      'needs a later step',
      [{ needs: ['s2'] }, {}],
      [/no step "s2" stands before this one \(before it stand: none/],
    ],
    ['needs itself', [{}, { needs: ['s2'] }], [/no step "s2" stands before.*did you mean "s1"/]],
    ['of without a cross_check', [{}, { of: ['steps.s1'] }], [/"of" stands only on a cross_check/]],
    ['a cross_check', [{}, check], []],
    ['a cross_check by a skill', [{}, { ...check, ...skill, instruction: undefined }], []],
    [
      'a cross_check of itself',
      [{}, { ...check, of: ['steps.s2'] }],
      [/"steps\.s2" is no input and no step/],
    ],
    ['a cross_check of an output', [{}, { ...check, of: ['steps.s1.output'] }], [/is no input and no step/]],
    [
      'a cross_check in lines',
      [{}, { ...check, output_schema: { type: 'jsonl' } }],
      [/lines of JSON cannot/],
    ],
    [
      'a cross_check without a verdict',
      [{}, { ...check, output_schema: { type: 'json', schema: { type: 'object', required: ['x'] } } }],
      [/has to have a "verdict"/],
    ],
    [
      'a cross_check of any JSON',
      [{}, { ...check, output_schema: { type: 'json', schema: true } }],
      [/has to have a "verdict"/],
    ],
    [
      'a cross_check with a verdict',
      [
        {},
        { ...check, output_schema: { type: 'json', schema: { type: 'object', required: ['a', 'verdict'] } } },
      ],
      [],
    ],
    [
      'a pattern that is none',
      [{ output_schema: { type: 'structured-text', output_anchor: '(' } }, {}],
      [/Invalid/],
    ],
    [
      'a schema that is none',
      [{ output_schema: { type: 'jsonl', schema: { type: 'x' } } }, {}],
      [/no JSON Schema/],
    ],
    ['fields of text', [{ verification: { fields: ['a'] } }, {}], [/type text has no fields/]],
    [
      'fields of lines',
      [{ verification: { fields: ['a'] }, output_schema: { type: 'jsonl' } }, {}],
      [/type jsonl has/],
    ],
    ['fields of groups', [{ verification: { fields: ['a'] }, ...form }, {}], []],
    [
      'a field that is no group',
      [{ verification: { fields: ['a', 'b'] }, ...form }, {}],
      [/named "b" \(groups: a\)/],
    ],
    ['a verification without fields', [{ verification: {} }, {}], []],
    ['one step alone', [{ output_schema: undefined }], [/needs no chain/]],
    ['one step with an empty list of gates', [{ output_schema: undefined, gates: [] }], [/needs no chain/]],
    ['one step with a condition that is false', [{ output_schema: undefined, run_if: true }], []],
    ['one step with isolation', [{ output_schema: undefined, isolation: { type: 'worktree' } }], []],
    ['one step with verification', [{ output_schema: undefined, verification: {} }], []],
  ])('%s', (_, steps, told) => {
    expect(wrong(steps)).toEqual(told.map(one => expect.stringMatching(one)))
  })

  test('of the chain', () => {
    const bare = { output_schema: undefined }
    expect(wrong([bare], { budget: { max_model_calls: 1 } })).toEqual([])
    expect(wrong([bare], { audit: { log_path: 'x' } })).toEqual([])
    const input = (name: string, more: object = {}) => ({ name, type: 'integer', ...more })
    expect(wrong([{}, {}], { inputs: [input('a', { default: 1.5 })] })).toEqual([
      expect.stringContaining('the default is not a whole number'),
    ])
    expect(wrong([{}, {}], { inputs: [input('a', { default: 0 }), input('b'), input('a')] })).toEqual([
      expect.stringContaining('an input of this name stands before'),
    ])
    expect(wrong([{ id: 'a' }, { id: 'b' }, { id: 'a' }])).toEqual([
      expect.stringContaining('of this id stands before'),
    ])
    expect(wrong([{ runner: 'skill', skill: 'p:s@1.0.0' }, {}], { primary: 'skill' })).toContainEqual(
      expect.stringContaining('"skill" is no agent'),
    )
  })
})

describe('rule.closedFormat: the bounds of each field', () => {
  const valid = (change: (chain: Record<string, any>) => void): boolean => {
    const chain = structuredClone(chainOf([{}, {}])) as Record<string, any>
    change(chain)
    return chainSchema.safeParse(chain).success
  }
  const long = (length: number) => 'a'.repeat(length)
  const gate = (more: object) => (chain: Record<string, any>) => {
    chain.steps[0].gates = [{ on_fail: 'warn', ...more }]
  }
  test.each<[string, (chain: Record<string, any>) => void, (chain: Record<string, any>) => void]>([
    ['a name', c => (c.name = long(64)), c => (c.name = long(65))],
    ['a name of small letters', c => (c.name = 'a-1'), c => (c.name = 'A')],
    ['a name that begins with a letter', c => (c.name = 'a1'), c => (c.name = '1a')],
    ['an id', c => (c.steps[0].id = long(64)), c => (c.steps[0].id = long(65))],
    ['an id’s characters', c => (c.steps[0].id = '_A-1'), c => (c.steps[0].id = '-a')],
    ['an id with underscores', c => (c.steps[0].id = '_a'), c => (c.steps[0].id = '__a')],
    ['a version', c => (c.version = '1.2.3-b.1'), c => (c.version = 'v1.2.3')],
    ['a version to its end', c => (c.version = '10.20.30'), c => (c.version = '1.2.3.4')],
    ['retry', c => (c.steps[0].retry = 10), c => (c.steps[0].retry = 11)],
    ['no retry', c => (c.steps[0].retry = 0), c => (c.steps[0].retry = -1)],
    ['whole retries', c => (c.steps[0].retry = 1), c => (c.steps[0].retry = 1.5)],
    ['a budget', c => (c.budget = { max_model_calls: 1 }), c => (c.budget = { max_model_calls: 0 })],
    ['steps', c => c.steps.pop(), c => (c.steps = [])],
    ['of', c => (c.steps[0].of = ['a']), c => (c.steps[0].of = [])],
    [
      'fields',
      c => (c.steps[0].verification = { fields: ['a'] }),
      c => (c.steps[0].verification = { fields: [] }),
    ],
    ['a timeout', c => (c.steps[0].timeout = '1s'), c => (c.steps[0].timeout = '1')],
    ['run_if', c => (c.steps[0].run_if = false), c => (c.steps[0].run_if = '')],
    [
      'an exit code',
      gate({ type: 'bash_exit_code', script: 'a', expect: 255 }),
      gate({ type: 'bash_exit_code', script: 'a', expect: 256 }),
    ],
    [
      'exit 0',
      gate({ type: 'bash_exit_code', script: 'a', expect: 0 }),
      gate({ type: 'bash_exit_code', script: 'a', expect: -1 }),
    ],
    ['argv', gate({ type: 'bash_exit_code', argv: ['a'] }), gate({ type: 'bash_exit_code', argv: [] })],
    [
      'a variable',
      gate({ type: 'bash_exit_code', script: 'a', env: { A_1: '' } }),
      gate({ type: 'bash_exit_code', script: 'a', env: { '1A': '' } }),
    ],
    [
      'a variable’s characters',
      gate({ type: 'bash_exit_code', script: 'a', env: { _a: '' } }),
      gate({ type: 'bash_exit_code', script: 'a', env: { 'A-B': '' } }),
    ],
    [
      'a status',
      gate({ type: 'http_status', url: 'x', expect: 599 }),
      gate({ type: 'http_status', url: 'x', expect: 600 }),
    ],
    [
      'the least status',
      gate({ type: 'http_status', url: 'x', expect: [100] }),
      gate({ type: 'http_status', url: 'x', expect: [99] }),
    ],
    [
      'some status',
      gate({ type: 'http_status', url: 'x', expect: [200] }),
      gate({ type: 'http_status', url: 'x', expect: [] }),
    ],
    [
      'a method',
      gate({ type: 'http_status', url: 'x', method: 'HEAD' }),
      gate({ type: 'http_status', url: 'x', method: 'POST' }),
    ],
    [
      'a shell',
      gate({ type: 'bash_exit_code', script: 'a', shell: 'sh' }),
      gate({ type: 'bash_exit_code', script: 'a', shell: 'zsh' }),
    ],
    ['a path', gate({ type: 'file_exists', path: 'a' }), gate({ type: 'file_exists', path: '' })],
    [
      'a gate’s own policy',
      gate({ type: 'file_exists', path: 'a', on_fail: 'halt' }),
      gate({ type: 'file_exists', path: 'a', on_fail: undefined }),
    ],
  ])('%s', (_, within, outside) => {
    expect([valid(within), valid(outside)]).toEqual([true, false])
  })
})

describe('rule.templatesChecked: where a template is filled, and which steps it may name', () => {
  const A = '{{ steps.s1.output }}'
  const gate = (more: object) => ({ gates: [{ on_fail: 'warn', ...more }] })
  const FILLED: [string, object][] = [
    ['instruction', { instruction: A }],
    ['input', { input: { a: [A] } }],
    ['isolation.base', { isolation: { type: 'worktree', base: A } }],
    ['file_exists', gate({ type: 'file_exists', path: A })],
    ['file_contains', gate({ type: 'file_contains', path: A, text: A })],
    ['bash_exit_code', gate({ type: 'bash_exit_code', script: 'x', args: [A], env: { A } })],
    ['argv', gate({ type: 'bash_exit_code', argv: ['a', A] })],
    ['http_status', gate({ type: 'http_status', url: `http://localhost/${A}` })],
    ['json_schema', gate({ type: 'json_schema', schema_file: A, value: A })],
    ['json_schema path', gate({ type: 'json_schema', schema: true, path: A })],
    ['skill', gate({ type: 'skill', skill: 'p:s@1.0.0', input: { a: A } })],
    ['ai_cross_check', gate({ type: 'ai_cross_check', instruction: A, input: { a: A } })],
    ['mcp_call', gate({ type: 'mcp_call', server: 's', tool: 't', arguments: { a: A }, contains: A })],
    ['run_if', { run_if: `${A} == 1` }],
  ]
  test.each(FILLED)('%s', (_, step) => {
    expect(wrong([{}, step])).toEqual([])
    const later = JSON.parse(JSON.stringify(step).replaceAll('steps.s1', 'steps.s3'))
    expect(wrong([{}, later, {}])).toContainEqual(expect.stringContaining('step "s3" has no output yet'))
    const own = JSON.parse(JSON.stringify(step).replaceAll('steps.s1', 'steps.s2'))
    const isGate = 'gates' in step
    expect(wrong([{}, own])).toEqual(isGate ? [] : expect.arrayContaining([expect.stringContaining('yet')]))
  })

  test.each<[string, object]>([
    ['description', { description: A }],
    ['timeout', { needs: [A] }],
    ['a gate’s name', gate({ type: 'file_exists', path: 'x', name: A })],
    [
      'pattern',
      gate({ type: 'file_contains', path: 'x', pattern: `a${A.replaceAll(/[{}]/g, '\\$&')}|${A}` }),
    ],
    ['server', gate({ type: 'mcp_call', server: A, tool: 't' })],
    ['tool', gate({ type: 'mcp_call', server: 's', tool: A })],
    ['schema', gate({ type: 'json_schema', schema: { const: A } })],
    ['output_schema', { output_schema: { type: 'json', schema: { const: A } } }],
  ])('not in %s', (_, step) => {
    expect(wrong([{}, step]).length).toBeGreaterThan(0)
  })

  test('outputs may name every step and every input', () => {
    const inputs = [{ name: 'topic', type: 'string' }]
    const outputs = { a: ['{{ steps.s2.output }}', '{{ inputs.topic }}'] }
    expect(wrong([{}, {}], { inputs, outputs })).toEqual([])
    expect(wrong([{}, {}], { outputs })).toEqual(['unknown input "topic" in a template (inputs: none)'])
    expect(wrong([{}, {}], { inputs, outputs: { a: '{{ steps.zzzzz.output }}' } })).toEqual([
      'unknown step "zzzzz" in a template (steps: s1, s2)',
    ])
    expect(wrong([{}, { run_if: '1 == ' }])).toEqual([
      expect.stringMatching(/ends too soon \(character \d+\) \(templates, texts/),
    ])
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
  expect(projectRootOf('/no/such/folder')).toBe('/no/such/folder')
})
