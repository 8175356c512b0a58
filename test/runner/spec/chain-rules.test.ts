import { describe, expect, test } from 'vitest'
import { chainSchema } from '../../../src/runner/spec/chain-schema.ts'
import { checkChain } from '../../../src/runner/spec/read-chain.ts'
import { chainOf } from '../support/bench.ts'

/** What is wrong with a chain of these steps, one text for each mistake. */
function wrong(steps: object[], more: object = {}): string[] {
  const checked = checkChain(JSON.stringify(chainOf(steps, more)))
  return 'chain' in checked ? [] : checked.mistakes.map(({ message, hint }) => `${message} (${hint ?? ''})`)
}
const withGate = (gate: object) => wrong([{ gates: [{ on_fail: 'warn', ...gate }] }])

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

  test('what is missing is told with what it is missing in', () => {
    expect(withGate({ type: 'file_exists', path: 'x', on_fail: undefined })).toEqual([
      '"on_fail" is missing in "steps.0.gates.0" ()',
    ])
    expect(wrong([{}, {}], { name: undefined })).toEqual(['"name" is missing ()'])
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

  test.each<[string, unknown, boolean]>([
    ['integer', false, false],
    ['integer', '', false],
    ['integer', 0, true],
    ['string', false, false],
    ['string', 0, false],
    ['string', '', true],
    ['boolean', '', false],
    ['boolean', 0, false],
    ['boolean', false, true],
    ['list', '', false],
    ['list', false, false],
    ['list', [], true],
    ['path', 0, false],
    ['number', '', false],
  ])('a default of an input of type %s: %j fits: %s', (type, value, fits) => {
    const inputs = [
      { name: 'first', type: 'string', default: 'x' },
      { name: 'a', type, default: value },
    ]
    const told = wrong([{}, {}], { inputs })
    expect(told).toEqual(fits ? [] : [expect.stringMatching(/^the default is/)])
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
  const valid = (path: string, value: unknown): boolean => {
    const chain = structuredClone(chainOf([{}, {}]))
    const fields = path.split('.')
    const last = fields.pop() as string
    let at = chain as Record<string, unknown>
    for (const field of fields) at = at[field] as Record<string, unknown>
    at[last] = value
    return chainSchema.safeParse(chain).success
  }
  const long = (length: number) => 'a'.repeat(length)
  const gate = (more: object) => [{ on_fail: 'warn', ...more }]
  const command = (more: object) => gate({ type: 'bash_exit_code', script: 'a', ...more })
  const http = (more: object) => gate({ type: 'http_status', url: 'x', ...more })
  const file = (more: object) => gate({ type: 'file_exists', path: 'a', ...more })
  test.each<[string, unknown, unknown]>([
    ['name', long(64), long(65)],
    ['name', 'a-1', 'A'],
    ['name', 'a1', '1a'],
    ['primary', 'my-agent', 'My agent'],
    ['description', 'x', ''],
    ['version', '1.2.3-b.1', 'v1.2.3'],
    ['version', '10.20.30', '1.2.3.4'],
    ['version', '1.2.3+x', '1.2'],
    ['steps.0.id', long(64), long(65)],
    ['steps.0.id', '_A-1', '-a'],
    ['steps.0.id', '_a', '__a'],
    ['steps.0.id', 'a', ''],
    ['steps.0.retry', 10, 11],
    ['steps.0.retry', 0, -1],
    ['steps.0.retry', 1, 1.5],
    ['budget', { max_model_calls: 1 }, { max_model_calls: 0 }],
    ['steps', [{ id: 'a' }], []],
    ['steps.0.of', ['a'], []],
    ['steps.0.verification', { fields: ['a'] }, { fields: [] }],
    ['steps.0.timeout', '1s', '1'],
    ['steps.0.run_if', false, ''],
    ['steps.0.gates', command({ expect: 255 }), command({ expect: 256 })],
    ['steps.0.gates', command({ expect: 0 }), command({ expect: -1 })],
    ['steps.0.gates', command({ argv: ['a'] }), command({ argv: [] })],
    ['steps.0.gates', command({ env: { A_1: '' } }), command({ env: { '1A': '' } })],
    ['steps.0.gates', command({ env: { _a: '' } }), command({ env: { 'A-B': '' } })],
    ['steps.0.gates', command({ shell: 'sh' }), command({ shell: 'zsh' })],
    ['steps.0.gates', http({ expect: 599 }), http({ expect: 600 })],
    ['steps.0.gates', http({ expect: [100] }), http({ expect: [99] })],
    ['steps.0.gates', http({ expect: [200] }), http({ expect: [] })],
    ['steps.0.gates', http({ method: 'HEAD' }), http({ method: 'POST' })],
    ['steps.0.gates', file({}), file({ path: '' })],
    ['steps.0.gates', file({ on_fail: 'halt' }), file({ on_fail: undefined })],
  ])('%s: %j and not %j', (path, within, outside) => {
    expect([valid(path, within), valid(path, outside)]).toEqual([true, false])
  })
})
