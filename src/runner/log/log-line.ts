import { hash } from 'node:crypto'
import { parsedJson } from '../../files/parsed-json.ts'
import { canonicalJson } from './canonical-json.ts'
import type { LoggedEvent } from './event.ts'

/** What the first line names as the hash before it. */
export const NO_LINE_BEFORE = '0'.repeat(64)

/** A line of the log, without its line feed, and the hash that the next one names. */
export interface SealedLine {
  text: string
  hash: string
}

/**
 * An event as a line: canonical JSON with `prev`, the hash of the line before, and `hash`, the SHA-256 of the line's
 * own canonical JSON without `hash`. So a changed byte shows in its own line, a removed or inserted line in the next.
 */
export function sealLine(event: LoggedEvent, prev: string): SealedLine {
  const hash = hashOf({ ...event, prev })
  return { text: canonicalJson({ ...event, prev, hash }), hash }
}

/** More than any answer or input has that gets into a line. */
const DEEPEST = 400

export type OpenedLine = { event: LoggedEvent; hash: string } | { broken: string }

/** Reads a line back, or says what is wrong with it. */
export function openLine(text: string, seq: number, prev: string): OpenedLine {
  const read = parsedJson(text, DEEPEST)
  if ('refused' in read) return { broken: 'it is not JSON' }
  const line = read.value as LoggedEvent & { prev: string; hash: string }
  if (typeof line !== 'object' || line === null) return { broken: 'it is no event' }
  if (canonicalJson(line) !== text) return { broken: 'it is not written as this program writes it' }
  const { hash, ...content } = line
  if (hashOf(content) !== hash) return { broken: 'its content does not fit its own hash' }
  if (line.seq !== seq) return { broken: `it is line ${line.seq} of a log, not line ${seq}` }
  if (line.prev !== prev) return { broken: 'it does not follow the line before' }
  const { prev: _, ...event } = content
  return { event: event as LoggedEvent, hash }
}

function hashOf(content: object): string {
  return hash('sha256', canonicalJson(content))
}
