import { expect, test } from 'vitest'
import { graphLines, graphOf, mermaidOf } from '../../../src/runner/graph/chain-graph.ts'
import type { Chain } from '../../../src/runner/spec/chain-schema.ts'
import { chainOf } from '../support/bench.ts'

const chain = chainOf([
  {},
  { runner: 'skill', skill: 'p:s@1.0.0', run_if: '1 == "x"', needs: ['s1'], isolation: { type: 'worktree' } },
  {
    ...{ input: { a: '{{ steps.s2.output }}' }, on_failure: 'continue', verification: {} },
    gates: [
      { type: 'file_exists', path: 'x', on_fail: 'warn' },
      { type: 'file_exists', path: 'x', on_fail: 'halt', name: 'there' },
    ],
  },
  { kind: 'cross_check', of: ['steps.s1', 'steps.s3'], on_failure: 'halt' },
]) as Chain

test('rule.chainCommands: the graph of a chain', () => {
  expect(graphOf(chain)).toEqual({
    nodes: [
      { id: 's1', kind: 'step', runs: 'claude', notes: [] },
      { id: 's2', kind: 'step', runs: 'p:s@1.0.0', notes: ['if 1 == "x"', 'worktree'] },
      {
        ...{ id: 's3', kind: 'step', runs: 'claude' },
        notes: [
          ...['gate file_exists, else warn', 'gate there, else halt', 'verified by another family'],
          'on failure continue',
        ],
      },
      { id: 's4', kind: 'cross_check', runs: 'another family', notes: [] },
    ],
    edges: [
      { from: 's1', to: 's2', reads: false },
      { from: 's2', to: 's3', reads: true },
      { from: 's1', to: 's4', reads: true },
      { from: 's3', to: 's4', reads: true },
    ],
  })
})

test('rule.chainCommands: for Mermaid, with nothing in it that Mermaid would take for its own', () => {
  const lines = mermaidOf(graphOf(chain)).split('\n')
  expect(lines[0]).toBe('flowchart TD')
  expect(lines[1]).toBe('  s0["s1<br/>claude"]')
  expect(lines[2]).toBe('  s1["s2<br/>p:s@1.0.0<br/>if 1 == #34;x#34;<br/>worktree"]')
  expect(lines[4]).toBe('  s3{{"s4<br/>another family"}}')
  expect(lines.slice(5)).toEqual(['  s0 -.-> s1', '  s1 --> s2', '  s0 --> s3', '  s2 --> s3', ''])
  const odd = { nodes: [{ id: 'é<"\u{1f600}&;#`', kind: 'step' as const, runs: '', notes: [] }], edges: [] }
  expect(mermaidOf(odd)).toContain('"#233;#60;#34;#128512;#38;#59;#35;#96;<br/>"')
})

test('rule.chainCommands: as lines', () => {
  expect(graphLines(graphOf(chain))).toEqual([
    ...['● s1  claude', '│', '● s2  p:s@1.0.0  after s1', '│   if 1 == "x"', '│   worktree', '│'],
    ...['● s3  claude  after s2', '│   gate file_exists, else warn', '│   gate there, else halt'],
    ...[
      '│   verified by another family',
      '│   on failure continue',
      '│',
      '◇ s4  another family  after s1, s3',
    ],
  ])
})
