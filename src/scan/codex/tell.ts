import { hash } from 'node:crypto'
import type { Findings, Found, Provisional, RowPlace } from '../extract/found.ts'
import { saysNothing, type Verdict } from '../extract/verdict.ts'
import { textOfParts } from './item-text.ts'
import type { CodexState, Waiting } from './state.ts'
import { placeInTurn } from './turns.ts'

/** Tells a message and lets it begin or join a turn. */
export function tell(
  state: CodexState,
  findings: Findings,
  where: RowPlace & { at: string | null; row: string | null },
  verdict: Verdict,
): void {
  const sha256 = hash('sha256', verdict.words)
  const seq = findings.message(found(state, where, verdict, sha256))
  state.messages += 1
  state.told.push({ sha256, seq })
  if (verdict.startsTurn) placeInTurn(state, findings, verdict.kind, seq)
}

/** A last item whose next row is not there yet. */
export function undecided(state: CodexState, waiting: Waiting): Provisional {
  const { originator, source } = state.thread
  const verdict = saysNothing(textOfParts(waiting.parts), 'last_row', { originator, source })
  return { ...found(state, waiting, verdict, hash('sha256', verdict.words)), also: [] }
}

function found(
  state: CodexState,
  { line, offset, row, at }: RowPlace & { at: string | null; row: string | null },
  { startsTurn: _, ...judged }: Verdict,
  sha256: string,
): Omit<Found, 'seq'> {
  const { thread, messages: nth } = state
  const keys = [
    `codex:${thread.id}:${row ?? `${nth}:${line}`}:${sha256}`,
    `codex-nth:${thread.id}:${nth}:${sha256}`,
  ]
  // Older forks copy what came before into the new file in its first moment; their nth message is the first thread's.
  if (thread.forkedFrom !== null && !thread.isPaginated && isCopied(state))
    keys.push(`codex-nth:${thread.forkedFrom}:${nth}:${sha256}`)
  return { ...judged, line, offset, row, at, session: thread.id, cwd: thread.cwd, keys }
}

const COPIED_WITHIN_MS = 1_000

function isCopied({ beganAt, now, thread }: CodexState): boolean {
  if (beganAt === null || now === null) return false
  const since = Date.parse(now) - Date.parse(thread.startedAt ?? beganAt)
  return since < COPIED_WITHIN_MS || Date.parse(now) - Date.parse(beganAt) < COPIED_WITHIN_MS
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
