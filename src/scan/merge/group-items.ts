import type { Item } from './item.ts'

/** The places of one message, in several rows and files. */
export interface Group {
  /** The place that the message is told by, the one nearest to its origin. */
  first: Item
  others: Item[]
  /** The place whose fields decide the label. */
  decides: Item
}

/**
 * Puts together what shares a key.
 *
 * @param keys of each item
 */
export function groupItems(items: Item[], keys: string[][]): Group[] {
  const leaders = items.map((_, at) => at)
  const leaderOf = (at: number): number => {
    let leader = at
    while (leaders[leader] !== leader) leader = leaders[leader] as number
    leaders[at] = leader
    return leader
  }
  const byKey = new Map<string, number>()
  for (const [at, ofItem] of keys.entries()) {
    for (const key of ofItem) {
      const other = byKey.get(key)
      if (other === undefined) byKey.set(key, at)
      else leaders[leaderOf(at)] = leaderOf(other)
    }
  }
  const members = new Map<number, Item[]>()
  for (const [at, item] of items.entries()) {
    const leader = leaderOf(at)
    const group = members.get(leader)
    if (group) group.push(item)
    else members.set(leader, [item])
  }
  return [...members.values()].map(groupOf)
}

function groupOf(items: Item[]): Group {
  const ordered = items.length === 1 ? items : items.toSorted(byOrigin)
  const [first, ...others] = ordered as [Item, ...Item[]]
  return { first, others, decides: ordered.toSorted((a, b) => weight(b) - weight(a))[0] as Item }
}

/**
 * Which place says most about the author. A copy may have lost what the first row said, so a place that takes words
 * away from the person outweighs one that gives them to the person, and one that says nothing weighs least.
 */
function weight({ label, saysNothing }: Item): number {
  if (label === 'unresolved') return saysNothing ? 0 : 2
  return label === 'person' ? 1 : 3
}

/** Before copies: the time they were said, a file that was not made from another, then files and lines. */
function byOrigin(a: Item, b: Item): number {
  return (
    compare(a.at ?? '9', b.at ?? '9') ||
    a.extract.whole.derivedFrom.length - b.extract.whole.derivedFrom.length ||
    compare(a.extract.whole.firstAt ?? '9', b.extract.whole.firstAt ?? '9') ||
    byPlace(a, b)
  )
}

/** The order of files and lines. */
export function byPlace(a: Item, b: Item): number {
  return compare(a.place.file, b.place.file) || a.place.offset - b.place.offset || a.seq - b.seq
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
