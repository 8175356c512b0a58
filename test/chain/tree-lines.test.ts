import { describe, expect, it } from 'vitest'
import type { ChainNode } from '../../src/chain/chain-tree.ts'
import { treeLines } from '../../src/chain/tree-lines.ts'

const style = { show: (text: string) => `‹${text}›`, time: (at: string) => `T${at}` }

function node(sessionId: string, more: Partial<ChainNode> = {}, ...children: ChainNode[]): ChainNode {
  return {
    sessionId,
    role: 'top',
    part: null,
    brief: null,
    parent: null,
    joinedAt: null,
    lastHeard: '9',
    sentParentSinceJoin: null,
    depth: 0,
    children,
    ...more,
  }
}

const lead = (sessionId: string, depth: number, ...children: ChainNode[]) =>
  node(
    sessionId,
    { role: 'lead', part: `part ${sessionId}`, parent: 'p', sentParentSinceJoin: 'no', depth },
    ...children,
  )

describe('toolTree: a chain as lines', () => {
  it('draws every session under its parent, with a line to the next one beside it', () => {
    const tree = node('top', {}, lead('a', 1, lead('a1', 2), lead('a2', 2)), lead('b', 1, lead('b1', 2)))
    expect(treeLines(tree, style)).toEqual([
      'top ‹top›',
      '│  last heard T9',
      '├─ lead ‹a›  ‹part a›',
      '│  │  last heard T9; sent its parent a message since it joined: no',
      '│  ├─ lead ‹a1›  ‹part a1›',
      '│  │     last heard T9; sent its parent a message since it joined: no',
      '│  └─ lead ‹a2›  ‹part a2›',
      '│        last heard T9; sent its parent a message since it joined: no',
      '└─ lead ‹b›  ‹part b›',
      '   │  last heard T9; sent its parent a message since it joined: no',
      '   └─ lead ‹b1›  ‹part b1›',
      '         last heard T9; sent its parent a message since it joined: no',
    ])
  })

  it.each(['yes', 'no', 'unknown'] as const)('says the sent mark %s', mark => {
    const shown = treeLines(node('l', { role: 'lead', part: '', sentParentSinceJoin: mark }), style)
    expect(shown).toEqual([
      'lead ‹l›  ‹›',
      `   last heard T9; sent its parent a message since it joined: ${mark}`,
    ])
  })

  it('a boundary says that nothing of it could be read, and no time', () => {
    expect(treeLines(node('away', { role: 'boundary', lastHeard: null }, lead('a', 1)), style)).toEqual([
      'boundary ‹away›',
      '│  unresolved: no records of it could be read on this machine',
      '└─ lead ‹a›  ‹part a›',
      '      last heard T9; sent its parent a message since it joined: no',
    ])
  })

  it('a root that has a parent says whose it is, and that this one is in a cycle', () => {
    const shown = treeLines({ ...lead('out', 1, lead('below', 2)), parent: 'round' }, style)
    expect(shown[1]).toBe(
      '│  under ‹round›, which is in a cycle; last heard T9; sent its parent a message since it joined: no',
    )
    expect(shown.join('\n').match(/cycle/g)).toHaveLength(1)
  })

  it('deeper than 30 nothing is set further in, and the depth is said instead', () => {
    let tree = lead('end', 40)
    for (let depth = 39; depth > 0; depth--) tree = lead(`d${depth}`, depth, tree)
    const shown = treeLines(node('top', {}, tree), style)
    const lineOf = (id: string) => shown.find(line => line.includes(`‹${id}›`)) as string
    const stem = ' '.repeat(3 * 29)
    expect(lineOf('d30')).toBe(`${stem}└─ lead ‹d30›  ‹part d30›`)
    expect(lineOf('d31')).toBe(`${stem}   └─ (depth 31) lead ‹d31›  ‹part d31›`)
    expect(lineOf('end')).toBe(`${stem}   └─ (depth 40) lead ‹end›  ‹part end›`)
    expect(shown).toHaveLength(82)
  })

  it('a chain deeper than the call stack is drawn to its end', () => {
    let tree = lead('s0', 30_000)
    for (let depth = 29_999; depth > 0; depth--) tree = lead(`s${depth}`, depth, tree)
    expect(treeLines(tree, style)).toHaveLength(60_000)
  })
})
