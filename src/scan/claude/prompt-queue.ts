import type { RowPlace } from '../extract/found.ts'
import { type JsonObject, textOf } from '../transcripts/json-row.ts'
import { bashInput, envelopeIn, insideEnvelope, promptWords, slashCommand } from './row-text.ts'
import { notice, type SessionEvidence, unresolved, type Verdict, verdict } from './verdict.ts'

/** Words that a queue row holds and that no other row has shown yet. */
export interface Queued extends RowPlace {
  words: string
  at: string | null
  session: string
  /**
   * `put`: waiting; `absorbed`: taken into the running turn; `taken_back`: taken back into the input line at the
   * terminal; `removed`: taken out, the row does not say why.
   */
  state: 'put' | 'absorbed' | 'taken_back' | 'removed'
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
  const takeOut = (states: Queued['state'][]) => {
    const at = queue.waiting.findIndex(one => states.includes(one.state) && isSame(one.words, words))
    const [before] = at === -1 ? [] : queue.waiting.splice(at, 1)
    if (before) queued.before = [...before.before, { line: before.line, offset: before.offset }]
  }
  switch (row.operation) {
    case 'enqueue':
      // What was taken back and sent again as it was is one message.
      takeOut(['taken_back'])
      break
    case 'remove':
      takeOut(['put'])
      queued.state = row.reason === 'absorbed_mid_turn' ? 'absorbed' : 'removed'
      break
    case 'popAll':
      takeOut(['put'])
      queued.state = 'taken_back'
      break
    default:
      return
  }
  queue.waiting.push(queued)
}

/** Takes out what a row delivers: by the host's ids where both have them, else by the text, the oldest first. */
export function deliver(queue: PromptQueue, text: string, ids: string[] = []): Queued | undefined {
  if (queue.waiting.length === 0) return undefined
  const byId = queue.waiting.findIndex(one => one.ids.some(id => ids.includes(id)))
  const forms = formsInQueue(text)
  const find = (matches: typeof isSame) =>
    queue.waiting.findIndex(one => forms.some(form => matches(one.words, form)))
  // A task may notify more than once.
  const at = [byId, find(isEqual), find(isSame)].find(found => found !== -1) ?? -1
  return at === -1 ? undefined : queue.waiting.splice(at, 1)[0]
}

const NOT_BY_USER = '[MESSAGE FROM NON-USER SOURCE - NOT USER INPUT]\n'

/** How a delivered text may stand in the queue: as it is, or without what the host put around it since. */
function formsInQueue(text: string): string[] {
  const bare = text.startsWith(NOT_BY_USER) ? text.slice(NOT_BY_USER.length) : null
  const forms = [slashCommand(text), bashInput(text), envelopeIn(text), bare]
  return [text, ...forms.filter(form => form !== null)]
}

/**
 * Whose words they are that stand in the queue's rows alone. Version 2.0 and some of 2.1 show what was taken into a
 * running turn nowhere else.
 */
export function judgeQueuedAlone(
  queued: Queued,
  session: SessionEvidence & { tasks: readonly string[] },
  version: string,
): Verdict {
  const fields = { queue: queued.state, version }
  // Not every note is shown to the model. That the task is one of this session's tells it from a look-alike.
  if (session.tasks.includes(taskNamedIn(queued.words) ?? ''))
    return { ...notice(queued.words, 'task_notification', fields), confidence: 'medium' }
  const inEnvelope = /^<(cross-session|agent|teammate)-message /.test(queued.words)
    ? insideEnvelope(queued.words)
    : null
  if (inEnvelope !== null) return unresolved(inEnvelope, 'queued_peer', fields)
  const { words } = promptWords(queued.words)
  if (queued.state === 'taken_back' && session.isInteractive)
    return verdict('person', 'medium', 'queued_taken_back', words, fields)
  const isAbsorbed = queued.state === 'absorbed' || (queued.state === 'removed' && /^2\.0\./.test(version))
  if (!isAbsorbed) return unresolved(words, 'queued_not_delivered', fields)
  return session.isInteractive
    ? verdict('person', 'medium', 'queued_mid_turn', words, fields)
    : unresolved(words, 'queued_mid_turn', fields)
}

/** The task that a note of the host is about, by its form. */
export function taskNamedIn(text: string): string | undefined {
  return /^<task-notification>\n<task-id>([^<]+)</.exec(text)?.[1]
}

/** The host's notes of one task are one, also where a row cut its text short. */
function isSame(a: string, b: string): boolean {
  const task = taskNamedIn(a)
  return isEqual(a, b) || (task !== undefined && task === taskNamedIn(b))
}

function isEqual(a: string, b: string): boolean {
  return a.trimEnd() === b.trimEnd()
}
