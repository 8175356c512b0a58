import { hash } from 'node:crypto'
import type { Findings, RowPlace, RowReader } from '../extract/found.ts'
import { addOnce, closed, happened, said } from '../extract/open-traces.ts'
import type { TurnEnd } from '../message.ts'
import { type JsonObject, keyOf, momentOf, objectOf, objectsOf, textOf } from '../transcripts/json-row.ts'
import type { CodexState } from './codex-state.ts'
import { followCommandItem, followItem } from './follow-turn.ts'
import { eventText, partsOf, textOfParts, turnIdOf } from './item-text.ts'
import {
  type CodexVerdict,
  judgeAuthor,
  judgeBareMessage,
  judgeOldMessage,
  judgeParts,
  type TurnTrigger,
} from './judge-message.ts'
import { echo, endTurn, openEnd, tell, undecided } from './tell-message.ts'
import { authorOf, threadOf } from './thread.ts'

/** Reads the rows of a Codex rollout (docs/transcripts.md, Codex). */
export function codexReader(state: CodexState, findings: Findings): RowReader<CodexState> {
  return {
    state,
    read(row, place) {
      state.now = momentOf(row.timestamp) ?? state.now
      state.beganAt ??= state.now
      const payload = objectOf(row.payload)
      if (row.type === 'session_meta' && payload) return readMeta(state, payload)
      if (row.type === undefined && textOf(row.id) !== undefined && payload === undefined) {
        state.isBare = true
        return readMeta(state, row)
      }
      if (row.type === 'response_item' && payload) return readItem(state, findings, payload, place)
      if (row.type === 'event_msg' && payload) return readEvent(state, findings, payload, place)
      settle(state, findings, null)
      if (state.isBare && row.type !== undefined) {
        state.now = null
        readItem(state, findings, row, place)
      }
    },
    provisional: () => ({
      messages: state.waiting === null ? [] : [undecided(state, state.waiting)],
      traces: closed(state.turn, openEnd(state)),
    }),
  }
}

/** A fork of the older kind repeats the first row of the thread it came from: the first one is the file's own. */
function readMeta(state: CodexState, meta: JsonObject): void {
  if (state.hasMeta) return
  state.hasMeta = true
  state.thread = threadOf(meta, state.thread)
}

function readItem(state: CodexState, findings: Findings, item: JsonObject, place: RowPlace): void {
  settle(state, findings, null)
  if (item.type !== 'message' || item.role !== 'user') {
    if (/_output$/.test(textOf(item.type) ?? '')) findings.toolResult()
    state.turn.lastAt = state.now ?? state.turn.lastAt
    return followItem(state.turn, state.calls, item)
  }
  const parts = partsOf(item)
  const row = textOf(item.id) ?? null
  const where = { ...place, at: state.now, row }
  if (state.isBare) return tell(state, findings, where, judgeBareMessage(parts), true)
  if (parts.some(part => part.kind !== null)) {
    const trigger = triggerIn(state, turnIdOf(item) ?? state.turnId)
    const verdict = judgeParts(parts, state.thread, trigger)
    return tell(state, findings, where, verdict, isPrompt(verdict))
  }
  state.waiting = { parts, ...where }
}

/** Tells a waiting message once the row after it is known. */
function settle(state: CodexState, findings: Findings, event: string | null): void {
  const { waiting } = state
  if (waiting === null) return
  state.waiting = null
  const verdict = judgeOldMessage(waiting.parts, state.thread, event)
  tell(state, findings, waiting, verdict, isPrompt(verdict))
}

function isPrompt(verdict: CodexVerdict): boolean {
  return verdict.label !== 'notice'
}

function readEvent(state: CodexState, findings: Findings, event: JsonObject, place: RowPlace): void {
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
      return endTurn(state, findings, completeEnd(state, event))
    case 'turn_aborted':
      return endTurn(state, findings, event.reason === 'interrupted' ? 'interrupted' : 'unknown')
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

/** The person went back before the last turns and on from there. */
function rollBack(state: CodexState, findings: Findings, turns: unknown): void {
  if (typeof turns !== 'number' || !(turns >= 1)) return
  for (const seq of state.turns.splice(-Math.floor(turns)).flat()) findings.abandoned(seq)
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
  const fields = { event: 'user_message', originator: state.thread.originator, source: state.thread.source }
  tell(
    state,
    findings,
    { ...place, at: state.now, row: null },
    { ...judgeAuthor(state.thread), words: text, fields },
    true,
  )
}

/** Whether an event repeats an item: a newer item holds what the program put before the words as well. */
function repeats(item: string, event: string): boolean {
  return event === item || (event !== '' && item.endsWith(event))
}

function readCompletedItem(state: CodexState, findings: Findings, event: JsonObject, place: RowPlace): void {
  const item = objectOf(event.item)
  const row = textOf(item?.id) ?? null
  switch (item?.type) {
    case 'UserMessage': {
      const words = eventText(item.content)
      const isTold = state.told.some(one => one.sha256 === hash('sha256', words))
      // A reviewer's thread reports here too; its prompt is a copy of the request that stands before it.
      const isOfAnother = event.thread_id !== undefined && event.thread_id !== state.thread.id
      if (isTold || isOfAnother) return echo(state, findings, words, place, row)
      const trigger = triggerIn(state, textOf(event.turn_id) ?? null)
      const parts = [{ type: 'text', text: words, kind: 'user.text', isHook: false }]
      return tell(
        state,
        findings,
        { ...place, at: state.now, row },
        judgeParts(parts, state.thread, trigger),
        true,
      )
    }
    case 'EnteredReviewMode': {
      const words = textOf(objectOf(item.target)?.instructions)
      if (words === undefined || words === '') return
      const label = authorOf(state.thread) ?? 'unresolved'
      const fields = { item: item.type, source: state.thread.source, originator: state.thread.originator }
      const kind = 'review_instructions_in_event'
      const confidence = label === 'unresolved' ? 'low' : 'medium'
      return tell(
        state,
        findings,
        { ...place, at: state.now, row: null },
        { label, confidence, kind, words, fields },
        true,
      )
    }
    case 'CommandExecution':
      return followCommandItem(state.turn, state.calls, item)
    case 'FileChange':
      for (const file of Object.keys(objectOf(item.changes) ?? {}))
        happened(state.turn, trace => addOnce(trace.filesEdited, file))
      return
    case 'CollabAgentToolCall': {
      if (item.tool !== 'spawn_agent') return
      const description = textOf(item.prompt) ?? null
      const ids = Array.isArray(item.receiver_thread_ids) ? item.receiver_thread_ids : []
      return happened(state.turn, trace => {
        for (const id of ids) trace.agents.push({ id: textOf(id) ?? null, description })
      })
    }
    case 'AgentMessage':
      state.turn.hasReply = true
      return said(
        state.turn,
        objectsOf(item.content)
          .map(part => textOf(part.text) ?? '')
          .join('\n'),
      )
  }
}

function triggerIn(state: CodexState, turnId: string | null): TurnTrigger {
  return turnId === null ? undefined : state.triggers[keyOf(turnId)]
}

function triggerOf(attribution: JsonObject): TurnTrigger {
  return attribution.turn_trigger === null ? null : textOf(attribution.turn_trigger)
}
