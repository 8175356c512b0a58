import { hash } from 'node:crypto'
import type { Found } from '../extract/found.ts'
import { comparable, HISTORY_KIND } from '../transcripts/history.ts'
import { compare, type Group } from './group-items.ts'
import type { Item } from './item.ts'
import { nearestInTime } from './nearest-in-time.ts'

/** How long after it was typed a prompt may be delivered that waited in a queue. */
const DELIVERED_WITHIN_MS = 6 * 60 * 60_000

/** A prompt in a list of typed prompts, matched with the message that a transcript holds. */
export type HistoryMatches = Map<Group, Item[]>

/**
 * Matches typed prompts of a list with messages of the same session and text, the nearest in time first, each once.
 * What no transcript holds any more stays a message of its own.
 *
 * @param foundOf reads what was found of an item
 */
export function matchHistory(
  groups: Group[],
  foundOf: (item: Item) => Found,
): { groups: Group[]; matches: HistoryMatches } {
  const listed = groups.filter(group => group.first.kind === HISTORY_KIND)
  if (listed.length === 0) return { groups, matches: new Map() }
  const sessions = new Set(listed.map(group => group.first.session))
  const open = new Map<string, Group[]>()
  for (const group of groups) {
    const { first } = group
    if (first.kind === HISTORY_KIND || !sessions.has(first.session) || first.label === 'notice') continue
    const key = keyOf(first.session, hash('sha256', comparable(foundOf(first).words)))
    const same = open.get(key)
    if (same) same.push(group)
    else open.set(key, [group])
  }
  const nearest = new Map([...open].map(([key, same]) => [key, nearestInTime(same, timeOf)]))
  const matches: HistoryMatches = new Map()
  const alone = new Set<Group>()
  for (const group of listed.toSorted((a, b) => compare(a.first.at ?? '', b.first.at ?? ''))) {
    const { session } = group.first
    const { words, fields } = foundOf(group.first)
    const take = (sha256: unknown) =>
      nearest.get(keyOf(session, sha256))?.take(timeOf(group), DELIVERED_WITHIN_MS)
    const match = take(hash('sha256', comparable(words))) ?? take(fields.expandedSha256)
    if (match === undefined) alone.add(group)
    else matches.set(match, [group.first, ...group.others])
  }
  return { groups: groups.filter(group => group.first.kind !== HISTORY_KIND || alone.has(group)), matches }
}

function keyOf(session: string, sha256: unknown): string {
  return `${session}\n${sha256}`
}

/** Versions without times can only be matched by session and text. */
function timeOf({ first }: Group): number | null {
  return first.at === null ? null : Date.parse(first.at)
}
