import type { ChainNode } from '../chain/chain-tree.ts'
import { treeLines } from '../chain/tree-lines.ts'
import { escapeText } from '../hostile-text/escape-text.ts'
import { type LivePeer, reachWords } from './peer-registry.ts'
import type { SessionChain } from './read-chain.ts'
import { showText } from './show-text.ts'

/** For whom a chain is written. */
export interface Reader {
  /** The session that asks. */
  sessionId: string
  now: Date
  /** Whether the host draws the text as Markdown, as it does for a person and not for a model. */
  isMarkdown: boolean
  /** How the host reaches sessions now. */
  peers: ReadonlyMap<string, LivePeer>
}

/**
 * The chain of a session as text (toolTree, rule.chainCommand): every session with its full id, top or lead, part,
 * when it was last heard, the sent mark and how it is reached now; notices; and how fresh the answer is.
 */
export function chainText(chain: SessionChain, { sessionId, now, isMarkdown, peers }: Reader): string {
  const show = isMarkdown ? showText : escapeText
  const style = {
    show,
    time: (at: string) => `${at} (${age(now.getTime() - Date.parse(at))})`,
    mark: (id: string) => (id === sessionId ? ' ← this session' : ''),
    reach(id: string) {
      const words = reachWords(peers.get(id) ?? { name: null, address: null })
      return id === sessionId || words === null ? null : `reached now as ${show(words)}`
    },
  }
  const { chains, cycles, notices } = chain.tree
  const drawn = (root: ChainNode) => treeLines(root, style).map(isMarkdown ? keepIndent : line => line)
  const blocks = chains.map(root => drawn(root).join('\n'))
  if (chains.length === 0 && cycles.length === 0)
    blocks.push(`session ${sessionId} has no entries in the record, so its chain is unknown`)
  if (notices.length > 0) blocks.push(notices.map(notice => `! ${show(notice)}`).join('\n'))
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
