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

/** The queue of prompts as its rows tell of it. */
export interface PromptQueue {
  /** Whether a prompt was taken out to be delivered, and no answer has come since. */
  isDelivering: boolean
  /** Takes a `queue-operation` row in. */
  read(row: JsonObject, place: RowPlace, context: QueueContext): void
  /** Takes out what a row delivers into a running turn: by the host's ids where both have them, else by the text, the oldest first. */
  deliverMidTurn(text: string, ids: string[]): Queued | undefined
  /**
   * Takes out the prompt that begins a turn, by its text, the oldest first. What was taken into an earlier turn stays:
   * the same words given again are another message, and so are words that were typed while the queue delivered nothing.
   */
  deliverPrompt(text: string, promptSource: unknown): Queued | undefined
  /** What no other row has shown, in the order of the rows. */
  waiting(): Queued[]
}

/** A queue as plain data, kept between two readings. */
export interface PlainQueue {
  waiting: Queued[]
  isDelivering: boolean
}

export const emptyQueue = (): PlainQueue => ({ waiting: [], isDelivering: false })

export function promptQueue(before: PlainQueue): PromptQueue {
  const waiting = waitingPrompts(before.waiting)
  return {
    isDelivering: before.isDelivering,
    read(row, place, context) {
      if (row.operation === 'dequeue') this.isDelivering = true
      const words = textOf(row.content)
      if (words === undefined) return
      const queued: Queued = {
        ...{ ...place, ...context, words, state: 'put', before: [] },
        at: momentOf(row.timestamp),
        session: textOf(row.sessionId) ?? '',
        ids: [textOf(row.commandUuid), textOf(row.deliveryId)].filter(id => id !== undefined),
      }
      const goesOnFrom = (state: Queued['state']) => {
        const last = waiting.take([words], [state])
        if (last) queued.before = [...last.before, { line: last.line, offset: last.offset }]
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
      waiting.add(queued)
    },
    deliverMidTurn: (text, ids) => waiting.takeById(ids) ?? waiting.take(formsInQueue(text), STATES),
    deliverPrompt(text, promptSource) {
      const states: Queued['state'][] = []
      // What was taken back into the input line is typed when it is sent.
      if (promptSource === 'typed') states.push('taken_back')
      if (promptSource !== 'typed' || this.isDelivering) states.push('put')
      if (promptSource === 'queued') states.push('removed')
      return waiting.take(formsInQueue(text), states)
    },
    waiting: waiting.all,
  }
}

const STATES: Queued['state'][] = ['put', 'absorbed', 'taken_back', 'removed']

/** Prompts by state, text and id: a session may queue very many that no row delivers. */
function waitingPrompts(before: Queued[]) {
  const all = new Set<Queued>()
  const byForm = new Map<string, Set<Queued>>()
  const byId = new Map<string, Queued>()
  const keysOf = ({ words, state }: Queued) =>
    [wholeForm(words), taskForm(words)].flatMap(form => (form === null ? [] : [`${state}${form}`]))
  const remove = (queued: Queued): Queued => {
    all.delete(queued)
    for (const id of queued.ids) byId.delete(id)
    for (const key of keysOf(queued)) {
      const same = byForm.get(key)
      same?.delete(queued)
      if (same?.size === 0) byForm.delete(key)
    }
    return queued
  }
  const add = (queued: Queued) => {
    all.add(queued)
    for (const id of queued.ids) byId.set(id, queued)
    for (const key of keysOf(queued)) {
      const same = byForm.get(key)
      if (same) same.add(queued)
      else byForm.set(key, new Set([queued]))
    }
  }
  const oldest = (forms: (string | null)[], states: Queued['state'][]): Queued | undefined => {
    const found = forms.flatMap(form => states.flatMap(state => firstOf(byForm.get(`${state}${form}`))))
    return found.reduce<Queued | undefined>(
      (a, b) => (a === undefined || b.offset < a.offset ? b : a),
      undefined,
    )
  }
  for (const queued of before) add(queued)
  return {
    add,
    /** Takes out the oldest that holds a text; one that holds it whole before one that only tells of the same task. */
    take(texts: string[], states: Queued['state'][]): Queued | undefined {
      const found = oldest(texts.map(wholeForm), states) ?? oldest(texts.map(taskForm), states)
      return found && remove(found)
    },
    takeById(ids: string[]): Queued | undefined {
      const found = ids.map(id => byId.get(id)).find(one => one !== undefined)
      return found && remove(found)
    },
    all: () => [...all],
  }
}

function firstOf<T>(things: Set<T> | undefined): T[] {
  for (const thing of things ?? []) return [thing]
  return []
}

function wholeForm(words: string): string {
  return `=${words.trimEnd()}`
}

/** The host's notes of one task are one, also where a row cut its text short. */
function taskForm(words: string): string | null {
  const id = words.startsWith('<task-notification>')
    ? /^<task-notification>\n<task-id>([^<]+)</.exec(words)?.[1]
    : undefined
  return id === undefined ? null : `#${id}`
}

const NOT_BY_USER = '[MESSAGE FROM NON-USER SOURCE - NOT USER INPUT]\n'

/** How a delivered text may stand in the queue: as it is, or without what the host put around it since. */
function formsInQueue(text: string): string[] {
  const bare = text.startsWith(NOT_BY_USER) ? text.slice(NOT_BY_USER.length) : null
  const forms = [slashCommand(text), bashInput(text), envelopeIn(text), bare]
  return [text, ...forms.filter(form => form !== null)]
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
