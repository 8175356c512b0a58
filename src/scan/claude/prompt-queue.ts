import type { RowPlace } from '../extract/found.ts'
import { type JsonObject, momentOf, textOf } from '../transcripts/json-row.ts'
import type { QueueContext, Queued } from './queued.ts'
import { bashInput, envelopeIn, slashCommand } from './row-text.ts'
import { waitingPrompts } from './waiting-prompts.ts'

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

const NOT_BY_USER = '[MESSAGE FROM NON-USER SOURCE - NOT USER INPUT]\n'

/** How a delivered text may stand in the queue: as it is, or without what the host put around it since. */
function formsInQueue(text: string): string[] {
  const bare = text.startsWith(NOT_BY_USER) ? text.slice(NOT_BY_USER.length) : null
  const forms = [slashCommand(text), bashInput(text), envelopeIn(text), bare]
  return [text, ...forms.filter(form => form !== null)]
}
