import type { Verdict } from '../../src/scan/extract/verdict.ts'

/** A verdict in one line: label, confidence, kind, words; `+` where it begins a turn, `?` where the row says nothing. */
export function short({ label, confidence, kind, words, startsTurn, saysNothing }: Verdict): string {
  return `${label} ${confidence} ${kind}${startsTurn ? '+' : ''}${saysNothing ? '?' : ''}: ${words}`
}
