import { describe, expect, test } from 'vitest'
import { checkChain } from '../../../src/runner/spec/read-chain.ts'
import { chainOf } from '../support/bench.ts'

/** What is wrong with a chain of these steps, one text for each mistake. */
function wrong(steps: object[], more: object = {}): string[] {
  const checked = checkChain(JSON.stringify(chainOf(steps, more)))
  return 'chain' in checked ? [] : checked.mistakes.map(({ message, hint }) => `${message} (${hint ?? ''})`)
}

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
      expect.stringMatching(/ends too soon \(character 6\) \(templates, texts/),
    ])
  })
})
