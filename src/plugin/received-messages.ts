import type { EngineInterface, SessionReceiveInput, SessionReceiveResult } from 'claude-code'
import type { ReceivedEntry } from '../record/entry.ts'
import { type Envelope, openEnvelope } from '../record/envelope.ts'
import { textFields } from '../record/text-digest.ts'
import { formatTimestamp } from '../record/timestamp.ts'
import type { Load } from './load.ts'
import { resolvePeer } from './peer-registry.ts'
import { recordEntry } from './record-entry.ts'

/** A message from another session, as it arrived. */
export interface Arrival {
  text: string
  envelope: Envelope
  /** The address in the envelope, exactly; null where it names none. */
  as: string | null
  /** The session that held that address when the message came. */
  peerSessionId: Promise<string | undefined>
}

/**
 * Reads a delivery; null for what is no message from another session: agents, teammates and the host's own notices
 * also come as peers (docs/host.md, receiving).
 */
export function readArrival($: EngineInterface, e: SessionReceiveInput): Arrival | null {
  if (e.origin.kind !== 'peer' || e.agentId !== undefined || 'teammate' in e.origin) return null
  const opened = openEnvelope(e.text)
  if (opened === null) return null
  const as = /^<cross-session-message [^>]*?\bfrom="([^"]*)"/.exec(opened.envelope.before)?.[1] ?? null
  return { ...opened, as, peerSessionId: as === null ? Promise.resolve(undefined) : resolvePeer($, as) }
}

export type Outcome = 'queued' | 'consumed' | 'rejected' | 'unknown'

/** What became of a delivery below this mod (rule.receiveOutcome); queued is neither read nor acted on. */
export function outcomeOf(result: SessionReceiveResult): Outcome {
  if (typeof result?.consumed === 'string') return 'consumed'
  return typeof result?.text === 'string' ? 'queued' : 'unknown'
}

/** Writes the received entry; nothing is decided from the envelope (rule.envelopeKept). */
export function recordArrival(
  $: EngineInterface,
  load: Load,
  arrival: Arrival,
  outcome: Outcome,
): Promise<boolean> {
  if (!load.session) return Promise.resolve(false)
  const { id, cwd } = load.session
  const { as, envelope, text } = arrival
  const at = formatTimestamp(new Date())
  const entry = arrival.peerSessionId.then(
    (peerSessionId): ReceivedEntry => ({
      kind: 'message',
      side: 'received',
      sessionId: id,
      at,
      cwd,
      peer: { as, ...(peerSessionId === undefined ? {} : { sessionId: peerSessionId }) },
      envelope: { ...envelope },
      ...textFields(text, load.settings.recordText),
      outcome,
    }),
  )
  return recordEntry($, load, id, entry, arrival.text.length)
}
