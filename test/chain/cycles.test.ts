import { describe, expect, test } from 'vitest'
import { place } from '../support/coord.ts'
import { at } from '../support/record-builder.ts'
import { formOf, nodeOf, nodesOf } from '../support/tree.ts'
import { treeInProcess } from '../support/tree-in-process.ts'

/** Writes a record of joins: `{ a: 'b' }` is a session a that declared b its parent. */
function joined(parents: Record<string, string>, started: string[] = []) {
  const here = place()
  for (const session of started) here.record.start(session, at(0))
  for (const [session, parent] of Object.entries(parents)) here.record.chain(session, parent, 'part', at(1))
  return here
}

describe('rule.joinRefusals: the tree ends where the records hold a cycle, and flags it', () => {
  test('a session that is its own parent', async () => {
    const tree = await treeInProcess(joined({ a: 'a' }))
    expect(tree.cycles).toEqual([['a']])
    expect(tree.chains).toEqual([])
  })

  test('A under B and B under A', async () => {
    const tree = await treeInProcess(joined({ a: 'b', b: 'a' }))
    expect(tree.cycles.map(cycle => [...cycle].sort())).toEqual([['a', 'b']])
    expect(tree.chains).toEqual([])
  })

  test('a long one is listed once, each member once, in the order of its parents', async () => {
    const size = 40
    const tree = await treeInProcess(
      joined(Object.fromEntries(Array.from({ length: size }, (_, i) => [`s${i}`, `s${(i + 1) % size}`]))),
    )
    expect(tree.cycles).toHaveLength(1)
    const [cycle] = tree.cycles as [string[]]
    expect(new Set(cycle).size).toBe(size)
    const steps = cycle.map((id, i) => {
      const next = cycle[(i + 1) % size] as string
      return (Number(next.slice(1)) - Number(id.slice(1)) + size) % size
    })
    expect(new Set(steps).size, 'all steps in one direction').toBe(1)
    expect(new Set([1, size - 1])).toContain(steps[0])
  })

  test('two cycles are two', async () => {
    const tree = await treeInProcess(joined({ a: 'b', b: 'a', c: 'd', d: 'e', e: 'c' }))
    expect(tree.cycles.map(cycle => [...cycle].sort().join()).sort()).toEqual(['a,b', 'c,d,e'])
  })

  test('leads below a cycle are drawn, its members are not', async () => {
    const tree = await treeInProcess(joined({ a: 'b', b: 'a', lead: 'a', under: 'lead', other: 'b' }))
    expect(tree.cycles.map(cycle => [...cycle].sort())).toEqual([['a', 'b']])
    expect(formOf(tree.chains)).toEqual([
      ['lead', [['under', []]]],
      ['other', []],
    ])
    expect(nodeOf(tree, 'lead')).toMatchObject({ role: 'lead', parent: 'a' })
    expect(nodeOf(tree, 'under')).toMatchObject({ role: 'lead', parent: 'lead' })
  })

  test('a later join that leaves the cycle opens it', async () => {
    const here = joined({ a: 'b', b: 'a' }, ['top'])
    here.record.chain('b', 'top', 'part', at(5))
    const tree = await treeInProcess(here)
    expect(tree.cycles).toEqual([])
    expect(formOf(tree.chains)).toEqual([['top', [['b', [['a', []]]]]]])
  })

  test('a later join can close one', async () => {
    const here = joined({ a: 'top' }, ['top'])
    expect((await treeInProcess(here)).cycles).toEqual([])
    here.record.chain('top', 'a', 'part', at(5))
    const tree = await treeInProcess(here)
    expect(tree.cycles.map(cycle => [...cycle].sort())).toEqual([['a', 'top']])
    expect(nodesOf(tree.chains)).toEqual([])
  })

  test('chains beside a cycle are drawn as ever', async () => {
    const tree = await treeInProcess(joined({ a: 'a', lead: 'top' }, ['top']))
    expect(formOf(tree.chains)).toEqual([['top', [['lead', []]]]])
  })

  test('the text names the members of the cycle', async () => {
    const outcome = await joined({ first: 'second', second: 'first' }).run('tree')
    expect(outcome.code).toBe(0)
    expect(outcome.stdout).toMatch(/cycle/i)
    expect(outcome.stdout).toContain('first')
    expect(outcome.stdout).toContain('second')
  })

  test('--session of a member answers with its cycle', async () => {
    const here = joined({ a: 'b', b: 'a', x: 'x' })
    const tree = await treeInProcess(here, 'a')
    expect(tree.cycles.map(cycle => [...cycle].sort())).toEqual([['a', 'b']])
  })

  test('the relations know of cycles too: sessions and chain answer in full', async () => {
    const here = joined({ a: 'b', b: 'a', c: 'a' })
    const sessions = (await here.run('query', 'sessions', '--json')).json().rows
    expect(sessions.map((row: { session_id: string }) => row.session_id).sort()).toEqual(['a', 'b', 'c'])
    expect((await here.run('query', 'chain', '--json')).json().rows).toHaveLength(3)
  })
})
