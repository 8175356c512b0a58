import {
  type Fields,
  fieldsBeside,
  isObject,
  never,
  nullable,
  type ObjectOf,
  object,
  oneOf,
  optional,
  reasonFor,
  text,
  textThat,
  trueOrFalse,
  wholeNumber,
  whyNot,
} from './field.ts'
import { isSessionId } from './session-id.ts'
import { isTimestamp } from './timestamp.ts'

/*
 * The three kinds of entry, as docs/rules.md gives them (entryKinds, startEntry, messageEntry, chainEntry): the check,
 * the types and what counts as unknown follow from these tables. They are checked from top to bottom. Fields that a
 * later version adds are kept; a missing or ill-typed field makes the entry unreadable.
 */

const sessionId = textThat(isSessionId, 'is not a full session id')
const timestamp = textThat(isTimestamp, 'must be UTC to the millisecond, like 2026-11-01T10:00:00.000Z')
const sha256 = textThat(value => /^[0-9a-f]{64}$/.test(value), 'must be a SHA-256 in lower-case hex')

const common = {
  ...{ sessionId, at: timestamp, cwd: text },
  /** So many entries of the session, before this one, could not be written (rule.recordingMayFail). */
  missing: optional(nullable(wholeNumber(1, 'must be at least 1'))),
}

const startEntry = {
  kind: oneOf(['start'], 'must be start'),
  ...common,
  host: text,
  version: text,
  inbound: text,
  /** Why the mod was loaded; `reload` where the session had been running before (ruling 8). */
  cause: optional(nullable(text)),
}

const chainEntry = {
  kind: oneOf(['chain'], 'must be chain'),
  ...common,
  parent: sessionId,
  part: text,
  brief: optional(nullable(text)),
}

/** `as` is null only where the host named nobody. */
const peer = object(
  { as: nullable(text), sessionId: optional(sessionId) },
  'must be an object { as, sessionId? }',
)

const message = {
  kind: oneOf(['message'], 'must be message'),
  ...common,
  text: optional(text),
  textLength: optional(wholeNumber(0, 'must not be negative')),
  textSha256: optional(sha256),
  peer,
}

const sentOnly = never('stands only on a sent entry')
const receivedOnly = never('stands only on a received entry')

const sentEntry = {
  side: oneOf(['sent'], 'must be sent'),
  ...message,
  isQueued: trueOrFalse,
  reason: optional(nullable(text)),
  msgId: optional(nullable(text)),
  envelope: receivedOnly,
  outcome: receivedOnly,
}

const receivedEntry = {
  side: oneOf(['received'], 'must be received'),
  ...message,
  envelope: object({ before: text, after: text }, 'must be an object { before, after }'),
  outcome: oneOf(
    ['queued', 'consumed', 'rejected', 'unknown'],
    'must be queued, consumed, rejected or unknown',
  ),
  isQueued: sentOnly,
  reason: sentOnly,
}

export type StartEntry = ObjectOf<typeof startEntry>
export type ChainEntry = ObjectOf<typeof chainEntry>
export type SentEntry = ObjectOf<typeof sentEntry>
export type ReceivedEntry = ObjectOf<typeof receivedEntry>
export type MessageEntry = SentEntry | ReceivedEntry
export type Entry = StartEntry | ChainEntry | MessageEntry

export type ParsedEntry = { entry: Entry } | { reason: string }

/**
 * Reads one entry from the text of its file. `reason` says why it cannot be read and names the field at fault;
 * it is made to be shown and may quote hostile text, so it is escaped where it is drawn.
 */
export function parseEntry(json: string): ParsedEntry {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    return { reason: json === '' ? 'empty file' : `not JSON: ${(error as Error).message}` }
  }
  return checkEntry(value)
}

/** Checks a value against the fields of the kind it states. */
export function checkEntry(value: unknown): ParsedEntry {
  if (!isObject(value)) return { reason: 'not a JSON object' }
  const form = formOf(value as Record<string, unknown>)
  if ('reason' in form) return form
  const reason = whyNot(form.fields, value)
  if (reason !== null) return { reason }
  const entry = value as Entry
  if (entry.kind === 'message' && entry.text === undefined) {
    if (entry.textLength === undefined) return { reason: 'text: missing, and so is textLength' }
    if (entry.textSha256 === undefined) return { reason: 'text: missing, and so is textSha256' }
  }
  return { entry }
}

/** The fields of an entry that this version does not know, nested ones with the field they stand in; null where there are none. */
export function unknownFields(entry: Entry): Record<string, unknown> | null {
  const form = formOf(entry)
  if ('reason' in form) return null
  const unknown = fieldsBeside(form.fields, entry)
  return unknown.length > 0 ? Object.fromEntries(unknown) : null
}

/** The fields of the kind and side that a value states. */
function formOf({ kind, side }: { kind?: unknown; side?: unknown }): { fields: Fields } | { reason: string } {
  switch (kind) {
    case 'start':
      return { fields: startEntry }
    case 'chain':
      return { fields: chainEntry }
    case 'message':
      if (side === 'sent') return { fields: sentEntry }
      if (side === 'received') return { fields: receivedEntry }
      return { reason: reasonFor('side', side, 'must be sent or received') }
    default:
      return { reason: reasonFor('kind', kind, 'must be start, chain or message') }
  }
}
