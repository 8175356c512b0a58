import { hash } from 'node:crypto'
import type { Findings, RowPlace } from '../extract/found.ts'
import { addOnce, happened, said } from '../extract/turn.ts'
import { type JsonObject, objectOf, objectsOf, textOf } from '../transcripts/json-row.ts'
import { followCommandItem } from './follow.ts'
import { eventText } from './item-text.ts'
import { judgeParts, judgeReviewInstructions } from './judge.ts'
import { type CodexState, triggerIn } from './state.ts'
import { echo, tell } from './tell.ts'

/** Reads an item that an event tells whole: input, a request for a review, work, an answer. */
export function readCompletedItem(
  state: CodexState,
  findings: Findings,
  event: JsonObject,
  place: RowPlace,
): void {
  const item = objectOf(event.item)
  switch (item?.type) {
    case 'UserMessage':
      return readUserItem(state, findings, event, item, place)
    case 'EnteredReviewMode':
      return readReview(state, findings, item, place)
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
      return said(state.turn, linesOf(item.content))
  }
}

function linesOf(content: unknown): string {
  return objectsOf(content)
    .map(part => textOf(part.text) ?? '')
    .join('\n')
}

function readUserItem(
  state: CodexState,
  findings: Findings,
  event: JsonObject,
  item: JsonObject,
  place: RowPlace,
): void {
  const words = eventText(item.content)
  const row = textOf(item.id) ?? null
  const isTold = state.told.some(one => one.sha256 === hash('sha256', words))
  // A reviewer's thread reports here too; its prompt is a copy of the request that stands before it.
  const isOfAnother = event.thread_id !== undefined && event.thread_id !== state.thread.id
  if (isTold || isOfAnother) return echo(state, findings, words, place, row)
  const trigger = triggerIn(state, textOf(event.turn_id) ?? null)
  const parts = [{ type: 'text', text: words, kind: 'user.text', isHook: false }]
  tell(state, findings, { ...place, at: state.now, row }, judgeParts(parts, state.thread, trigger))
}

function readReview(state: CodexState, findings: Findings, item: JsonObject, place: RowPlace): void {
  const words = textOf(objectOf(item.target)?.instructions)
  if (words === undefined || words === '') return
  const { originator, source } = state.thread
  const verdict = judgeReviewInstructions(words, state.thread, { item: item.type, source, originator })
  tell(state, findings, { ...place, at: state.now, row: null }, verdict)
}
