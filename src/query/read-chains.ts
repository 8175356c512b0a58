import { type ChainNode, type ChainTree, chainTree, type UnknownEvidence } from '../chain/chain-tree.ts'
import { findCycles } from '../chain/cycles.ts'
import { rootsOf } from '../chain/projection.ts'
import type { SessionFacts } from '../chain/session-facts.ts'
import type { Database } from '../database/database.ts'
import { parseStoredFacts } from '../database/stored-facts.ts'
import { readUnknownEvidence } from '../database/unknown-evidence.ts'
import { Problem } from '../problem/problem.ts'

/**
 * The chains of the index: every one, or the one that a session belongs to.
 *
 * @throws Problem `not-found` where the record holds no entry of the session and names it nowhere as a parent
 */
export function readChains(db: Database, sessionId?: string): ChainTree {
  const facts = readFacts(db)
  const unknown = readUnknownEvidence(db)
  if (sessionId === undefined) return chainTree(facts, unknown)
  const parents = new Map(facts.map(one => [one.sessionId, one.join?.parent ?? null]))
  const roots = rootsOf(parents, findCycles(parents))
  const root = roots.get(sessionId)
  if (root === undefined) throw notFound(sessionId, [...parents.keys()], unknown)
  return chainTree(
    facts.filter(one => roots.get(one.sessionId) === root),
    unknown,
  )
}

/**
 * Refuses an id that was cut short: to the record it would be a session that it knows nothing of.
 *
 * @throws Problem `not-found`
 */
export function refuseShortenedId(db: Database, sessionId: string): void {
  const known = db.prepare('select session_id from session').pluck().all() as string[]
  const isShort =
    sessionId.length >= 4 && !known.includes(sessionId) && known.some(id => id.startsWith(sessionId))
  if (isShort) throw notFound(sessionId, known, [])
}

/** Whether a tree is one session that joined nobody and that nobody joined. */
export function standsAlone(node: ChainNode): boolean {
  return node.role === 'top' && node.children.length === 0
}

function readFacts(db: Database): SessionFacts[] {
  const rows = db.prepare('select facts from session order by session_id').pluck().all() as string[]
  return rows.map(parseStoredFacts)
}

function notFound(sessionId: string, known: string[], unknown: UnknownEvidence[]): Problem {
  const files = unknown.filter(one => one.sessionId === sessionId).length
  if (files > 0) {
    return new Problem(
      'not-found',
      `session ${sessionId} has ${files} files in this record, and none can be read`,
      {
        hint: `coord query unreadable "session_id = '${sessionId}'" says why`,
      },
    )
  }
  const longer = sessionId === '' ? [] : known.filter(id => id.startsWith(sessionId))
  const hint =
    longer.length === 0
      ? 'coord query sessions lists the sessions of this record'
      : `a shortened id is no address; in full: ${longer.slice(0, 5).join(', ')}${longer.length > 5 ? ', …' : ''}`
  return new Problem('not-found', `no session ${sessionId} in this record`, { hint })
}
