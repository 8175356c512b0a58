import type { EngineInterface } from 'claude-code'
import type { SentEntry } from '../record/entry.ts'
import { textFields } from '../record/text-digest.ts'
import { formatTimestamp } from '../record/timestamp.ts'
import type { Load } from './load.ts'
import { resolvePeer } from './peer-registry.ts'
import { recordEntry } from './record-entry.ts'
import type { Sending } from './sending.ts'

/** Notes a message at the moment it was sent, without waiting for anything. */
export function noteSending(
  $: EngineInterface,
  e: { to: string; text: string; agentId?: string | undefined },
  result: Sending['result'],
): Sending {
  const at = formatTimestamp(new Date())
  // The row of a session that was killed stays in the registry; what was not queued reached nobody who could be named.
  const peerSessionId = result.isDelivered ? resolvePeer($, e.to) : Promise.resolve(undefined)
  return { to: e.to, text: e.text, at, agentId: e.agentId, result, peerSessionId }
}

/** Takes the first of a list that belongs to the same call: no shared id tells, so addressee, text and agent do. */
export function takeSame<One extends { to: string; text: string; agentId: string | undefined }>(
  list: One[],
  other: { to: string; text: string; agentId: string | undefined },
): One | undefined {
  const index = list.findIndex(
    one => one.to === other.to && one.text === other.text && one.agentId === other.agentId,
  )
  return index < 0 ? undefined : list.splice(index, 1)[0]
}

/** What the SendMessage tool answered, as far as it tells a session from an agent. */
interface SendMessageResult {
  msg_id?: unknown
  pin?: unknown
  resumedAgentId?: unknown
  message?: unknown
}

/**
 * Records a message that the model sent, once the tool has answered: only its result tells another session from an
 * agent of this one (docs/host.md, sending). Messages to agents are not between sessions (rule.sessionsOnly).
 */
export function recordToolSending(
  $: EngineInterface,
  load: Load,
  sending: Sending,
  toolResult: unknown,
): Promise<boolean> {
  const result = (
    typeof toolResult === 'object' && toolResult !== null ? toolResult : {}
  ) as SendMessageResult
  const msgId = msgIdOf(toolResult)
  if (msgId === undefined && isToAgent(load, sending, result)) return Promise.resolve(false)
  return recordSending($, load, sending, msgId)
}

/** The host's id of a message, where its answer has one. */
export function msgIdOf(toolResult: unknown): string | undefined {
  const { msg_id } = (
    typeof toolResult === 'object' && toolResult !== null ? toolResult : {}
  ) as SendMessageResult
  return typeof msg_id === 'string' ? msg_id : undefined
}

/**
 * Whether a message for which there is no tool's answer is one between sessions: by its address, by the registry, or
 * since it reached nobody and named no agent of this session.
 */
async function isBetweenSessions(load: Load, sending: Sending): Promise<boolean> {
  if (sending.to.startsWith('uds:') || (await sending.peerSessionId) !== undefined) return true
  return !sending.result.isDelivered && !load.agents.has(sending.to)
}

/**
 * Records messages for which there is no tool's answer, those that are between sessions.
 *
 * @returns whether one of them was written
 */
export async function recordUnanswered(
  $: EngineInterface,
  load: Load,
  sendings: Sending[],
): Promise<boolean> {
  const recorded: Promise<boolean>[] = []
  for (const sending of sendings)
    if (await isBetweenSessions(load, sending)) recorded.push(recordSending($, load, sending))
  return (await Promise.all(recorded)).includes(true)
}

function isToAgent(load: Load, sending: Sending, result: SendMessageResult): boolean {
  if (result.pin !== undefined || result.resumedAgentId !== undefined) return true
  if (
    typeof result.message === 'string' &&
    result.message.startsWith('Message queued for the main conversation')
  )
    return true
  return load.agents.has(sending.to)
}

/** Writes the sent entry: the host's answer as it gave it, which says only queued or not (rule.deliveryResult). */
export function recordSending(
  $: EngineInterface,
  load: Load,
  sending: Sending,
  msgId?: string,
): Promise<boolean> {
  if (!load.session) return Promise.resolve(false)
  const { id, cwd } = load.session
  const { to, text, at, result } = sending
  const entry = sending.peerSessionId.then(
    (peerSessionId): SentEntry => ({
      kind: 'message',
      side: 'sent',
      sessionId: id,
      at,
      cwd,
      peer: { as: to, ...(peerSessionId === undefined ? {} : { sessionId: peerSessionId }) },
      ...textFields(text, load.settings.recordText),
      isQueued: result.isDelivered,
      ...(result.isDelivered || result.reason === undefined ? {} : { reason: result.reason }),
      ...(msgId === undefined ? {} : { msgId }),
    }),
  )
  return recordEntry($, load, id, entry, text.length)
}
