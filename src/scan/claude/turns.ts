import { emptyTrace, endTurn, type Turn } from '../extract/turn.ts'
import type { Verdict } from '../extract/verdict.ts'
import type { TurnEnd } from '../message.ts'
import { type JsonObject, momentOf } from '../transcripts/json-row.ts'
import type { ClaudeState, Reading } from './state.ts'

/** Kinds of what is typed for the terminal: the model need not see it. */
const LOCAL = new Set(['slash_command', 'bash_input', 'plugin_command_in_system_row'])

/** Lets a message that was told begin a turn, join the one that runs, or end it. */
export function placeInTurn(
  { state, line, findings }: Reading,
  row: JsonObject,
  verdict: Verdict,
  seq: number,
): void {
  if (row.isSidechain === true) return
  const { turn } = state
  if (verdict.kind === 'interrupt') {
    turn.lastAt = momentOf(row.timestamp) ?? turn.lastAt
    return endTurn(state, findings, 'interrupted')
  }
  const isMidTurn = turn.open.length > 0 && turn.end === 'unknown' && turn.hasReply && LOCAL.has(verdict.kind)
  if (verdict.startsTurn && !isMidTurn) {
    const isWithLast = isDeliveredWithLast(state, row)
    const { isSeen, left } = line.add(row, seq)
    for (const one of left) findings.abandoned(one)
    if (isSeen) return
    if (!isWithLast) {
      endTurn(state, findings, endOf(turn))
      state.turn.isLocal = LOCAL.has(verdict.kind)
    }
  } else if (verdict.label === 'notice') return
  else line.join(seq)
  state.turn.open.push({ seq, trace: emptyTrace() })
  state.turn.lastAt = momentOf(row.timestamp) ?? state.turn.lastAt
}

/** Prompts that waited in the queue together are delivered one after the other and answered in one turn. */
function isDeliveredWithLast({ turn, prompts }: ClaudeState, row: JsonObject): boolean {
  const last = prompts.at(-1)
  return (
    row.promptSource === 'queued' &&
    turn.open.length > 0 &&
    !turn.hasReply &&
    !turn.isLocal &&
    last?.uuid === row.parentUuid
  )
}

/** How the turn would be called if nothing followed. */
export function endOf(turn: Turn): TurnEnd {
  return turn.isLocal && !turn.hasReply ? 'local' : turn.end
}
