import type { Trace, TurnEnd } from '../message.ts'
import type { Findings } from './found.ts'

/** A message whose turn has not ended yet, and what followed it so far. */
export interface OpenTrace {
  seq: number
  trace: Trace
}

/** A message that nothing has followed yet, or of which nothing is known. */
export function emptyTrace(): Trace {
  return {
    end: 'unknown',
    endedAt: null,
    filesEdited: [],
    commands: [],
    commits: [],
    agents: [],
    lastWords: null,
  }
}

/** Longer last words are cut, and say so. */
const LONGEST_LAST_WORDS = 16_384

/** The turn that is running: its prompt, and what was said while it ran. */
export interface Turn {
  open: OpenTrace[]
  /** How it would be called if it ended now. */
  end: TurnEnd
  hasReply: boolean
  /** The program's id of it, where it has one. */
  id: string | null
  /** It began with a command for the terminal. */
  isLocal: boolean
  /** The time of its last row. */
  lastAt: string | null
}

export const noTurn = (): Turn => ({
  open: [],
  end: 'unknown',
  hasReply: false,
  id: null,
  isLocal: false,
  lastAt: null,
})

/** Adds to every open trace what happened in the turn. */
export function happened(turn: Turn, add: (trace: Trace) => void): void {
  for (const { trace } of turn.open) add(trace)
}

/** Notes what the assistant said; its last text stays. */
export function said(turn: Turn, words: string): void {
  const kept = words.length > LONGEST_LAST_WORDS ? `${words.slice(0, LONGEST_LAST_WORDS)} […]` : words
  happened(turn, trace => {
    trace.lastWords = kept
  })
}

/** Adds a value to a list that holds each once. */
export function addOnce(list: string[], value: string): void {
  if (!list.includes(value)) list.push(value)
}

/** The traces of a turn that ends like this. */
export function closed(turn: Turn, end: TurnEnd): [seq: number, trace: Trace][] {
  const endedAt = end === 'unknown' ? null : turn.lastAt
  return turn.open.map(({ seq, trace }) => [seq, { ...trace, end, endedAt }])
}

/** Ends the turn that runs, and tells what followed its messages. */
export function endTurn(state: { turn: Turn }, findings: Findings, end: TurnEnd): void {
  for (const [seq, trace] of closed(state.turn, end)) findings.trace(seq, trace)
  state.turn = noTurn()
}

/** Hashes that git's output names for what it committed: `[main 1a2b3c4] …`. */
export function commitsIn(command: string, output: string): string[] {
  if (!/\bgit\b/.test(command)) return []
  return [...output.matchAll(/^\[[^\]\n]*?\b([0-9a-f]{7,40})\]/gm)].map(match => match[1] as string)
}
