import * as z from 'zod'
import { isSessionId } from '../../../src/record/session-id.ts'
import { isTimestamp } from '../../../src/record/timestamp.ts'

/**
 * The fields of an entry as a zod schema: what the check of src/record/entry.ts is compared with. The program itself
 * does without, since zod was most of what the host has to load for the mod.
 */

const text = z.string('must be a string')
const sessionId = text.refine(isSessionId, 'is not a full session id')
const timestamp = text.refine(isTimestamp, 'must be UTC to the millisecond, like 2026-11-01T10:00:00.000Z')

const common = {
  sessionId,
  at: timestamp,
  cwd: text,
  missing: z.int('must be a whole number').min(1, 'must be at least 1').nullish(),
}

const startEntry = z.looseObject({
  kind: z.literal('start'),
  ...common,
  host: text,
  version: text,
  inbound: text,
  cause: text.nullish(),
})

const chainEntry = z.looseObject({
  kind: z.literal('chain'),
  ...common,
  parent: sessionId,
  part: text,
  brief: text.nullish(),
})

const messageText = {
  text: text.optional(),
  textLength: z.int('must be a whole number').nonnegative('must not be negative').optional(),
  textSha256: text.regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hex').optional(),
}

/** `as` is null only where the host named nobody. */
const peer = z.looseObject(
  { as: text.nullable(), sessionId: sessionId.optional() },
  'must be an object { as, sessionId? }',
)

const sentOnly = z.undefined('stands only on a sent entry').optional()
const receivedOnly = z.undefined('stands only on a received entry').optional()

const sentEntry = z.looseObject({
  kind: z.literal('message'),
  side: z.literal('sent'),
  ...common,
  ...messageText,
  peer,
  isQueued: z.boolean('must be true or false'),
  reason: text.nullish(),
  msgId: text.nullish(),
  envelope: receivedOnly,
  outcome: receivedOnly,
})

const receivedEntry = z.looseObject({
  kind: z.literal('message'),
  side: z.literal('received'),
  ...common,
  ...messageText,
  peer,
  envelope: z.looseObject({ before: text, after: text }, 'must be an object { before, after }'),
  outcome: z.enum(
    ['queued', 'consumed', 'rejected', 'unknown'],
    'must be queued, consumed, rejected or unknown',
  ),
  isQueued: sentOnly,
  reason: sentOnly,
})

/** What the schema says is wrong with a value; null where it is an entry. */
export function reasonBySchema(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'not a JSON object'
  const schema = schemaFor(value as Record<string, unknown>)
  if ('reason' in schema) return schema.reason
  const result = schema.schema.safeParse(value)
  if (!result.success) return describe(result.error, value)
  const entry = result.data
  if (entry.kind === 'message' && entry.text === undefined) {
    if (entry.textLength === undefined) return 'text: missing, and so is textLength'
    if (entry.textSha256 === undefined) return 'text: missing, and so is textSha256'
  }
  return null
}

/** The fields of an entry that the schema does not know; null where there are none. */
export function unknownBySchema(entry: Record<string, unknown>): Record<string, unknown> | null {
  const schema = schemaFor(entry)
  if ('reason' in schema) return null
  const known = schema.schema.shape
  const unknown = Object.entries(entry).filter(
    ([name, value]) => !Object.hasOwn(known, name) || hasUnknownInside(name, value),
  )
  return unknown.length > 0 ? Object.fromEntries(unknown) : null
}

const INSIDE: Record<string, readonly string[]> = { peer: ['as', 'sessionId'], envelope: ['before', 'after'] }

/** `name` is a field that the schema knows. */
function hasUnknownInside(name: string, value: unknown): boolean {
  const known = INSIDE[name]
  return known !== undefined && Object.keys(value ?? {}).some(key => !known.includes(key))
}

type EntrySchema = typeof startEntry | typeof chainEntry | typeof sentEntry | typeof receivedEntry

function schemaFor(value: Record<string, unknown>): { schema: EntrySchema } | { reason: string } {
  switch (value.kind) {
    case 'start':
      return { schema: startEntry }
    case 'chain':
      return { schema: chainEntry }
    case 'message':
      if (value.side === 'sent') return { schema: sentEntry }
      if (value.side === 'received') return { schema: receivedEntry }
      return { reason: fieldReason('side', value.side, 'must be sent or received') }
    default:
      return { reason: fieldReason('kind', value.kind, 'must be start, chain or message') }
  }
}

function describe(error: z.ZodError, value: object): string {
  const issue = error.issues[0] as z.core.$ZodIssue
  let found: unknown = value
  for (const key of issue.path) found = (found as Record<PropertyKey, unknown> | undefined)?.[key]
  return fieldReason(issue.path.join('.'), found, issue.message)
}

function fieldReason(field: string, found: unknown, rule: string): string {
  return found === undefined ? `${field}: missing` : `${field}: ${rule}`
}
