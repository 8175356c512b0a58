import { hash } from 'node:crypto'
import type { Extract } from '../extract/extract-source.ts'
import type { ScannedMessage } from '../scanned.ts'
import { indexSends } from './correlate.ts'
import { byPlace, compare, type Group, groupItems } from './group-items.ts'
import { type BadLine, type Item, loadExtracts } from './load-extracts.ts'
import { matchHistory } from './match-history.ts'
import type { RecordLookup } from './record-lookup.ts'
import { spotReader } from './spot-reader.ts'
import { messageId, type Telling, tellMessage } from './tell-message.ts'

export interface Merged {
  badLines: BadLine[]
  /** Messages outside the period, by file. */
  outside: Map<string, number>
  messages(): Generator<ScannedMessage>
}

export interface MergeOptions {
  record: RecordLookup | null
  /** Whether a time is in the period; a message without a time always is. */
  isInPeriod(at: string): boolean
}

/** Makes messages out of what was found in transcripts: the same words in several rows or files are one. */
export function mergeExtracts(extracts: Extract[], { record, isInPeriod }: MergeOptions): Merged {
  const { items, sends, badLines } = loadExtracts(extracts, words => hash('sha256', words))
  const spots = spotReader()
  const { groups, matches } = matchHistory(groupItems(items), item => spots.found(item).words)
  spots.close()
  const outside = new Map<string, number>()
  const inPeriod = groups.filter(({ first }) => {
    if (first.at === null || isInPeriod(first.at)) return true
    outside.set(first.place.file, (outside.get(first.place.file) ?? 0) + 1)
    return false
  })
  const ordered = inPeriod.toSorted(
    (a, b) => compare(a.first.at ?? '', b.first.at ?? '') || byPlace(a.first, b.first),
  )
  const persons = new Map(
    inPeriod.filter(group => group.decides.label === 'person').map(group => [keyOf(group.first), group]),
  )
  const listed = (group: Group): Item[] => matches.get(group) ?? []
  const personsWords = (session: string, sha256: string) => {
    const group = persons.get(`${session}\n${sha256}`)
    return group ? messageId(group) : null
  }
  return {
    badLines,
    outside,
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
