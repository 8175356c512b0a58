import type { Findings } from '../extract/found.ts'
import { emptyTrace, endTurn } from '../extract/turn.ts'
import type { TurnEnd } from '../message.ts'
import { SHELL_KIND } from './judge.ts'
import type { CodexState } from './state.ts'

/** Lets a prompt that was told begin a turn or join the one that runs. */
export function placeInTurn(state: CodexState, findings: Findings, kind: string, seq: number): void {
  // Steering belongs to the turn that runs; without turn ids, each prompt is taken for the beginning of one.
  const isSameTurn = state.turnId !== null && state.turn.id === state.turnId && state.turn.open.length > 0
  if (!isSameTurn) closeTurn(state, findings, endOf(state))
  if (!isSameTurn) state.turn.id = state.turnId
  state.turn.isLocal = kind === SHELL_KIND
  const last = state.turns.at(-1)
  // A command for the shell is no turn that can be rolled back by itself.
  if (last && (isSameTurn || state.turn.isLocal)) last.push(seq)
  else state.turns.push([seq])
  state.turn.open.push({ seq, trace: emptyTrace() })
  state.turn.lastAt = state.now ?? state.turn.lastAt
}

/** How the turn would be called if nothing followed: a thread without turn events is done once it was answered. */
export function endOf({ turn, turnId }: CodexState): TurnEnd {
  if (turn.end === 'error') return 'error'
  if (turn.isLocal && !turn.hasReply) return 'local'
  return turnId === null && turn.hasReply ? 'done' : 'unknown'
}

/** So many messages of ended turns are kept: an event may repeat them late. */
const REPEATED_LATE = 4

/** Ends the turn that runs. */
export function closeTurn(state: CodexState, findings: Findings, end: TurnEnd): void {
  endTurn(state, findings, end)
  state.told = state.told.slice(-REPEATED_LATE)
}

/** The person went back before the last turns and on from there. */
export function rollBack(state: CodexState, findings: Findings, turns: unknown): void {
  if (typeof turns !== 'number' || !(turns >= 1)) return
  for (const seq of state.turns.splice(-Math.floor(turns)).flat()) findings.abandoned(seq)
}
