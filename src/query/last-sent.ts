import type { ChainNode, ChainTree } from '../chain/chain-tree.ts'
import type { Database } from '../database/database.ts'
import { fromStored } from '../database/stored-text.ts'
import { isJoinNotice } from '../record/join-notice.ts'
import { FATE, FATE_EVIDENCE } from './fate.ts'

/** The last message that a lead sent its parent since it joined, and what became of it. */
export interface LastSent {
  at: string
  /** The entry's path below the record's folder. */
  file: string
  /** As in `coord query messages`; null without a scan. */
  fate: string | null
  fateEvidence: string | null
}

/** A node that says so; null of a session that joined nobody, or of which the record shows no such message. */
export type ToldNode = Omit<ChainNode, 'children'> & { lastSentParent: LastSent | null; children: ToldNode[] }
export type ToldTree = Omit<ChainTree, 'chains'> & { chains: ToldNode[] }

/**
 * The tree with what became of the last message that each lead sent its parent: queued is not read
 * (rule.deliveryResult). The notice that joining sends is none (rule.chainCommand).
 */
export function withLastSent(db: Database, tree: ChainTree): ToldTree {
  const sent = db.prepare(SENT)
  const tell = (node: ChainNode): ToldNode => {
    const { children: _, ...said } = node
    const last = node.sentParentSinceJoin === 'yes' ? lastOf(node, sent.iterate(node.sessionId)) : null
    return { ...said, lastSentParent: last, children: [] }
  }
  const chains: ToldNode[] = []
  // A list of its own, not recursion: a chain may be deeper than the call stack.
  const waiting = [{ nodes: tree.chains, told: chains }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    for (const node of next.nodes) {
      const one = tell(node)
      next.told.push(one)
      waiting.push({ nodes: node.children, told: one.children })
    }
  }
  return { ...tree, chains }
}

interface SentRow {
  file: string
  at: string
  text: string | null
  text_sha256: string
  fate: string | null
  fate_evidence: string | null
}

/** Queued messages to the parent since the join that counts, the latest first. */
const SENT = `select entry.session_id || '/' || entry.name as file, entry.at, t.text, entry.text_sha256,
    ${FATE} as fate, ${FATE_EVIDENCE} as fate_evidence
  from entry join session s on s.session_id = entry.session_id left join message_text t on t.entry_id = entry.id
  where entry.session_id = ? and entry.side = 'sent' and entry.is_queued and entry.peer_session_id = s.parent
    and (entry.at > s.joined_at or (entry.at = s.joined_at and entry.name > s.join_entry_name))
  order by entry.at desc, entry.name desc`

/** The first message that is the notice was sent by joining; the same words sent again are a message. */
function lastOf({ sessionId, part }: ChainNode, rows: Iterable<unknown>): LastSent | null {
  let notice: LastSent | null = null
  let beforeNotice: LastSent | null = null
  for (const { file, at, text, text_sha256, fate, fate_evidence } of rows as Iterable<SentRow>) {
    const evidence = fate_evidence === null ? null : fromStored(fate_evidence)
    const sent = { at, file: fromStored(file), fate, fateEvidence: evidence }
    const kept = text === null ? { textSha256: text_sha256 } : { text: fromStored(text) }
    if (isJoinNotice(kept, { sessionId, part: part ?? '' })) {
      if (notice !== null) return notice
      notice = sent
    } else if (notice === null) return sent
    else beforeNotice ??= sent
  }
  return beforeNotice
}
