import type { Database } from '../database/sqlite.ts'
import { Problem } from '../problem.ts'
import { type ChainNode, type ChainTree, chainTree } from './chain/chain-tree.ts'
import { rootsOf } from './chain/projection.ts'
import type { SessionFacts } from './chain/session-facts.ts'
import { parseStoredFacts } from './stored-facts.ts'
import { readUnknownEvidence } from './unknown-evidence.ts'

/**
 * The chains of the index: every one, or the one that a session belongs to.
 *
 * @throws Problem `not-found` where the record holds no entry of the session and names it nowhere as a parent
 */
export function readChains(db: Database, sessionId?: string): ChainTree {
  const facts = readFacts(db)
  const unknown = readUnknownEvidence(db)
  const tree = chainTree(facts, unknown)
  if (sessionId === undefined) return tree
  const parents = new Map(facts.map(one => [one.sessionId, one.join?.parent ?? null]))
  const roots = rootsOf(parents, tree.cycles)
  const root = roots.get(sessionId)
  if (root === undefined) throw notFound(sessionId, [...parents.keys()])
  const isOfChain = (one: SessionFacts) => roots.get(one.sessionId) === root
  return chainTree(facts.filter(isOfChain), unknown)
}

/** Whether a tree is one session that joined nobody and that nobody joined. */
export function standsAlone(node: ChainNode): boolean {
  return node.role === 'top' && node.children.length === 0
}

function readFacts(db: Database): SessionFacts[] {
  const rows = db.prepare('select facts from session order by session_id').pluck().all() as string[]
  return rows.map(parseStoredFacts)
}

function notFound(sessionId: string, known: string[]): Problem {
  const longer = sessionId === '' ? [] : known.filter(id => id.startsWith(sessionId))
  const hint =
    longer.length === 0
      ? 'coord query sessions lists the sessions of this record'
      : `a shortened id is no address; in full: ${longer.slice(0, 5).join(', ')}${longer.length > 5 ? ', …' : ''}`
  return new Problem('not-found', `no session ${sessionId} in this record`, { hint })
}
