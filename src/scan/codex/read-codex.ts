import { hash } from 'node:crypto'
import type { Findings, Found, Provisional, RowPlace, RowReader } from '../extract/found.ts'
import { addOnce, closed, emptyTrace, happened, noTurn, said, type Turn } from '../extract/open-traces.ts'
import type { TurnEnd } from '../message.ts'
import { type JsonObject, keyOf, momentOf, objectOf, objectsOf, textOf } from '../transcripts/json-row.ts'
import { type CodexCalls, followCommandItem, followItem } from './follow-turn.ts'
import { eventText, type Part, partsOf, textOfParts, turnIdOf } from './item-text.ts'
import {
  type CodexVerdict,
  judgeAuthor,
  judgeBareMessage,
  judgeOldMessage,
  judgeParts,
  type TurnTrigger,
} from './judge-message.ts'
import { authorOf, type Thread, threadOf, unknownThread } from './thread.ts'

/** A user's message that waits for the row after it, which tells whether it is real input; plain data. */
interface Waiting extends RowPlace {
  parts: Part[]
  at: string | null
  row: string | null
}

/** What is remembered between rows; JSON. */
export interface CodexState {
  thread: Thread
  hasMeta: boolean
  isBare: boolean
  turn: Turn
  turnId: string | null
  calls: CodexCalls
  /** What began each turn, by its id. */
  triggers: Record<string, TurnTrigger>
  waiting: Waiting | null
  /** The messages of each turn so far: a thread can be rolled back by turns. */
  turns: number[][]
  /** What was told in this turn and no event has repeated yet. */
  told: { sha256: string; seq: number }[]
  /** User's messages so far. */
  messages: number
  /** The time of the file's first row: what a fork copies is written in the moment after it. */
  beganAt: string | null
  now: string | null
}

/** @param thread the thread's id where no row states one */
export function newCodexState(thread: string): CodexState {
  return {
    thread: unknownThread(thread),
    hasMeta: false,
    isBare: false,
    turn: noTurn(),
    turnId: null,
    calls: {},
    triggers: {},
    waiting: null,
    turns: [],
    told: [],
    messages: 0,
    beganAt: null,
    now: null,
  }
}

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

function triggerIn(state: CodexState, turnId: string | null): TurnTrigger {
  return turnId === null ? undefined : state.triggers[keyOf(turnId)]
}

function triggerOf(attribution: JsonObject): TurnTrigger {
  return attribution.turn_trigger === null ? null : textOf(attribution.turn_trigger)
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

/** An event that repeats what an item has told is another place of it. False: no item has. */
function echo(
  state: CodexState,
  findings: Findings,
  words: string,
  place: RowPlace,
  row: string | null,
): void {
  const sha256 = hash('sha256', words)
  const at = state.told.findIndex(one => one.sha256 === sha256)
  const [told] = at === -1 ? [] : state.told.splice(at, 1)
  if (told) findings.alsoAt(told.seq, { ...place, row })
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

/** Tells a message and lets it begin or join a turn. */
function tell(
  state: CodexState,
  findings: Findings,
  where: RowPlace & { at: string | null; row: string | null },
  verdict: CodexVerdict,
  isPrompt: boolean,
): void {
  const sha256 = hash('sha256', verdict.words)
  const seq = findings.message(found(state, where, verdict, sha256))
  state.told.push({ sha256, seq })
  if (!isPrompt) return
  // Steering belongs to the turn that runs; without turn ids, each prompt is taken for the beginning of one.
  const isSameTurn = state.turnId !== null && state.turn.id === state.turnId && state.turn.open.length > 0
  if (!isSameTurn) endTurn(state, findings, openEnd(state))
  if (!isSameTurn) state.turn.id = state.turnId
  state.turn.isLocal = verdict.kind === 'bang_shell_command'
  const last = state.turns.at(-1)
  // A command for the shell is no turn that can be rolled back by itself.
  if (last && (isSameTurn || state.turn.isLocal)) last.push(seq)
  else state.turns.push([seq])
  state.turn.open.push({ seq, trace: emptyTrace() })
  state.turn.lastAt = state.now ?? state.turn.lastAt
}

function found(
  state: CodexState,
  where: RowPlace & { at: string | null; row: string | null },
  { label, confidence, kind, words, fields }: CodexVerdict,
  sha256: string,
): Omit<Found, 'seq'> {
  const { thread } = state
  const { line, offset, row, at } = where
  const nth = state.messages++
  const own = row === null ? `${nth}:${line}` : row
  const keys = [`codex:${thread.id}:${own}:${sha256}`, `codex-nth:${thread.id}:${nth}:${sha256}`]
  // Older forks copy what came before into the new file in its first moment; their nth message is the first thread's.
  if (thread.forkedFrom !== null && !thread.isPaginated && isCopied(state))
    keys.push(`codex-nth:${thread.forkedFrom}:${nth}:${sha256}`)
  return {
    label,
    confidence,
    kind,
    words,
    fields,
    line,
    offset,
    row,
    at,
    session: thread.id,
    cwd: thread.cwd,
    keys,
  }
}

const COPIED_WITHIN_MS = 1_000

function isCopied({ beganAt, now, thread }: CodexState): boolean {
  if (beganAt === null || now === null) return false
  const since = Date.parse(now) - Date.parse(thread.startedAt ?? beganAt)
  return since < COPIED_WITHIN_MS || Date.parse(now) - Date.parse(beganAt) < COPIED_WITHIN_MS
}

/** A last item whose next row is not there yet. */
function undecided(state: CodexState, waiting: Waiting): Provisional {
  const text = textOfParts(waiting.parts)
  const verdict: CodexVerdict = {
    ...{ label: 'unresolved', confidence: 'low', kind: 'last_row', words: text },
    fields: { originator: state.thread.originator, source: state.thread.source },
  }
  const messages = state.messages
  const one = { ...found(state, waiting, verdict, hash('sha256', text)), also: [] }
  state.messages = messages
  return one
}

/** How the turn would be called if nothing followed: a thread without turn events is done once it was answered. */
function openEnd({ turn, turnId }: CodexState): TurnEnd {
  if (turn.end === 'error') return 'error'
  if (turn.isLocal && !turn.hasReply) return 'local'
  return turnId === null && turn.hasReply ? 'done' : 'unknown'
}

function endTurn(state: CodexState, findings: Findings, end: TurnEnd): void {
  for (const [seq, trace] of closed(state.turn, end)) findings.trace(seq, trace)
  state.turn = noTurn()
  state.told = state.told.slice(-4)
}
