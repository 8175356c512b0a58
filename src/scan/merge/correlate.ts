import type { Correlation, SentPlace } from '../message.ts'
import type { Item, SendItem } from './item.ts'
import type { RecordLookup } from './record-lookup.ts'

/** How far apart a sent message and a received one may be and still be candidates for one. */
export const CANDIDATE_MS = 10 * 60_000

/** The messages that sessions sent, by the host's id and by text. */
export interface Sends {
  byMsgId: Map<string, SendItem[]>
  byText: Map<string, SendItem[]>
}

export function indexSends(sends: SendItem[]): Sends {
  const byMsgId = new Map<string, SendItem[]>()
  const byText = new Map<string, SendItem[]>()
  for (const send of sends) {
    add(byMsgId, send.msgId, send)
    add(byText, send.sha256, send)
  }
  return { byMsgId, byText }
}

/** A received message as far as it is compared with sent ones. */
export interface Received extends Pick<Item, 'sha256' | 'session' | 'at'> {
  words: string
  /** The host's id of it. */
  msgId: string | null
}

/**
 * What ties a received message to its sender (ruling 7): the host's id where it stands on both sides; else what fits
 * by text and time, which is never a match; else nothing. The same text alone settles nothing, since two sessions may
 * send it; nor does the id beside other words, since any transcript may name any id.
 */
export function correlate(item: Received, sends: Sends, record: RecordLookup | null): Correlation {
  const { msgId } = item
  if (msgId !== null) {
    const sent: SentPlace[] = [
      ...(sends.byMsgId.get(msgId) ?? []).filter(one => mayBe(item, one.sha256)).map(inTranscript),
      ...(record?.sentWithMsgId(msgId) ?? []).filter(one => mayBe(item, one.sha256)).map(inRecord),
    ]
    if (sent.length > 0) return { evidence: 'msgId', msgId, sent, candidates: [] }
  }
  const near = (sends.byText.get(item.sha256) ?? []).filter(
    // A message whose sender's row has another id is another message.
    send => send.session !== item.session && isNear(send.at, item.at) && msgId === null,
  )
  const entries = (record?.sentLike(item.session, item.sha256, item.at) ?? []).filter(
    entry =>
      entry.session !== item.session && (msgId === null || entry.msgId === null || entry.msgId === msgId),
  )
  const candidates = [...near.map(inTranscript), ...entries.map(inRecord)]
  return { evidence: candidates.length > 0 ? 'candidates' : 'unknown', msgId, sent: [], candidates }
}

/** Whether it may have been sent with a text of this hash: the host puts a backslash before the names of its own tags. */
function mayBe({ words, sha256 }: Received, sent: string | null): boolean {
  return sent === null || sent === sha256 || /<\\/.test(words)
}

function inTranscript({ session, at, place }: SendItem): SentPlace {
  return { in: 'transcript', session, at, source: place }
}

function inRecord({ session, at, file }: { session: string; at: string; file: string }): SentPlace {
  return { in: 'record', session, at, file }
}

function isNear(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && Math.abs(Date.parse(a) - Date.parse(b)) <= CANDIDATE_MS
}

function add<K>(map: Map<K, SendItem[]>, key: K, send: SendItem): void {
  const list = map.get(key)
  if (list) list.push(send)
  else map.set(key, [send])
}
