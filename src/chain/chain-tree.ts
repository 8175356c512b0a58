import { entryNameOf } from '../record/file-name.ts'
import { findCycles } from './cycles.ts'
import { isNumberedBefore, isNumberMissingSince } from './load-numbers.ts'
import type { Join, SessionFacts } from './session-facts.ts'

/** One session in the tree, as `coord tree --json` prints it. */
export interface ChainNode {
  sessionId: string
  /** `boundary`: a session named as a parent whose entries are not in this record (rule.localRecordsOnly). */
  role: 'top' | 'lead' | 'boundary'
  part: string | null
  brief: string | null
  parent: string | null
  joinedAt: string | null
  /** Time of the latest entry; says nothing of whether the session is alive (rule.lastHeardNotAlive). */
  lastHeard: string | null
  /** Null for a session that joined nobody. Says that a message was sent, never that the lead reported or finished. */
  sentParentSinceJoin: 'yes' | 'no' | 'unknown' | null
  /** 0 for a top and for a boundary; the number of joins above it for a lead. */
  depth: number
  children: ChainNode[]
}

export interface ChainTree {
  /** The roots: tops, boundaries, and the leads directly below a cycle. */
  chains: ChainNode[]
  /** Each cycle once, from its smallest id along the parents; its sessions are in no tree (rule.joinRefusals). */
  cycles: string[][]
  notices: string[]
}

/** A file that could not be read, or that is gone: evidence of something unknown in what a session did. */
export interface UnknownEvidence {
  sessionId: string
  /** The time its name states, or its entry stated; null where the name states none. */
  at: string | null
  /** Path below the record's folder. */
  file: string
  /** The index knew it, and it is there no more. */
  isGone?: true
}

/**
 * The chain tree: facts in, tree out (rule.treeFromEntries). The one place where the rules of the tree live; the
 * query layer, the projection and the mod all call it. It always terminates, and holds each session at most once.
 */
export function chainTree(
  sessions: readonly SessionFacts[],
  unknown: readonly UnknownEvidence[] = [],
): ChainTree {
  const facts = new Map(sessions.map(one => [one.sessionId, one]))
  const cycles = findCycles(new Map(sessions.map(one => [one.sessionId, one.join?.parent ?? null])))
  const inCycle = new Set(cycles.flat())
  const unknownBySession = bySession(unknown)

  const nodes = new Map<string, ChainNode>()
  for (const one of sessions) {
    if (!inCycle.has(one.sessionId))
      nodes.set(one.sessionId, sessionNode(one, unknownBySession.get(one.sessionId) ?? []))
  }
  for (const one of sessions) {
    const parent = one.join?.parent
    if (parent !== undefined && !facts.has(parent)) nodes.set(parent, boundaryNode(parent))
  }

  const roots: ChainNode[] = []
  for (const node of nodes.values()) {
    const parent = node.parent === null ? undefined : nodes.get(node.parent)
    if (parent) parent.children.push(node)
    else roots.push(node)
  }
  const ordered = orderAndMeasure(roots, facts)
  const isUnderLead = (node: ChainNode) => node.parent !== null && facts.get(node.parent)?.join != null
  return {
    chains: roots,
    cycles,
    notices: [...ordered.filter(isUnderLead).map(depthNotice), ...cycles.map(cycleNotice)],
  }
}

/** What a person is told of a lead below a lead (rule.depthIsShown). */
function depthNotice(lead: {
  sessionId: string
  part: string | null
  parent: string | null
  depth: number
}): string {
  return `the chain has grown a level: ${lead.sessionId} (${lead.part}) joined under the lead ${lead.parent}, at depth ${lead.depth}`
}

function cycleNotice(cycle: string[]): string {
  return `a cycle, not drawn: ${[...cycle, cycle[0]].join(' is under ')}`
}

function sessionNode(facts: SessionFacts, unknown: readonly UnknownEvidence[]): ChainNode {
  const { sessionId, join, lastHeard } = facts
  return {
    sessionId,
    role: join ? 'lead' : 'top',
    part: join?.part ?? null,
    brief: join?.brief ?? null,
    parent: join?.parent ?? null,
    joinedAt: join?.at ?? null,
    lastHeard,
    sentParentSinceJoin: join && sentSince(join, facts, unknown),
    depth: 0,
    children: [],
  }
}

function boundaryNode(sessionId: string): ChainNode {
  return {
    sessionId,
    role: 'boundary',
    part: null,
    brief: null,
    parent: null,
    joinedAt: null,
    lastHeard: null,
    sentParentSinceJoin: null,
    depth: 0,
    children: [],
  }
}

/**
 * The sent mark (rule.chainCommand). "No" is said only where the record could have shown a message: not with an
 * unresolved peer, not before coverage began (rule.startEntry), not beside a damaged file (rule.oneWriter), and not
 * where something is missing since the join (ruling 8).
 */
function sentSince(
  join: Join,
  { coveredFrom, isGapSinceJoin, loads }: SessionFacts,
  unknown: readonly UnknownEvidence[],
): 'yes' | 'no' | 'unknown' {
  if (join.sentToParent) return 'yes'
  const isCovered = coveredFrom !== null && coveredFrom <= join.at
  const mayHideOne =
    isGapSinceJoin || isNumberMissingSince(join, loads) || unknown.some(one => isSince(join, one))
  return join.sentToUnknown || !isCovered || mayHideOne ? 'unknown' : 'no'
}

/** A sent entry's time can be older than the join that it followed; its number tells. */
function isSince(join: Join, { at, file }: UnknownEvidence): boolean {
  return at === null || at >= join.at || isNumberedBefore(join.name, nameIn(file))
}

function nameIn(file: string): string {
  return entryNameOf(file.slice(file.lastIndexOf('/') + 1))
}

/**
 * Sorts every level (by join, then id; roots by when they were first heard) and sets the depths. Walks with a list
 * of its own, not by recursion: a record may hold a chain deeper than the call stack. Returns all nodes, top down.
 */
function orderAndMeasure(roots: ChainNode[], facts: ReadonlyMap<string, SessionFacts>): ChainNode[] {
  const firstHeard = (node: ChainNode) => facts.get(node.sessionId)?.firstHeard ?? earliestJoin(node)
  sortBy(roots, firstHeard)
  // A root with a parent is a lead directly below a cycle, which stands in for its top.
  for (const root of roots) root.depth = root.parent === null ? 0 : 1
  const ordered: ChainNode[] = []
  const waiting = [...roots].reverse()
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    ordered.push(node)
    sortBy(node.children, child => child.joinedAt ?? '')
    for (const child of node.children) child.depth = node.depth + 1
    for (const child of node.children.toReversed()) waiting.push(child)
  }
  return ordered
}

function bySession(unknown: readonly UnknownEvidence[]): Map<string, UnknownEvidence[]> {
  const groups = new Map<string, UnknownEvidence[]>()
  for (const one of unknown) {
    const group = groups.get(one.sessionId)
    if (group) group.push(one)
    else groups.set(one.sessionId, [one])
  }
  return groups
}

function earliestJoin(boundary: ChainNode): string {
  return boundary.children.reduce((earliest, child) => {
    return child.joinedAt !== null && child.joinedAt < earliest ? child.joinedAt : earliest
  }, '\u{FFFF}')
}

function sortBy(nodes: ChainNode[], time: (node: ChainNode) => string): void {
  const keys = new Map(nodes.map(node => [node, `${time(node)} ${node.sessionId}`]))
  nodes.sort((a, b) => ((keys.get(a) as string) < (keys.get(b) as string) ? -1 : 1))
}
