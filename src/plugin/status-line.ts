import type { EngineInterface } from 'claude-code'
import { escapeText } from '../hostile-text/escape-text.ts'
import type { ChainTree } from '../query/chain/chain-tree.ts'
import { findNode } from './chain-text.ts'
import { readInbound } from './inbound.ts'
import type { Load } from './load.ts'
import { readChain } from './read-chain.ts'
import { shortId } from './show-text.ts'

/**
 * Draws the status line anew (rule.quietUnlessUseful): the session's place in its chain, and the inbound state where
 * it is hold or refuse, read now; nothing where neither is so. Never throws.
 */
export async function drawStatus($: EngineInterface, load: Load): Promise<void> {
  try {
    if (!load.session) return
    const chain = await readChain($, load.settings, load.session.id)
    const inbound = await readInbound($)
    const words = [
      placeWords(chain.tree, load.session.id),
      inbound === 'hold' || inbound === 'refuse' ? `inbound: ${inbound}` : null,
    ]
    const line = words.filter(word => word !== null).join(', ')
    $.ui.status(line === '' ? undefined : line)
  } catch {
    // A line that cannot be drawn is worth no disturbance; the next event draws it again.
  }
}

/** A session's place in its chain in a few words; null for one that stands alone. */
export function placeWords(tree: ChainTree, sessionId: string): string | null {
  const node = findNode(tree.chains, sessionId)
  if (!node) return tree.cycles.some(cycle => cycle.includes(sessionId)) ? 'in a cycle of joins' : null
  if (node.role === 'lead') return `lead of ${shortId(node.parent ?? '')}: ${escapeText(node.part ?? '')}`
  const leads = node.children.length
  return leads === 0 ? null : `top: ${leads} ${leads === 1 ? 'lead' : 'leads'}`
}
