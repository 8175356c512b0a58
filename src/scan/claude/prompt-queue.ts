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

/** The queue of prompts as its rows tell of it. */
export interface PromptQueue {
  /** Whether a prompt was taken out to be delivered, and no answer has come since. */
  isDelivering: boolean
  /** Takes a `queue-operation` row in. */
  read(row: JsonObject, place: RowPlace, context: QueueContext): void
  /** Takes out what a row delivers into a running turn: by the host's ids where both have them, else by the text, the oldest first. */
  deliverMidTurn(words: string, ids: string[]): Queued | undefined
  /**
   * Takes out the prompt that begins a turn, by its text, the oldest first. What was taken into an earlier turn stays:
   * the same words given again are another message, and so are words that were typed while the queue delivered nothing.
   */
  deliverPrompt(forms: string[], promptSource: unknown): Queued | undefined
  /** What no other row has shown, in the order of the rows. */
  waiting(): Queued[]
}

/** A queue as plain data, kept between two readings. */
export interface PlainQueue {
  waiting: Queued[]
  isDelivering: boolean
}

export function promptQueue(before: PlainQueue): PromptQueue {
  const waiting = new Set<Queued>()
  const byWords = new Map<string, Set<Queued>>()
  const byId = new Map<string, Queued>()
  const add = (queued: Queued) => {
    waiting.add(queued)
    const form = formOf(queued.words)
    const same = byWords.get(form)
    if (same) same.add(queued)
    else byWords.set(form, new Set([queued]))
    for (const id of queued.ids) byId.set(id, queued)
  }
  const take = (queued: Queued): Queued => {
    waiting.delete(queued)
    const form = formOf(queued.words)
    const same = byWords.get(form)
    same?.delete(queued)
    if (same?.size === 0) byWords.delete(form)
    for (const id of queued.ids) byId.delete(id)
    return queued
  }
  const first = (words: string, fits: (one: Queued) => boolean): Queued | undefined => {
    for (const one of byWords.get(formOf(words)) ?? []) if (fits(one)) return one
    return undefined
  }
  for (const queued of before.waiting) add(queued)
  return {
    isDelivering: before.isDelivering,
    read(row, place, context) {
      if (row.operation === 'dequeue') this.isDelivering = true
      const words = textOf(row.content)
      if (words === undefined || (row.operation !== 'enqueue' && row.operation !== 'remove')) return
      const put = row.operation === 'remove' ? first(words, one => one.state === 'put') : undefined
      if (put) take(put)
      const removed = row.reason === 'absorbed_mid_turn' ? 'absorbed' : 'removed'
      add({
        ...place,
        ...context,
        words,
        at: momentOf(row.timestamp),
        session: textOf(row.sessionId) ?? '',
        state: row.operation === 'enqueue' ? 'put' : removed,
        ids: [textOf(row.commandUuid), textOf(row.deliveryId)].filter(id => id !== undefined),
        before: put ? [{ line: put.line, offset: put.offset }] : [],
      })
    },
    deliverMidTurn(words, ids) {
      const named = ids.map(id => byId.get(id)).find(one => one !== undefined)
      const queued = named ?? first(words, () => true)
      return queued && take(queued)
    },
    deliverPrompt(forms, promptSource) {
      if (promptSource === 'typed' && !this.isDelivering) return undefined
      const fits = ({ state }: Queued) =>
        state === 'put' || (state === 'removed' && promptSource === 'queued')
      const queued = forms.map(words => first(words, fits)).find(one => one !== undefined)
      return queued && take(queued)
    },
    waiting: () => [...waiting],
  }
}

/** The host's notes of one task are one, also where a row cut its text short. */
function formOf(words: string): string {
  const task = words.startsWith('<task-notification>')
    ? /^<task-notification>\n<task-id>([^<]+)</.exec(words)?.[1]
    : undefined
  return task === undefined ? words : `<task-notification>\n${task}`
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
