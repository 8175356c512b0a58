import { comparable, HISTORY_KIND } from '../transcripts/history.ts'
import type { Group } from './group-items.ts'
import type { Item } from './load-extracts.ts'

/** How long after it was typed a prompt may be delivered that waited in a queue. */
const DELIVERED_WITHIN_MS = 6 * 60 * 60_000

/** A prompt in a list of typed prompts, matched with the message that a transcript holds. */
export type HistoryMatches = Map<Group, Item[]>

/**
 * Matches typed prompts of a list with messages of the same session and text, the nearest in time first, each once.
 * What no transcript holds any more stays a message of its own.
 *
 * @param wordsOf reads an item's words
 */
export function matchHistory(
  groups: Group[],
  wordsOf: (item: Item) => string,
): { groups: Group[]; matches: HistoryMatches } {
  const listed = groups.filter(group => group.first.kind === HISTORY_KIND)
  if (listed.length === 0) return { groups, matches: new Map() }
  const sessions = new Set(listed.map(group => group.first.session))
  const open = new Map<string, Group[]>()
  for (const group of groups) {
    const { first } = group
    if (first.kind === HISTORY_KIND || !sessions.has(first.session) || first.label === 'notice') continue
    const key = `${first.session}\n${comparable(wordsOf(first))}`
    const same = open.get(key)
    if (same) same.push(group)
    else open.set(key, [group])
  }
  const matches: HistoryMatches = new Map()
  const alone = new Set<Group>()
  for (const group of listed) {
    const same = open.get(`${group.first.session}\n${comparable(wordsOf(group.first))}`) ?? []
    const nearest = same.reduce<Group | null>((best, one) => {
      const isNearer = best === null || distance(one, group) < distance(best, group)
      return isNearer && distance(one, group) < DELIVERED_WITHIN_MS ? one : best
    }, null)
    if (nearest === null) alone.add(group)
    else {
      same.splice(same.indexOf(nearest), 1)
      matches.set(nearest, [...(matches.get(nearest) ?? []), group.first, ...group.others])
    }
  }
  return { groups: groups.filter(group => group.first.kind !== HISTORY_KIND || alone.has(group)), matches }
}

function distance(a: Group, b: Group): number {
  // Versions without times can only be matched by session and text.
  if (a.first.at === null || b.first.at === null) return 0
  return Math.abs(Date.parse(a.first.at) - Date.parse(b.first.at))
}
