import type { RowPlace } from '../extract/found.ts'
import { type JsonObject, momentOf, textOf } from '../transcripts/json-row.ts'
import { insideEnvelope } from './row-text.ts'
import { notice, unresolved, type Verdict, verdict } from './verdict.ts'

/** What the transcript showed of its session when a queue row was written. */
export interface QueueContext {
  version: string
  cwd: string | null
  /** A person sits at this session's terminal. */
  isInteractive: boolean
}

/** Words that a queue row holds and that no other row has shown yet. */
export interface Queued extends RowPlace, QueueContext {
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
  /** Whether a prompt was taken out to be delivered, and no answer has come since. */
  isDelivering: boolean
}

export const emptyQueue = (): PromptQueue => ({ waiting: [], isDelivering: false })

/** Takes a `queue-operation` row in. */
export function readQueueRow(
  queue: PromptQueue,
  row: JsonObject,
  place: RowPlace,
  context: QueueContext,
): void {
  if (row.operation === 'dequeue') queue.isDelivering = true
  const words = textOf(row.content)
  if (words === undefined) return
  const queued: Queued = {
    ...place,
    ...context,
    words,
    at: momentOf(row.timestamp),
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

/** Takes out what a row delivers into a running turn: by the host's ids where both have them, else by the text, the oldest first. */
export function deliverMidTurn(queue: PromptQueue, words: string, ids: string[]): Queued | undefined {
  const byId = queue.waiting.findIndex(one => one.ids.some(id => ids.includes(id)))
  const at = byId === -1 ? queue.waiting.findIndex(one => isSame(one.words, words)) : byId
  return at === -1 ? undefined : queue.waiting.splice(at, 1)[0]
}

/**
 * Takes out the prompt that begins a turn, by its text, the oldest first. What was taken into an earlier turn stays: the
 * same words given again are another message, and so are words that were typed while the queue delivered nothing.
 */
export function deliverPrompt(
  queue: PromptQueue,
  forms: string[],
  promptSource: unknown,
): Queued | undefined {
  if (promptSource === 'typed' && !queue.isDelivering) return undefined
  const at = queue.waiting.findIndex(
    one =>
      (one.state === 'put' || (one.state === 'removed' && promptSource === 'queued')) &&
      forms.some(words => isSame(one.words, words)),
  )
  return at === -1 ? undefined : queue.waiting.splice(at, 1)[0]
}

/** The forms of what the host puts into the queue itself. A queue row says nothing else of where its words came from. */
const HOST_FORMS =
  /^(?:<(?:agent-message|teammate-message|system-reminder|channel)\b|\[MESSAGE FROM NON-USER SOURCE)/

/**
 * Whose words they are that stand in the queue's rows alone. Version 2.0 and some of 2.1 show what was taken into a
 * running turn nowhere else.
 */
export function judgeQueuedAlone(queued: Queued): Verdict {
  const { words, version, state } = queued
  const fields = { queue: state, version }
  const inEnvelope = words.startsWith('<cross-session-message ') ? insideEnvelope(words) : null
  if (inEnvelope !== null) return unresolved(inEnvelope, 'queued_peer', fields)
  if (words.startsWith('<task-notification>'))
    return { ...notice(words, 'task_notification', fields), confidence: 'medium' }
  const isAbsorbed = state === 'absorbed' || (state === 'removed' && /^2\.0\./.test(version))
  if (!isAbsorbed) return unresolved(words, 'queued_not_delivered', fields)
  return queued.isInteractive && !HOST_FORMS.test(words)
    ? verdict('person', 'medium', 'queued_mid_turn', words, fields)
    : unresolved(words, 'queued_mid_turn', fields)
}

/** The host's notes of one task are one, also where a row cut its text short. */
function isSame(a: string, b: string): boolean {
  if (a === b) return true
  const task = (text: string) =>
    text.startsWith('<task-notification>')
      ? /^<task-notification>\n<task-id>([^<]+)</.exec(text)?.[1]
      : undefined
  const id = task(a)
  return id !== undefined && id === task(b)
}
