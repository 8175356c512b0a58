import type { ScanArrivalRow, ScanDeliveryRow } from '../database/tables.ts'
import { TEN_MINUTES } from '../database/ten-minutes.ts'
import { CANDIDATE_MS } from '../scan/merge/correlate.ts'
import { DELIVERY_STAGES, type DeliveryNotice, type Message } from '../scan/message.ts'

export const DELIVERY_COLUMNS = ['result_id', 'message', 'msg_id', 'stage']
export const ARRIVAL_COLUMNS = [
  ...['result_id', 'message', 'session_id', 'sha256', 'near', 'near_from', 'near_to'],
]

/** What a row says, before it is known where it lies. */
type Said<Row> = Omit<Row, 'id' | 'result_id' | 'message'>

/**
 * What a scanned message says became of messages between sessions (ruling 13): the row in which a session was given one,
 * or the host's notice of some.
 */
export function deliveryRows({ label, evidence }: Message): Said<ScanDeliveryRow>[] {
  const { deliveries = [], correlation } = evidence
  if (label === 'peer') return correlation?.msgId ? [{ msg_id: correlation.msgId, stage: 'read' }] : []
  if (label !== 'notice') return []
  return deliveries.filter(isKnown).flatMap(({ stage, msgIds }) => msgIds.map(msg_id => ({ msg_id, stage })))
}

/** A later version may know more stages. */
function isKnown({ stage }: DeliveryNotice): boolean {
  return DELIVERY_STAGES.includes(stage)
}

/**
 * Where the receiver's own entry of a peer's message is looked for. A message may be held, or wait for a turn, long after
 * that entry was written, so the time is the one at which it was sent, where that is known.
 */
export function arrivalRows({ label, session, sha256, at, evidence }: Message): Said<ScanArrivalRow>[] {
  if (label !== 'peer') return []
  const sentAt = evidence.correlation?.sent.find(sent => sent.at !== null)?.at
  const time = Date.parse(sentAt ?? at ?? '')
  const [near_from, middle, near_to] = [-CANDIDATE_MS, 0, CANDIDATE_MS].map(ms => {
    const shifted = new Date(time + ms)
    return Number.isNaN(shifted.getTime()) ? null : shifted.toISOString()
  })
  if (!near_from || !middle || !near_to) return []
  const nears = new Set([near_from, middle, near_to].map(one => one.slice(0, TEN_MINUTES)))
  return [...nears].map(near => ({ session_id: session, sha256, near, near_from, near_to }))
}
