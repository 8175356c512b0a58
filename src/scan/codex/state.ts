import type { RowPlace } from '../extract/found.ts'
import { noTurn, type Turn } from '../extract/turn.ts'
import { keyOf } from '../transcripts/json-row.ts'
import type { CodexCalls } from './follow.ts'
import type { Part } from './item-text.ts'
import type { TurnTrigger } from './judge.ts'
import { type Thread, unknownThread } from './thread.ts'

/** A user's message that waits for the row after it, which tells whether it is real input; plain data. */
export interface Waiting extends RowPlace {
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

/** What began a turn; undefined where no row has said it. */
export function triggerIn(state: CodexState, turnId: string | null): TurnTrigger {
  return turnId === null ? undefined : state.triggers[keyOf(turnId)]
}
