import type { EngineInterface } from 'claude-code'
import type { ChainTree } from '../chain/chain-tree.ts'
import { escapeText } from '../hostile-text/escape-text.ts'
import { readAgain } from './chain-reader.ts'
import { findNode } from './chain-text.ts'
import { readInbound } from './inbound.ts'
import type { Load } from './load.ts'
import { shortId } from './show-text.ts'

/**
 * Draws the status line anew (rule.quietUnlessUseful): the session's place in its chain, the inbound state where it is
 * hold or refuse, read now, and that recording is degraded while it is; nothing where none of that is so. Draws at once
 * what is known and returns: reading a record must not hold up the message that gave rise to it. Calls that come while
 * it reads are answered by one more reading.
 */
export function drawStatus($: EngineInterface, load: Load): void {
  draw($, load)
  void drawInbound($, load)
  if (load.drawing !== 'no') {
    load.drawing = 'again'
    return
  }
  load.drawing = 'now'
  void drawPlace($, load)
}

async function drawInbound($: EngineInterface, load: Load): Promise<void> {
  try {
    load.inbound = await readInbound($)
    draw($, load)
  } catch {
    // What cannot be read now may be at the next event.
  }
}

async function drawPlace($: EngineInterface, load: Load): Promise<void> {
  do {
    load.drawing = 'now'
    try {
      if (load.session) await readAgain($, load)
      draw($, load)
    } catch {
      // The same.
    }
  } while (wasAskedAgain(load))
  load.drawing = 'no'
}

function wasAskedAgain(load: Load): boolean {
  return load.drawing === 'again'
}

function draw($: EngineInterface, load: Load): void {
  const words = statusWords(load)
  if (words === load.drawn) return
  try {
    $.ui.status(words)
    load.drawn = words
  } catch {
    // A line that cannot be drawn is worth no disturbance; the next event draws it again.
  }
}

function statusWords({ session, known, inbound, isDegraded }: Load): string | undefined {
  const words = [
    session && known?.sessionId === session.id ? placeWords(known.chain.tree, session.id) : null,
    inbound === 'hold' || inbound === 'refuse' ? `inbound: ${inbound}` : null,
    isDegraded ? 'recording is degraded' : null,
  ].filter(word => word !== null)
  return words.length === 0 ? undefined : words.join(', ')
}

/** How often the inbound state is read again: the host takes up a changed settings file within about three seconds. */
const INBOUND_MS = 4_000

/**
 * Keeps the line right about the inbound state, which can change while nothing else happens (rule.stateIsDated).
 * Called once a load.
 */
export function followInbound($: EngineInterface, load: Load): void {
  $.clock.every(INBOUND_MS, () => void redrawIfChanged($, load))
}

async function redrawIfChanged($: EngineInterface, load: Load): Promise<void> {
  try {
    if ((await readInbound($)) !== load.inbound) drawStatus($, load)
  } catch {
    // The next look may see it.
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
