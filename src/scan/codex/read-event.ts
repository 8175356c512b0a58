import type { Findings, RowPlace } from '../extract/found.ts'
import { said } from '../extract/turn.ts'
import type { TurnEnd } from '../message.ts'
import { type JsonObject, keyOf, objectOf, textOf } from '../transcripts/json-row.ts'
import { textOfParts } from './item-text.ts'
import { judgeInput, type TurnTrigger } from './judge.ts'
import { readCompletedItem } from './read-completed-item.ts'
import type { CodexState } from './state.ts'
import { echo, tell } from './tell.ts'
import { closeTurn, rollBack } from './turns.ts'
import { settle } from './waiting.ts'

/** Reads an `event_msg` row: turns that begin and end, and what older versions tell of input and work by events. */
export function readEvent(state: CodexState, findings: Findings, event: JsonObject, place: RowPlace): void {
  if (event.type === 'user_message') return readUserMessage(state, findings, event, place)
  settle(state, findings, null)
  state.turn.lastAt = state.now ?? state.turn.lastAt
  switch (event.type) {
    case 'task_started': {
      state.turnId = textOf(event.turn_id) ?? null
      const attribution = objectOf(event.turn_attribution)
      if (state.turnId !== null && attribution) state.triggers[keyOf(state.turnId)] = triggerOf(attribution)
      return
    }
    case 'agent_message':
      return said(state.turn, textOf(event.message) ?? '')
    case 'task_complete':
      return closeTurn(state, findings, completeEnd(state, event))
    case 'turn_aborted':
      return closeTurn(state, findings, event.reason === 'interrupted' ? 'interrupted' : 'unknown')
    case 'error':
    case 'stream_error':
      state.turn.end = 'error'
      return
    case 'thread_rolled_back':
      return rollBack(state, findings, event.num_turns)
    case 'item_completed':
      return readCompletedItem(state, findings, event, place)
  }
}

function completeEnd(state: CodexState, event: JsonObject): TurnEnd {
  if (state.turn.end === 'error' || objectOf(event.error)) return 'error'
  const last = textOf(event.last_agent_message)
  if (last !== undefined) said(state.turn, last)
  if (last !== undefined || state.turn.hasReply) return 'done'
  return state.turn.isLocal ? 'local' : 'unknown'
}

/** The event that versions to 0.140 write for real input, right after the item. */
function readUserMessage(state: CodexState, findings: Findings, event: JsonObject, place: RowPlace): void {
  const text = textOf(event.message)
  if (text === undefined) return settle(state, findings, null)
  const { waiting } = state
  if (waiting !== null && repeats(textOfParts(waiting.parts), text)) {
    settle(state, findings, text)
    return echo(state, findings, text, place, null)
  }
  settle(state, findings, null)
  const { originator, source } = state.thread
  const verdict = judgeInput(text, state.thread, { event: 'user_message', originator, source })
  tell(state, findings, { ...place, at: state.now, row: null }, verdict)
}

/** Whether an event repeats an item: a newer item holds what the program put before the words as well. */
function repeats(item: string, event: string): boolean {
  return event === item || (event !== '' && item.endsWith(event))
}

function triggerOf(attribution: JsonObject): TurnTrigger {
  return attribution.turn_trigger === null ? null : textOf(attribution.turn_trigger)
}
