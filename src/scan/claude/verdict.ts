import type { Found } from '../extract/found.ts'
import type { Confidence, Label } from '../message.ts'
import type { JsonObject } from '../transcripts/json-row.ts'

/** What one row says about the words in it. */
export interface Verdict extends Pick<Found, 'label' | 'confidence' | 'kind' | 'words' | 'fields'> {
  /** Whether the host takes these words as the beginning of a turn. */
  startsTurn: boolean
}

/** What earlier rows of the transcript say that a row itself does not. */
export interface SessionEvidence {
  /** A row showed that a person sits at this session's terminal. */
  isInteractive: boolean
  /** The same text was put into the queue of prompts and taken out just before. */
  isFromQueue: boolean
}

/** The row's fields of these names, as far as it has them. */
export function pick(row: JsonObject, ...names: string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter(name => row[name] !== undefined).map(name => [name, row[name]]))
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

/** What the host put there, for certain. */
export function notice(words: string, kind: string, fields: Record<string, unknown>): Verdict {
  return verdict('notice', 'high', kind, words, fields)
}

/** What the disk cannot settle. */
export function unresolved(words: string, kind: string, fields: Record<string, unknown>): Verdict {
  return verdict('unresolved', 'low', kind, words, fields)
}

/** The same verdict about words that begin a turn. */
export function started(one: Verdict): Verdict {
  return { ...one, startsTurn: true }
}
