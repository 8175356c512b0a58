import type { ChainNode } from '../chain/chain-tree.ts'
import { treeLines } from '../chain/tree-lines.ts'
import type { SessionChain } from './read-chain.ts'
import { showText } from './show-text.ts'

/**
 * The chain of a session as text (toolTree, rule.chainCommand): every session with its full id, top or lead, part,
 * when it was last heard, and the sent mark; notices; and how fresh the answer is. Safe where Markdown is drawn.
 */
export function chainText(chain: SessionChain, sessionId: string, now: Date): string {
  const style = { show: showText, time: (at: string) => `${at} (${age(now.getTime() - Date.parse(at))})` }
  const { chains, cycles, notices } = chain.tree
  const blocks = chains.map(root => treeLines(root, style).map(keepIndent).join('\n'))
  if (chains.length === 0 && cycles.length === 0)
    blocks.push(`session ${sessionId} has no entries in the record, so its chain is unknown`)
  if (notices.length > 0) blocks.push(notices.map(notice => `! ${showText(notice)}`).join('\n'))
  blocks.push(freshnessOf(chain))
  return blocks.join('\n\n')
}

/** The node of a session in a tree; undefined where it is in none, as in a cycle. */
export function findNode(roots: readonly ChainNode[], sessionId: string): ChainNode | undefined {
  const waiting = [...roots]
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (node.sessionId === sessionId) return node
    for (const child of node.children) waiting.push(child)
  }
  return undefined
}

function freshnessOf({ publishedAt, foldersRead }: SessionChain): string {
  if (publishedAt === null) return `read from the record’s files now (${foldersRead} session folders)`
  return `read from the index as of ${publishedAt}, and from the files of ${foldersRead} session folders`
}

function age(ms: number): string {
  for (const [length, unit] of [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
    [1_000, 's'],
  ] as const) {
    if (ms >= length) return `${Math.floor(ms / length)} ${unit} ago`
  }
  return 'just now'
}

/** Markdown takes leading spaces for a list or for code; no-break spaces it leaves alone. */
function keepIndent(line: string): string {
  return line.replace(/^[ │├└─]+/, lead => lead.replaceAll(' ', '\u00a0'))
}
