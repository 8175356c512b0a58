import type { Verdict } from '../extract/verdict.ts'
import type { DeliveryNotice, DeliveryStage } from '../message.ts'
import type { JsonObject } from '../transcripts/json-row.ts'

/** What the host tells a session of its messages is a line each; it puts what it has to tell at once into one row. */
const HOSTS_LINE = /^\[Cross-session (?:delivery|idle) notice\] /

/**
 * The parts that stay the same in the host's notice to the sender of a message, of one or of several messages, and of
 * which ids (docs/host.md). What it says around them differs from case to case.
 */
const FORM =
  /^\[Cross-session delivery notice\] (?:Do not resend now: )?(?:Your message|one of your messages|\d+ of your messages) to another session (?:was|were) (held by that session|approved and released to that session|refused|denied by the recipient user|not approved before expiry|dropped at that session's inbox) \((?:[^\n]*?; )?msg_id: ([^)\n]{1,400})\)/

const STAGES: Record<string, DeliveryStage> = {
  'held by that session': 'held',
  'approved and released to that session': 'released',
  refused: 'refused',
  'denied by the recipient user': 'denied',
  'not approved before expiry': 'expired',
  "dropped at that session's inbox": 'dropped',
}

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * A notice that tells what became of messages that the session sent, with what it tells; any other verdict as it is.
 * Only a row that the host marks as its own can be one: a person, a program or a peer may say the same words.
 *
 * @param holder the user row or the queued command
 */
export function withDeliveries(holder: JsonObject, one: Verdict): Verdict {
  if (one.label !== 'notice' || !isHosts(holder)) return one
  const lines = one.words.split('\n')
  if (!lines.every(line => HOSTS_LINE.test(line))) return one
  const deliveries = lines.map(deliveryIn).filter(told => told !== null)
  return deliveries.length === 0 ? one : { ...one, kind: 'delivery_notice', deliveries }
}

/** A program can mark a prompt as not the user's, too; the host names an origin of it then. */
function isHosts({ isMeta, rowSource, origin }: JsonObject): boolean {
  return isMeta === true && rowSource === 'harness' && origin === undefined
}

/** The host names the first five of many; what is no id of a message, such as the mark for the rest, says nothing. */
function deliveryIn(line: string): DeliveryNotice | null {
  const [, outcome = '', list = ''] = FORM.exec(line) ?? []
  const stage = STAGES[outcome]
  const msgIds = list.split(', ').filter(id => ID.test(id))
  return stage === undefined || msgIds.length === 0 ? null : { stage, msgIds }
}
