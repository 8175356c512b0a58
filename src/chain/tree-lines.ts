import type { ChainNode } from './chain-tree.ts'

/** How a tree is shown: where it is drawn decides what is safe there and how time is told. */
export interface TreeStyle {
  /** Makes a text of the record safe to show. */
  show(text: string): string
  /** A record's time and how long ago it was. */
  time(at: string): string
  /** What stands behind a session's id, safe to show, such as which one the reader is; nothing where it is left out. */
  mark?(sessionId: string): string
  /** How a session is reached now, safe to show; null where nobody knows. */
  reach?(sessionId: string): string | null
}

/** Deeper leads are no longer set further in, but say how deep they are: a line's length must not grow with the chain. */
const DEEPEST_INDENT = 30

/** One chain as lines, from its root down: each session with its full id, role, part and when it was last heard (rule.chainCommand). */
export function treeLines(root: ChainNode, style: TreeStyle): string[] {
  const lines: string[] = []
  const waiting: { node: ChainNode; lead: string; below: string }[] = [{ node: root, lead: '', below: '' }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { node, lead, below } = next
    const stem = below + (node.children.length > 0 ? '│  ' : '   ')
    for (const [index, line] of nodeLines(node, node === root, style).entries())
      lines.push((index === 0 ? lead : stem) + line)
    node.children.toReversed().forEach((child, index) => {
      const isLast = index === 0
      const isDeep = child.depth > DEEPEST_INDENT
      waiting.push({
        node: child,
        lead: isDeep ? `${below}└─ (depth ${child.depth}) ` : below + (isLast ? '└─ ' : '├─ '),
        below: isDeep ? below : below + (isLast ? '   ' : '│  '),
      })
    })
  }
  return lines
}

function nodeLines(node: ChainNode, isRoot: boolean, style: TreeStyle): string[] {
  const { show, time } = style
  const head = `${node.role} ${show(node.sessionId)}${style.mark?.(node.sessionId) ?? ''}`
  const reach = style.reach?.(node.sessionId) ?? null
  const reached = reach === null ? [] : [reach]
  if (node.role === 'boundary')
    return [head, ['unresolved: no records of it could be read on this machine', ...reached].join('; ')]
  // Only a lead directly below a cycle is a root; elsewhere the line above says whose it is.
  const under = isRoot && node.parent !== null ? [`under ${show(node.parent)}, which is in a cycle`] : []
  const facts = node.lastHeard === null ? under : [...under, `last heard ${time(node.lastHeard)}`]
  if (node.sentParentSinceJoin !== null)
    facts.push(`sent its parent a message since it joined: ${node.sentParentSinceJoin}`)
  facts.push(...reached)
  return [node.part === null ? head : `${head}  ${show(node.part)}`, facts.join('; ')]
}
