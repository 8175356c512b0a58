import type { Confidence, Label } from '../message.ts'
import type { Found } from './found.ts'

/** What one row says about the words in it. */
export interface Verdict
  extends Pick<
    Found,
    'label' | 'confidence' | 'kind' | 'words' | 'fields' | 'saysNothing' | 'deliveries' | 'launchedBy'
  > {
  /** Whether the program takes these words as the beginning of a turn. */
  startsTurn: boolean
}

/** A verdict about words that do not begin a turn. */
export function verdict(
  label: Label,
  confidence: Confidence,
  kind: string,
  words: string,
  fields: Record<string, unknown>,
): Verdict {
  return { label, confidence, kind, words, fields, startsTurn: false }
}

/** What the program put there, for certain. */
export function notice(words: string, kind: string, fields: Record<string, unknown>): Verdict {
  return verdict('notice', 'high', kind, words, fields)
}

/** What the disk cannot settle: what the row says speaks for two authors, or for none that is known. */
export function unresolved(words: string, kind: string, fields: Record<string, unknown>): Verdict {
  return verdict('unresolved', 'low', kind, words, fields)
}

/** What the disk cannot settle because the row says nothing either way: a copy of it, or a list, may. */
export function saysNothing(words: string, kind: string, fields: Record<string, unknown>): Verdict {
  return { ...unresolved(words, kind, fields), saysNothing: true }
}

/** The same verdict about words that begin a turn. */
export function started(one: Verdict): Verdict {
  return { ...one, startsTurn: true }
}
