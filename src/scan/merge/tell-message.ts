import type { Found } from '../extract/found.ts'
import { emptyTrace } from '../extract/turn.ts'
import type { Evidence, Message, RecordEvidence } from '../message.ts'
import type { ScannedMessage } from '../scanned.ts'
import { correlate, type Sends } from './correlate.ts'
import { byPlace, type Group } from './group-items.ts'
import type { Item } from './item.ts'
import type { RecordLookup } from './record-lookup.ts'
import type { SpotReader } from './spot-reader.ts'

export interface Telling {
  spots: SpotReader
  sends: Sends
  record: RecordLookup | null
  /** Where typed prompts are listed that a message is one of. */
  listed(group: Group): Item[]
  /** The id of the person's message with these words in a session; null where there is none. */
  personsWords(session: string, sha256: string): string | null
}

/** A group of places as one message, with what the record and the lists of typed prompts say of it. */
export function tellMessage(group: Group, telling: Telling): ScannedMessage {
  const { first, decides } = group
  const found = telling.spots.found(first)
  const deciding = decides === first ? found : telling.spots.found(decides)
  const listed = telling.listed(group)
  const evidence: Evidence = { fields: deciding.fields }
  const judged = { label: decides.label, confidence: decides.confidence }
  const { label, confidence } = settled(group, deciding, listed, evidence, telling)
  if (label !== judged.label || confidence !== judged.confidence) {
    evidence.before = { ...judged, because: listed.length > 0 && label === 'person' ? IN_HISTORY : IN_RECORD }
  }
  const message: Message = {
    id: first.id,
    ...{ label, confidence, kind: decides.kind, words: found.words, sha256: first.sha256 },
    ...{ product: first.product, session: first.session, at: first.at, cwd: first.cwd, source: first.place },
    alsoAt: [
      ...first.also,
      ...[...group.others, ...listed].toSorted(byPlace).flatMap(one => [one.place, ...one.also]),
    ],
    evidence,
  }
  return { message, trace: traceOf(message, group, telling) }
}

const IN_HISTORY = 'the list of prompts typed at the terminal holds it'
const IN_RECORD = 'a received entry of the record holds this text, in this session, at this time'

function settled(
  { decides, first }: Group,
  deciding: Found,
  listed: Item[],
  evidence: Evidence,
  { sends, record, personsWords }: Telling,
): Pick<Message, 'label' | 'confidence'> {
  const { label, confidence, saysNothing } = decides
  const received = (record?.received(first.session, first.sha256, first.at) ?? []).map(entry => entry.file)
  const says: RecordEvidence = received.length > 0 ? { received } : {}
  if (label === 'peer' || (label === 'unresolved' && received.length > 0)) {
    const msgId = deciding.msgId ?? null
    const { sha256, session, at } = first
    evidence.correlation = correlate({ sha256, session, at, words: deciding.words, msgId }, sends, record)
  }
  if (label === 'notice' && deciding.deliveries !== undefined) evidence.deliveries = deciding.deliveries
  if (label === 'launcher') {
    const join = record?.join(first.session) ?? null
    if (join && join.brief !== '' && deciding.words.includes(join.brief)) says.chain = join
    const { launchedBy } = deciding
    const copied = launchedBy === undefined ? null : personsWords(launchedBy, first.sha256)
    if (copied !== null) evidence.copyOf = copied
  }
  if (Object.keys(says).length > 0) evidence.record = says
  if (label === 'unresolved' && received.length > 0) return { label: 'peer', confidence: 'medium' }
  // A list of what was typed settles what a row says nothing about, and nothing that speaks against it.
  if (label === 'unresolved' && listed.length > 0 && saysNothing)
    return { label: 'person', confidence: 'medium' }
  return { label, confidence }
}

/** What followed, for every message that is the person's or may be. */
function traceOf({ label }: Message, { first, others }: Group, { spots }: Telling): ScannedMessage['trace'] {
  if (label === 'notice' || label === 'peer') return null
  for (const item of [first, ...others]) {
    const trace = spots.trace(item)
    if (trace) return trace
  }
  return first.isAbandoned ? { ...emptyTrace(), end: 'abandoned' } : emptyTrace()
}
