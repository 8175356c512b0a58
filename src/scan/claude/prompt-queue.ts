import type { RowPlace } from '../extract/found.ts'
import { type JsonObject, textOf } from '../transcripts/json-row.ts'
import { insideEnvelope } from './row-text.ts'
import { type SessionEvidence, unresolved, type Verdict, verdict } from './verdict.ts'

/** Words that a queue row holds and that no other row has shown yet. */
export interface Queued extends RowPlace {
  words: string
  at: string | null
  session: string
  /** `put`: waiting; `absorbed`: taken into the running turn; `removed`: taken out, the row does not say why. */
  state: 'put' | 'absorbed' | 'removed'
  /** The host's names for the command, which the row that delivers it repeats. */
  ids: string[]
  /** The rows before that held the same words. */
  before: RowPlace[]
}

/** The queue of prompts as its rows tell of it; plain data, kept between two readings. */
export interface PromptQueue {
  waiting: Queued[]
  /** Whether the last queue row took a prompt out to deliver it. */
  isDelivering: boolean
}

export const emptyQueue = (): PromptQueue => ({ waiting: [], isDelivering: false })

/** Takes a `queue-operation` row in. */
export function readQueueRow(queue: PromptQueue, row: JsonObject, place: RowPlace): void {
  queue.isDelivering = row.operation === 'dequeue'
  const words = textOf(row.content)
  if (words === undefined) return
  const queued: Queued = {
    ...place,
    words,
    at: textOf(row.timestamp) ?? null,
    session: textOf(row.sessionId) ?? '',
    state: 'put',
    ids: [textOf(row.commandUuid), textOf(row.deliveryId)].filter(id => id !== undefined),
    before: [],
  }
  if (row.operation === 'enqueue') queue.waiting.push(queued)
  else if (row.operation === 'remove') {
    const put = queue.waiting.findIndex(one => one.state === 'put' && isSame(one.words, words))
    const before = put === -1 ? [] : queue.waiting.splice(put, 1)
    queue.waiting.push({
      ...queued,
      state: row.reason === 'absorbed_mid_turn' ? 'absorbed' : 'removed',
      before: before.map(({ line, offset }) => ({ line, offset })),
    })
  }
}

/** Takes out what a row delivers: by the host's ids where both have them, else by the text, the oldest first. */
export function deliver(queue: PromptQueue, words: string, ids: string[] = []): Queued | undefined {
  const byId = queue.waiting.findIndex(one => one.ids.some(id => ids.includes(id)))
  const at = byId === -1 ? queue.waiting.findIndex(one => isSame(one.words, words)) : byId
  return at === -1 ? undefined : queue.waiting.splice(at, 1)[0]
}

/**
 * Whose words they are that stand in the queue's rows alone. Version 2.0 and some of 2.1 show what was taken into a
 * running turn nowhere else.
 */
export function judgeQueuedAlone(queued: Queued, session: SessionEvidence, version: string): Verdict {
  const fields = { queue: queued.state, version }
  const inEnvelope = queued.words.startsWith('<cross-session-message ') ? insideEnvelope(queued.words) : null
  if (inEnvelope !== null) return unresolved(inEnvelope, 'queued_peer', fields)
  const isAbsorbed = queued.state === 'absorbed' || (queued.state === 'removed' && /^2\.0\./.test(version))
  if (!isAbsorbed) return unresolved(queued.words, 'queued_not_delivered', fields)
  return session.isInteractive
    ? verdict('person', 'medium', 'queued_mid_turn', queued.words, fields)
    : unresolved(queued.words, 'queued_mid_turn', fields)
}

/** The host's notes of one task are one, also where a row cut its text short. */
function isSame(a: string, b: string): boolean {
  const task = (text: string) => /^<task-notification>\n<task-id>([^<]+)</.exec(text)?.[1]
  return a === b || (task(a) !== undefined && task(a) === task(b))
}
