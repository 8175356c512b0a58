import { hash } from 'node:crypto'
import type { Extract } from '../extract/extract.ts'
import type { ScannedMessage } from '../scanned.ts'
import { HISTORY_KIND } from '../transcripts/history.ts'
import { indexSends } from './correlate.ts'
import { byPlace, compare, type Group, groupItems } from './group-items.ts'
import type { BadLine, Item } from './item.ts'
import { loadExtracts } from './load-extracts.ts'
import { matchHistory } from './match-history.ts'
import type { RecordLookup } from './record-lookup.ts'
import { spotReader } from './spot-reader.ts'
import { type Telling, tellMessage } from './tell-message.ts'

export interface Merged {
  badLines: BadLine[]
  /** How many messages are outside the period or of other projects, by file. */
  left: Record<'period' | 'project', Map<string, number>>
  messages(): Generator<ScannedMessage>
}

export interface MergeOptions {
  record: RecordLookup | null
  /** Whether a time is in the period; a message without a time always is. */
  isInPeriod(at: string): boolean
  /** Whether a prompt in a list of typed prompts belongs to the scan: such a list is of all projects. */
  isInProject(cwd: string | null): boolean
}

/** Makes messages out of what was found in transcripts: the same words in several rows or files are one. */
export function mergeExtracts(
  extracts: Extract[],
  { record, isInPeriod, isInProject }: MergeOptions,
): Merged {
  const { items, keys, sends, badLines } = loadExtracts(extracts, words => hash('sha256', words))
  const spots = spotReader()
  const { groups, matches } = matchHistory(groupItems(items, keys), item => spots.found(item))
  spots.close()
  const left: Merged['left'] = { period: new Map(), project: new Map() }
  const leave = (why: keyof Merged['left'], { place }: Item) => {
    left[why].set(place.file, (left[why].get(place.file) ?? 0) + 1)
    return false
  }
  const selected = groups.filter(({ first }) => {
    if (first.kind === HISTORY_KIND && !isInProject(first.cwd)) return leave('project', first)
    return first.at === null || isInPeriod(first.at) || leave('period', first)
  })
  const ordered = selected.toSorted(
    (a, b) => compare(a.first.at ?? '', b.first.at ?? '') || byPlace(a.first, b.first),
  )
  // Of the person's messages only those are kept in mind whose words were handed on, too.
  const launched = new Set(
    selected.filter(({ decides }) => decides.label === 'launcher').map(({ first }) => first.sha256),
  )
  const persons = new Map(
    selected
      .filter(({ decides, first }) => decides.label === 'person' && launched.has(first.sha256))
      .map(group => [keyOf(group.first), group]),
  )
  const listed = (group: Group): Item[] => matches.get(group) ?? []
  const personsWords = (session: string, sha256: string) => {
    const group = persons.get(`${session}\n${sha256}`)
    return group?.first.id ?? null
  }
  return {
    badLines,
    left,
    *messages() {
      const reader = spotReader()
      const telling: Telling = { spots: reader, sends: indexSends(sends), record, listed, personsWords }
      try {
        for (const group of ordered) yield tellMessage(group, telling)
      } finally {
        reader.close()
      }
    },
  }
}

function keyOf(item: Item): string {
  return `${item.session}\n${item.sha256}`
}
