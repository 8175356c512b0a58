import { hash } from 'node:crypto'
import type { Findings, Found, Provisional, RowPlace } from '../extract/found.ts'
import { closed, emptyTrace, noTurn } from '../extract/open-traces.ts'
import type { TurnEnd } from '../message.ts'
import type { CodexState, Waiting } from './codex-state.ts'
import { textOfParts } from './item-text.ts'
import type { CodexVerdict } from './judge-message.ts'

/** Tells a message and lets it begin or join a turn. */
export function tell(
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
export function undecided(state: CodexState, waiting: Waiting): Provisional {
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
export function openEnd({ turn, turnId }: CodexState): TurnEnd {
  if (turn.end === 'error') return 'error'
  if (turn.isLocal && !turn.hasReply) return 'local'
  return turnId === null && turn.hasReply ? 'done' : 'unknown'
}

/** Ends the turn that runs, and tells what followed its messages. */
export function endTurn(state: CodexState, findings: Findings, end: TurnEnd): void {
  for (const [seq, trace] of closed(state.turn, end)) findings.trace(seq, trace)
  state.turn = noTurn()
  state.told = state.told.slice(-4)
}

/** An event that repeats what an item has told is another place of it. */
export function echo(
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
