import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findCycles } from '../../src/chain/cycles.ts'
import { rootsOf, shardCount, shardOf } from '../../src/chain/projection.ts'

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h')
const anyParents = fc
  .array(fc.tuple(id, fc.option(id, { nil: null })), { maxLength: 10 })
  .map(pairs => new Map<string, string | null>(pairs))

/** Where the parents of a session lead: all that is met on the way, ending before the first that is met again. */
function wayUp(parents: ReadonlyMap<string, string | null>, from: string): string[] {
  const way: string[] = []
  for (let at: string | null | undefined = from; at != null && !way.includes(at); at = parents.get(at))
    way.push(at)
  return way
}

const isInCycle = (parents: ReadonlyMap<string, string | null>, one: string) => {
  const last = wayUp(parents, one).at(-1) as string
  return parents.get(last) === one
}

describe('rule.joinRefusals: cycles', () => {
  it('each is named once, from its smallest id along the parents, in the order of their ids', () => {
    fc.assert(
      fc.property(anyParents, parents => {
        const members = [...parents.keys()].filter(one => isInCycle(parents, one))
        const smallest = members.filter(one => wayUp(parents, one).every(other => one <= other)).sort()
        expect(findCycles(parents)).toEqual(smallest.map(one => wayUp(parents, one)))
      }),
    )
  })
})

describe('ruling 3: the root of every session', () => {
  it('is the end of its parents, and of all that leads into a cycle its smallest id', () => {
    fc.assert(
      fc.property(anyParents, parents => {
        const roots = rootsOf(parents, findCycles(parents))
        const everyone = new Set([...parents.keys(), ...[...parents.values()].filter(one => one !== null)])
        expect(new Set(roots.keys())).toEqual(everyone)
        for (const one of everyone) {
          const cycle = wayUp(parents, one).filter(other => isInCycle(parents, other))
          expect(roots.get(one), one).toBe(cycle.sort()[0] ?? wayUp(parents, one).at(-1))
        }
      }),
    )
  })

  it('is found for a line of many thousands, from either end', () => {
    const line = Array.from({ length: 50_000 }, (_, number): [string, string] => [
      `s${number}`,
      `s${number + 1}`,
    ])
    for (const parents of [new Map(line), new Map(line.toReversed())]) {
      expect(findCycles(parents)).toEqual([])
      expect(new Set(rootsOf(parents, []).values())).toEqual(new Set(['s50000']))
    }
  })
})

describe('ruling 3: the map files', () => {
  it.each([
    [0, 1],
    [1, 1],
    [20_000, 1],
    [20_001, 2],
    [40_000, 2],
    [40_001, 3],
  ])('%i sessions need %i', (sessions, files) => expect(shardCount(sessions)).toBe(files))

  // Fixed values: a mod of one version reads what an indexer of another has published.
  it.each([
    ['', 7, 0],
    ['a', 1000, 97],
    ['ab', 10_000, 3105],
    ['ba', 10_000, 3135],
    ['6a6bf114-3c1f-4b52-9f65-0f3a2b1c4d5e', 1_000_003, 867_907],
  ])('%j lies, of %i files, in number %i', (sessionId, shards, file) => {
    expect(shardOf(sessionId, shards)).toBe(file)
  })

  it('every session lies in one of the files that there are', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 50 }), (sessionId, shards) => {
        const file = shardOf(sessionId, shards)
        expect(Number.isInteger(file) && file >= 0 && file < shards).toBe(true)
      }),
    )
  })
})
