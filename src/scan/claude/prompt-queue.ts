import type { RowPlace } from '../extract/found.ts'
import { type JsonObject, momentOf, textOf } from '../transcripts/json-row.ts'
import { bashInput, envelopeIn, insideEnvelope, promptWords, slashCommand } from './row-text.ts'
import { notice, unresolved, type Verdict, verdict } from './verdict.ts'

/** What the transcript showed of its session when a queue row was written. */
export interface QueueContext {
  version: string
  cwd: string | null
  /** A person sits at this session's terminal; null where no row before said. */
  isInteractive: boolean | null
}

/** Words that a queue row holds and that no other row has shown yet. */
export interface Queued extends RowPlace, QueueContext {
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
  const goesOnFrom = (state: Queued['state']) => {
    const before = takeOut(
      queue,
      queue.waiting.findIndex(one => one.state === state && isSame(one.words, words)),
    )
    if (before) queued.before = [...before.before, { line: before.line, offset: before.offset }]
  }
  switch (row.operation) {
    case 'enqueue':
      // What was taken back and sent again as it was is one message.
      goesOnFrom('taken_back')
      break
    case 'remove':
      goesOnFrom('put')
      queued.state = row.reason === 'absorbed_mid_turn' ? 'absorbed' : 'removed'
      break
    case 'popAll':
      goesOnFrom('put')
      queued.state = 'taken_back'
      break
    default:
      return
  }
  queue.waiting.push(queued)
}

/** Takes out what a row delivers into a running turn: by the host's ids where both have them, else by the text, the oldest first. */
export function deliverMidTurn(queue: PromptQueue, text: string, ids: string[]): Queued | undefined {
  const byId = queue.waiting.findIndex(one => one.ids.some(id => ids.includes(id)))
  return takeOut(queue, byId === -1 ? placeOf(queue, text, () => true) : byId)
}

const NOT_BY_USER = '[MESSAGE FROM NON-USER SOURCE - NOT USER INPUT]\n'

/** How a delivered text may stand in the queue: as it is, or without what the host put around it since. */
function formsInQueue(text: string): string[] {
  const bare = text.startsWith(NOT_BY_USER) ? text.slice(NOT_BY_USER.length) : null
  const forms = [slashCommand(text), bashInput(text), envelopeIn(text), bare]
  return [text, ...forms.filter(form => form !== null)]
}

/**
 * Takes out the prompt that begins a turn, by its text, the oldest first. What was taken into an earlier turn stays: the
 * same words given again are another message, and so are words that were typed while the queue delivered nothing.
 */
export function deliverPrompt(queue: PromptQueue, text: string, promptSource: unknown): Queued | undefined {
  const mayBe = ({ state }: Queued) => {
    // What was taken back into the input line is typed when it is sent.
    if (state === 'taken_back') return promptSource === 'typed'
    if (promptSource === 'typed' && !queue.isDelivering) return false
    return state === 'put' || (state === 'removed' && promptSource === 'queued')
  }
  return takeOut(queue, placeOf(queue, text, mayBe))
}

/** The oldest in the queue that holds a text; one that holds it whole before one that only tells of the same task. */
function placeOf(queue: PromptQueue, text: string, mayBe: (one: Queued) => boolean): number {
  if (queue.waiting.length === 0) return -1
  const forms = formsInQueue(text)
  const find = (matches: typeof isSame) =>
    queue.waiting.findIndex(one => mayBe(one) && forms.some(form => matches(one.words, form)))
  const equal = find(isEqual)
  return equal === -1 ? find(isSame) : equal
}

function takeOut(queue: PromptQueue, at: number): Queued | undefined {
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
  const { version, state } = queued
  const fields = { queue: state, version }
  const inEnvelope = queued.words.startsWith('<cross-session-message ') ? insideEnvelope(queued.words) : null
  if (inEnvelope !== null) return unresolved(inEnvelope, 'queued_peer', fields)
  // Not every note of a task is shown to the model.
  if (queued.words.startsWith('<task-notification>'))
    return { ...notice(queued.words, 'task_notification', fields), confidence: 'medium' }
  const { words } = promptWords(queued.words)
  const isPersons = queued.isInteractive === true && !HOST_FORMS.test(words)
  if (state === 'taken_back' && isPersons)
    return verdict('person', 'medium', 'queued_taken_back', words, fields)
  const isAbsorbed = state === 'absorbed' || (state === 'removed' && /^2\.0\./.test(version))
  if (!isAbsorbed) return unresolved(words, 'queued_not_delivered', fields)
  return isPersons
    ? verdict('person', 'medium', 'queued_mid_turn', words, fields)
    : unresolved(words, 'queued_mid_turn', fields)
}

/** The host's notes of one task are one, also where a row cut its text short. */
function isSame(a: string, b: string): boolean {
  if (isEqual(a, b)) return true
  const task = (text: string) =>
    text.startsWith('<task-notification>')
      ? /^<task-notification>\n<task-id>([^<]+)</.exec(text)?.[1]
      : undefined
  const id = task(a)
  return id !== undefined && id === task(b)
}

function isEqual(a: string, b: string): boolean {
  return a.trimEnd() === b.trimEnd()
}
