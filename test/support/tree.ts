import { expect } from 'vitest'
import type { Place } from './coord.ts'

/** A node of `coord tree --json`. */
export interface TreeNode {
  sessionId: string
  role: 'top' | 'lead' | 'boundary'
  part: string | null
  brief: string | null
  parent: string | null
  joinedAt: string | null
  lastHeard: string | null
  sentParentSinceJoin: 'yes' | 'no' | 'unknown' | null
  depth: number
  children: TreeNode[]
}

export interface Freshness {
  files: number
  entries: number
  unreadable: number
  indexedAt: string
  ageMs: number
}

/** The answer of `coord tree --json`. */
export interface Tree {
  freshness: Freshness
  chains: TreeNode[]
  cycles: string[][]
  notices: string[]
}

/** The answer to `coord tree --json` over a whole record. */
export async function treeOf(place: Place, ...args: string[]): Promise<Tree> {
  const outcome = await place.run('tree', '--json', ...args)
  expect(outcome.code, outcome.stderr).toBe(0)
  return outcome.json()
}

/** All nodes of a tree, from above. */
export function nodesOf(chains: TreeNode[]): TreeNode[] {
  return chains.flatMap(node => [node, ...nodesOf(node.children)])
}

/** The one node of a session; fails where it is not there exactly once. */
export function nodeOf(tree: { chains: TreeNode[] }, sessionId: string): TreeNode {
  const found = nodesOf(tree.chains).filter(node => node.sessionId === sessionId)
  expect(found, `${sessionId} in the tree`).toHaveLength(1)
  return found[0] as TreeNode
}

/** A tree's form alone: `[id, [children]]`, children in order of id. */
export type Form = [string, Form[]]

export function formOf(nodes: TreeNode[]): Form[] {
  return nodes
    .map((node): Form => [node.sessionId, formOf(node.children)])
    .sort(([a], [b]) => (a < b ? -1 : 1))
}
