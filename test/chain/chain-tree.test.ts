import { describe, expect, it } from 'vitest'
import { type ChainNode, chainTree, type UnknownEvidence } from '../../src/chain/chain-tree.ts'
import type { LoadNumbers } from '../../src/chain/load-numbers.ts'
import type { Join, SessionFacts } from '../../src/chain/session-facts.ts'
import { at } from '../support/record-builder.ts'

interface Given {
  firstHeard?: string
  coveredFrom?: string | null
  join?: Partial<Join>
  isGapSinceJoin?: boolean
  loads?: LoadNumbers[] | null
}

function session(
  sessionId: string,
  { firstHeard = at(0), coveredFrom = at(0), join, isGapSinceJoin = false, loads = [] }: Given = {},
): SessionFacts {
  return {
    sessionId,
    firstHeard,
    lastHeard: at(100),
    newestName: 'n.json',
    entries: 1,
    cwd: '/',
    coveredFrom,
    latestStart: null,
    join: join
      ? {
          at: at(10),
          name: 'j.json',
          parent: 'top',
          part: `part of ${sessionId}`,
          brief: null,
          noticeSeen: false,
          sentToParent: false,
          sentToUnknown: false,
          ...join,
        }
      : null,
    isGapSinceJoin,
    notWritten: [],
    loads,
  }
}

const lead = (id: string, parent: string, second = 10) => session(id, { join: { parent, at: at(second) } })
const ids = (nodes: ChainNode[]) => nodes.map(({ sessionId }) => sessionId)

describe('the order of what stands side by side', () => {
  it('roots follow each other by when they were first heard, then by id', () => {
    const { chains } = chainTree([
      session('b', { firstHeard: at(5) }),
      session('c', { firstHeard: at(2) }),
      session('a', { firstHeard: at(5) }),
      session('z', { firstHeard: at(1) }),
    ])
    expect(ids(chains)).toEqual(['z', 'c', 'a', 'b'])
  })

  it('a boundary stands where its earliest lead joined', () => {
    const { chains } = chainTree([
      session('before', { firstHeard: at(19) }),
      lead('late', 'away', 40),
      lead('early', 'away', 20),
      lead('middle', 'away', 30),
      session('after', { firstHeard: at(21) }),
    ])
    expect(ids(chains)).toEqual(['before', 'away', 'after'])
  })

  it('leads follow each other by their join, then by id, on every level', () => {
    const { chains } = chainTree([
      lead('c', 'top', 30),
      lead('b', 'top', 20),
      lead('a', 'top', 30),
      session('top'),
      lead('b2', 'b', 50),
      lead('b1', 'b', 40),
    ])
    expect(ids((chains[0] as ChainNode).children)).toEqual(['b', 'a', 'c'])
    expect(chains[0]?.children[0]?.children.map(({ sessionId }) => sessionId)).toEqual(['b1', 'b2'])
  })
})

describe('depth and notices', () => {
  it('rule.depthIsShown: each lead below a lead has one notice with id, part, parent and depth, from above', () => {
    const tree = chainTree([
      session('top'),
      lead('x', 'top', 10),
      lead('y', 'top', 11),
      lead('under-y', 'y', 12),
      lead('under-x', 'x', 13),
      lead('deepest', 'under-x', 14),
    ])
    expect(tree.notices).toEqual([
      'the chain has grown a level: under-x (part of under-x) joined under the lead x, at depth 2',
      'the chain has grown a level: deepest (part of deepest) joined under the lead under-x, at depth 3',
      'the chain has grown a level: under-y (part of under-y) joined under the lead y, at depth 2',
    ])
  })

  it('notices of several chains follow each other as their roots do', () => {
    const late = [session('late', { firstHeard: at(2) }), lead('l1', 'late'), lead('l2', 'l1')]
    const early = [session('early', { firstHeard: at(1) }), lead('e1', 'early'), lead('e2', 'e1')]
    const { notices } = chainTree([...late, ...early])
    expect(notices.map(notice => /: (\S+)/.exec(notice)?.[1])).toEqual(['e2', 'l2'])
  })

  it('a lead of a top or of a boundary has no notice', () => {
    expect(chainTree([session('top'), lead('a', 'top'), lead('b', 'away')]).notices).toEqual([])
  })

  it('a lead below a cycle is at depth 1, those below it deeper; cycles are named last, each round', () => {
    const tree = chainTree([
      lead('a', 'b'),
      lead('b', 'a'),
      lead('c', 'c'),
      lead('out', 'b'),
      lead('below', 'out'),
    ])
    const [out] = tree.chains as [ChainNode]
    expect(tree.chains).toHaveLength(1)
    expect(out).toMatchObject({ sessionId: 'out', role: 'lead', depth: 1, parent: 'b' })
    expect(out.children).toMatchObject([{ sessionId: 'below', depth: 2 }])
    expect(tree.cycles).toEqual([['a', 'b'], ['c']])
    expect(tree.notices).toEqual([
      'the chain has grown a level: out (part of out) joined under the lead b, at depth 1',
      'the chain has grown a level: below (part of below) joined under the lead out, at depth 2',
      'a cycle, not drawn: a is under b is under a',
      'a cycle, not drawn: c is under c',
    ])
  })

  it('a chain deeper than the call stack is measured to its end', () => {
    const size = 30_000
    const name = (number: number) => `s${String(number).padStart(6, '0')}`
    const all = Array.from({ length: size }, (_, number) =>
      number === 0 ? session(name(0)) : lead(name(number), name(number - 1)),
    )
    let node = chainTree(all).chains[0] as ChainNode
    let steps = 0
    for (; node.children[0]; node = node.children[0]) steps += 1
    expect([steps, node.depth]).toEqual([size - 1, size - 1])
  })
})

describe('what a node holds', () => {
  it('a lead: its join; a top: none of it', () => {
    const tree = chainTree([
      session('top'),
      session('lead', { join: { part: 'the part', brief: 'brief.md', at: at(7) } }),
    ])
    const nothing = { part: null, brief: null, parent: null, joinedAt: null, sentParentSinceJoin: null }
    expect(tree.chains).toMatchObject([
      { sessionId: 'top', role: 'top', lastHeard: at(100), depth: 0, ...nothing },
    ])
    expect(tree.chains[0]?.children).toEqual([
      {
        sessionId: 'lead',
        role: 'lead',
        part: 'the part',
        brief: 'brief.md',
        parent: 'top',
        joinedAt: at(7),
        lastHeard: at(100),
        sentParentSinceJoin: 'no',
        depth: 1,
        children: [],
      },
    ])
  })

  it('one boundary holds all leads that name it', () => {
    const { chains } = chainTree([lead('a', 'away', 1), lead('b', 'away', 2)])
    expect(chains).toMatchObject([{ sessionId: 'away', role: 'boundary', depth: 0 }])
    expect(ids((chains[0] as ChainNode).children)).toEqual(['a', 'b'])
  })
})

describe('rule.chainCommand: yes, no or unknown', () => {
  const mark = (given: Given, unknown: UnknownEvidence[] = []) =>
    chainTree([session('top'), session('lead', given)], unknown).chains[0]?.children[0]?.sentParentSinceJoin
  const evidence = (at: string | null, sessionId = 'lead', name = 'x.json') => ({
    ...{ sessionId, at, file: `${sessionId}/${name}` },
  })

  it.each<[string, Given, UnknownEvidence[], string]>([
    ['nothing sent, covered from before', { join: {} }, [], 'no'],
    ['covered from the millisecond of the join', { coveredFrom: at(10), join: {} }, [], 'no'],
    ['covered from later on', { coveredFrom: at(10.001), join: {} }, [], 'unknown'],
    ['never covered', { coveredFrom: null, join: {} }, [], 'unknown'],
    ['only the notice sent', { join: { noticeSeen: true } }, [], 'no'],
    ['sent', { join: { sentToParent: true } }, [], 'yes'],
    [
      'sent, and all that could hide one',
      { coveredFrom: null, join: { sentToParent: true, sentToUnknown: true } },
      [evidence(null)],
      'yes',
    ],
    ['sent to nobody known', { join: { sentToUnknown: true } }, [], 'unknown'],
    ['an unreadable file of an unknown time', { join: {} }, [evidence(null)], 'unknown'],
    ['one of the millisecond of the join', { join: {} }, [evidence(at(10))], 'unknown'],
    ['one that is older', { join: {} }, [evidence(at(9.999))], 'no'],
    ['one that is older, then one that is not', { join: {} }, [evidence(at(9)), evidence(at(11))], 'unknown'],
    ['one that is not older, then one that is', { join: {} }, [evidence(at(11)), evidence(at(9))], 'unknown'],
    ['one of another session', { join: {} }, [evidence(null, 'top')], 'no'],
  ])('%s', (_, given, unknown, expected) => {
    expect(mark(given, unknown)).toBe(expected)
  })
})
