import type { ScanDeliveryRow } from '../database/tables.ts'
import { CANDIDATE_MS } from '../scan/merge/correlate.ts'
import { DELIVERY_STAGES, type DeliveryNotice, type Message } from '../scan/message.ts'

/** Columns of `scan_delivery`. */
export const DELIVERY_COLUMNS = ['result_id', 'message', 'msg_id', 'stage', 'near_from', 'near_to']

/**
 * What a scanned message says became of messages between sessions (ruling 13): the row in which a session was given one,
 * or the host's notice of some.
 */
export function deliveryRows({
  label,
  at,
  evidence,
}: Message): Omit<ScanDeliveryRow, 'id' | 'result_id' | 'message'>[] {
  const { deliveries = [], correlation } = evidence
  if (label === 'peer') {
    // A message may be held, or wait for a turn, long after the receiver's entry of it was written.
    const arrived = correlation?.sent.find(sent => sent.at !== null)?.at ?? at
    const [near_from, near_to] = [shifted(arrived, -CANDIDATE_MS), shifted(arrived, CANDIDATE_MS)]
    return [{ msg_id: correlation?.msgId ?? null, stage: 'read', near_from, near_to }]
  }
  if (label !== 'notice') return []
  return deliveries
    .filter(isKnown)
    .flatMap(({ stage, msgIds }) => msgIds.map(msg_id => ({ msg_id, stage, near_from: null, near_to: null })))
}

/** A later version may know more stages. */
function isKnown({ stage }: DeliveryNotice): boolean {
  return DELIVERY_STAGES.includes(stage)
}

/** Null where there is no such time. */
function shifted(at: string | null, ms: number): string | null {
  const time = new Date(Date.parse(at ?? '') + ms)
  return Number.isNaN(time.getTime()) ? null : time.toISOString()
}
