import * as z from 'zod'
import type { Exclusion, Manifest } from '../manifest.ts'
import {
  CONFIDENCES,
  DECIDED_LABELS,
  type Direction,
  LABELS,
  type Label,
  type LabelDecision,
  type Message,
  OUTCOMES,
  type OutcomeName,
  type Trace,
  TURN_ENDS,
} from '../message.ts'

// The rows of a result's files as they are read back. Fields that a later version adds are kept, since rows are
// written again when somebody decides something.

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hex')
/** What it names in a line of a report is no text of a transcript: it has this form and needs no escape. */
const product = z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be the name of a program')
const count = z.int().nonnegative()
const words = z.string()
const at = z.string().nullable()

const place = z.looseObject({
  file: z.string(),
  line: z.int().positive(),
  offset: count,
  row: z.string().nullable(),
})

const message = {
  id: z.string().min(1),
  label: z.enum(LABELS),
  confidence: z.enum(CONFIDENCES),
  kind: z.string(),
  words,
  sha256,
  product: product,
  session: z.string(),
  at,
  cwd: z.string().nullable(),
  source: place,
  alsoAt: z.array(place),
  evidence: z.looseObject({
    fields: z.record(z.string(), z.unknown()),
    // A stage that a later version adds says nothing to this one, and makes no result unreadable.
    deliveries: z.array(z.looseObject({ stage: z.string(), msgIds: z.array(z.string().min(1)) })).optional(),
    decision: z
      .looseObject({ reason: z.string(), by: z.string().nullable(), decidedAt: z.string() })
      .optional(),
  }),
}

const trace = {
  end: z.enum(TURN_ENDS),
  endedAt: at,
  filesEdited: z.array(z.string()),
  commands: z.array(z.looseObject({ command: z.string(), exit: z.number().nullable() })),
  commits: z.array(z.string()),
  agents: z.array(z.looseObject({ id: z.string().nullable(), description: z.string().nullable() })),
  lastWords: z.string().nullable(),
}

/** A line of `unresolved.ndjson`: what the scan could not settle, with what followed it, and what was decided since. */
export interface UnresolvedRow extends Message {
  /** Kept here, so that a message that turns out to be the person's is a direction with its trace. */
  trace: Trace | null
  decision: (LabelDecision & { label: Label }) | null
}

/** A line of `decisions.ndjson`. */
export type Decision =
  | ({ decision: 'resolve'; id: string; label: Exclude<Label, 'unresolved'> } & LabelDecision)
  | {
      decision: 'trace'
      id: string
      outcome: OutcomeName
      evidence: string
      by: string | null
      decidedAt: string
    }

const by = z.string().nullable()

export const messageRow = z.looseObject(message) as unknown as z.ZodType<Message>

export const directionRow = z.looseObject({
  id: z.string().min(1),
  session: z.string(),
  product: product,
  at,
  cwd: z.string().nullable(),
  words,
  next: z.string().nullable(),
  ...trace,
  outcome: z
    .looseObject({ name: z.enum(OUTCOMES), evidence: z.string(), by, decidedAt: z.string() })
    .nullable(),
}) as unknown as z.ZodType<Direction>

export const unresolvedRow = z.looseObject({
  ...message,
  trace: z.looseObject(trace).nullable(),
  decision: z
    .looseObject({ label: z.enum(DECIDED_LABELS), reason: z.string(), by, decidedAt: z.string() })
    .nullable(),
}) as unknown as z.ZodType<UnresolvedRow>

export const exclusionRow = z.looseObject({
  file: z.string(),
  line: z.int().positive().nullable(),
  reason: z.string(),
}) as unknown as z.ZodType<Exclusion>

export const decisionRow = z.discriminatedUnion('decision', [
  z.looseObject({
    decision: z.literal('resolve'),
    id: z.string().min(1),
    label: z.enum(DECIDED_LABELS),
    reason: z.string(),
    by,
    decidedAt: z.string(),
  }),
  z.looseObject({
    decision: z.literal('trace'),
    id: z.string().min(1),
    outcome: z.enum(OUTCOMES),
    evidence: z.string(),
    by,
    decidedAt: z.string(),
  }),
]) as unknown as z.ZodType<Decision>

const labelCounts = z.looseObject(Object.fromEntries(LABELS.map(label => [label, count])))

const source = z.looseObject({
  file: z.string(),
  product: product,
  kind: z.enum(['transcript', 'history']),
  sessions: z.array(z.string()),
  cwd: z.string().nullable(),
  versions: z.array(z.string()),
  size: count,
  sha256,
  readTo: count,
  firstAt: at,
  lastAt: at,
  counts: z.looseObject({
    lines: count,
    malformed: count,
    unfinishedBytes: count,
    toolResults: count,
    places: labelCounts,
  }),
})

/** The limits of a scan, and lists of roots by the option of their format, whichever formats there are. */
const options = z
  .record(z.string(), z.union([z.array(z.string()), z.string().nullable()]))
  .refine(
    given => ['project', 'since', 'until', 'recordDir'].every(name => isLimit(given[name])),
    'must hold project, since, until and recordDir',
  )

function isLimit(value: unknown): boolean {
  return value === null || typeof value === 'string'
}

export const manifestFile = z.looseObject({
  format: z.literal(1),
  status: z.enum(['incomplete', 'complete']),
  tool: z.looseObject({ name: z.literal('coord'), version: z.string(), revision: z.string() }),
  scannedAt: z.string(),
  options,
  sources: z.array(source),
  counts: z.looseObject({
    sources: count,
    bytes: count,
    lines: count,
    malformed: count,
    messages: labelCounts,
    places: count,
    directions: count,
    exclusions: count,
  }),
  check: z
    .looseObject({
      at: z.string(),
      passed: z.boolean(),
      problems: z.array(z.string()),
      notes: z.array(z.string()),
    })
    .nullable(),
  comparisons: z.array(z.looseObject({ at: z.string() })),
  orphanedDecisions: z.array(z.string()),
}) as unknown as z.ZodType<Manifest>
