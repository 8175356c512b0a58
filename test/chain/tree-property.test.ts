import fc from 'fast-check'
import { expect, test } from 'vitest'
import { placeIn } from '../support/coord.ts'
import { at } from '../support/record-builder.ts'
import { inTempFolder } from '../support/temp-folder.ts'
import { type Form, formOf, nodesOf } from '../support/tree.ts'
import { treeInProcess } from '../support/tree-in-process.ts'

interface Join {
  session: string
  parent: string
  second: number
}

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g')
const joins = fc.array(fc.record({ session: id, parent: id, second: fc.integer({ min: 1, max: 3 }) }), {
  maxLength: 14,
})
const starts = fc.uniqueArray(id)

/** What the rules say, computed the slow and plain way: from every session up, one step at a time. */
function byHand(all: Join[], started: string[]) {
  const parentOf = new Map<string, string>()
  const latest = new Map<string, number>()
  // Of joins in one second the later written has the later file name.
  for (const { session, parent, second } of all) {
    if (second >= (latest.get(session) ?? 0)) {
      latest.set(session, second)
      parentOf.set(session, parent)
    }
  }
  const here = new Set([...started, ...parentOf.keys()])
  const everyone = new Set([...here, ...parentOf.values()])
  const isInCycle = (session: string): boolean => {
    let above = parentOf.get(session)
    for (let steps = 0; above !== undefined && steps <= everyone.size; steps++) {
      if (above === session) return true
      above = parentOf.get(above)
    }
    return false
  }
  const members = [...everyone].filter(isInCycle)
  const cycles = new Set(
    members.map(member => {
      const cycle = [member]
      for (let next = parentOf.get(member); next !== member; next = parentOf.get(next as string)) {
        cycle.push(next as string)
      }
      return cycle.sort().join()
    }),
  )
  const below = (parent: string): Form[] =>
    [...everyone]
      .filter(session => parentOf.get(session) === parent && !members.includes(session))
      .sort()
      .map(session => [session, below(session)])
  const roots = [...everyone]
    .filter(session => !members.includes(session))
    .filter(session => {
      const parent = parentOf.get(session)
      return parent === undefined || members.includes(parent)
    })
    .sort()
  const role = (session: string) => (parentOf.has(session) ? 'lead' : here.has(session) ? 'top' : 'boundary')
  return {
    cycles: [...cycles].sort(),
    forms: roots.map((root): Form => [root, below(root)]),
    roles: Object.fromEntries([...everyone].filter(s => !members.includes(s)).map(s => [s, role(s)])),
    members,
  }
}

test('rule.treeFromEntries, rule.joinRefusals: any joins give a tree that ends, each session once, each cycle once', async () => {
  await fc.assert(
    fc.asyncProperty(joins, starts, async (all, started) => {
      await inTempFolder(async folder => {
        const here = placeIn(folder)
        for (const session of started) here.record.start(session, at(0))
        for (const { session, parent, second } of all) here.record.chain(session, parent, 'part', at(second))
        const tree = await treeInProcess(here)
        const expected = byHand(all, started)
        const nodes = nodesOf(tree.chains)
        const ids = nodes.map(node => node.sessionId)
        expect(new Set(ids).size).toBe(ids.length)
        expect(ids.filter(session => expected.members.includes(session))).toEqual([])
        expect(tree.cycles.map(cycle => [...cycle].sort().join()).sort()).toEqual(expected.cycles)
        expect(formOf(tree.chains)).toEqual(expected.forms)
        expect(Object.fromEntries(nodes.map(node => [node.sessionId, node.role]))).toEqual(expected.roles)
      })
    }),
    { numRuns: 40, interruptAfterTimeLimit: 45_000 },
  )
})
