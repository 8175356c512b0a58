import type { Findings } from '../extract/found.ts'
import { noTurn, type Turn } from '../extract/turn.ts'
import { type JsonObject, textOf } from '../transcripts/json-row.ts'
import type { ToolCalls } from './follow.ts'
import { type MainLine, mainLine, type Prompt } from './main-line.ts'
import { emptyQueue, type PlainQueue, type PromptQueue, promptQueue } from './prompt-queue.ts'

/** What is remembered between rows; JSON. */
export interface ClaudeState {
  session: string
  cwd: string | null
  version: string
  /** Whether the rows so far are those of a session at a terminal; null where none said. */
  isInteractive: boolean | null
  queue: PlainQueue
  turn: Turn
  calls: ToolCalls
  prompts: Prompt[]
  /** Messages that no answer has followed yet. */
  unanswered: { seq: number; sha256: string }[]
  /** The last answer's id: one answer may stand in several rows, with results of tools between them. */
  lastAnswer: string | null
}

/** A reading under way: its state, what of it is worked with in another form, and whom it tells. */
export interface Reading {
  state: ClaudeState
  /** `state.prompts`, looked up by row. */
  line: MainLine
  /** `state.queue`, looked up by text and id. */
  queue: PromptQueue
  findings: Findings
}

/** @param session the session's id where no row states one */
export function newClaudeState(session: string): ClaudeState {
  return {
    session,
    cwd: null,
    version: '',
    isInteractive: null,
    queue: emptyQueue(),
    turn: noTurn(),
    calls: {},
    prompts: [],
    unanswered: [],
    lastAnswer: null,
  }
}

export function beginReading(state: ClaudeState, findings: Findings): Reading {
  return { state, line: mainLine(state.prompts), queue: promptQueue(state.queue), findings }
}

/** The state of a reading as it is kept. */
export function stateOf({ state, queue }: Reading): ClaudeState {
  return { ...state, queue: { waiting: queue.waiting(), isDelivering: queue.isDelivering } }
}

/** Notes what a row says of its session. */
export function noteSession(state: ClaudeState, row: JsonObject): void {
  state.session = textOf(row.sessionId) ?? state.session
  state.cwd = textOf(row.cwd) ?? state.cwd
  state.version = textOf(row.version) ?? state.version
  if (row.entrypoint === 'cli' || row.thinkingMetadata !== undefined) state.isInteractive = true
  else if (typeof row.entrypoint === 'string') state.isInteractive = false
}
