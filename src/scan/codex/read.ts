import type { Findings, RowPlace, RowReader } from '../extract/found.ts'
import { closed } from '../extract/turn.ts'
import { type JsonObject, momentOf, objectOf, textOf } from '../transcripts/json-row.ts'
import { followItem } from './follow.ts'
import { partsOf, turnIdOf } from './item-text.ts'
import { judgeBareMessage, judgeParts } from './judge.ts'
import { readEvent } from './read-event.ts'
import { type CodexState, newCodexState, triggerIn } from './state.ts'
import { tell, undecided } from './tell.ts'
import { threadOf } from './thread.ts'
import { endOf } from './turns.ts'
import { settle } from './waiting.ts'

/** Reads the rows of a Codex rollout (docs/transcripts.md, Codex). */
export function codexReader(before: unknown, thread: string, findings: Findings): RowReader {
  const state = (before as CodexState | null) ?? newCodexState(thread)
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
      traces: closed(state.turn, endOf(state)),
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
  const where = { ...place, at: state.now, row: textOf(item.id) ?? null }
  if (state.isBare) return tell(state, findings, where, judgeBareMessage(parts))
  if (parts.some(part => part.kind !== null)) {
    const trigger = triggerIn(state, turnIdOf(item) ?? state.turnId)
    return tell(state, findings, where, judgeParts(parts, state.thread, trigger))
  }
  state.waiting = { parts, ...where }
}
