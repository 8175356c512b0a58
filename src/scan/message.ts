/** Whose words a message is (rule.personsWords). */
export const LABELS = ['person', 'launcher', 'peer', 'notice', 'unresolved'] as const
export type Label = (typeof LABELS)[number]

/** A count for each label, all of them 0. */
export function noneOfEach(): Record<Label, number> {
  return Object.fromEntries(LABELS.map(label => [label, 0])) as Record<Label, number>
}

/** The labels that an unresolved message may be given. */
export const DECIDED_LABELS = ['person', 'launcher', 'peer', 'notice'] as const satisfies readonly Label[]

/** How sure the attribution is from what is on disk. */
export const CONFIDENCES = ['high', 'medium', 'low'] as const
export type Confidence = (typeof CONFIDENCES)[number]

/**
 * The name of the program that wrote a transcript (`product` of its format). A result is read without knowing the
 * formats that it was made with.
 */
export type Product = string

/** Where words stand. In a compressed file, line and offset count in what it holds unpacked. */
export interface Place {
  /** Absolute path of the transcript. */
  file: string
  /** From 1; lines end at the byte 0x0A and nowhere else. */
  line: number
  /** Bytes from the beginning of the file to the beginning of the line. */
  offset: number
  /** The id that the program gave the row; null where it gave none. */
  row: string | null
}

/** A message as the scan's result holds it: the same words in several rows or files are one message. */
export interface Message {
  /** The same in every scan of the same rows. */
  id: string
  label: Label
  confidence: Confidence
  /** What kind of row it was taken from, such as `typed` or `queued_mid_turn`. */
  kind: string
  /** The words themselves, without envelope or wrapper, verbatim. */
  words: string
  /** SHA-256 of the words in UTF-8, hex. */
  sha256: string
  product: Product
  /** Full id of the session (Codex: of the thread). */
  session: string
  /** ISO 8601, UTC; null where the transcript gives no time. */
  at: string | null
  /** The working directory that the row or its session states. */
  cwd: string | null
  source: Place
  /** The other places of the same message, in the order of files and lines. */
  alsoAt: Place[]
  /** The fields that decided, and what the record says of it. */
  evidence: Evidence
}

export interface Evidence {
  /** The deciding fields of the row with their values. */
  fields: Record<string, unknown>
  /** Of a peer's message: what ties it to its sender (ruling 7). */
  correlation?: Correlation
  /** Of the host's notice to a session that sent messages: what it says became of them (ruling 13). */
  deliveries?: DeliveryNotice[]
  /** What the record's entries say of it. */
  record?: RecordEvidence
  /** The label that the fields alone gave, where the record or a person's decision changed it. */
  before?: { label: Label; confidence: Confidence; because: string }
  /** A copy of these words that carries another label. */
  copyOf?: string
  /** A person's decision about what the scan left unresolved; `label` of the message is the decided one then. */
  decision?: LabelDecision
}

/** Whose words an unresolved message is, as somebody decided who read it (`coord scan resolve`). */
export interface LabelDecision {
  reason: string
  by: string | null
  decidedAt: string
}

/** The label that the scan gave, whatever was decided since. */
export function scannedLabel(message: Pick<Message, 'label' | 'evidence'>): Label {
  return message.evidence.decision ? 'unresolved' : message.label
}

/** How a received message and a sent one belong together (ruling 7). */
export interface Correlation {
  evidence: 'msgId' | 'candidates' | 'unknown'
  /** The host's id of the message, as the receiver's row has it. */
  msgId: string | null
  /** Where the host's id stands on the sender's side. */
  sent: SentPlace[]
  /** What else fits by text, time and addresses; never a match. */
  candidates: SentPlace[]
}

export type SentPlace =
  | { in: 'transcript'; session: string; at: string | null; source: Place }
  | { in: 'record'; session: string; at: string; file: string }

/**
 * How far a message between sessions came, as the host tells its sender: waiting at the receiver's; let through to its
 * queue; not accepted by that session; turned down by its user; waited too long; taken out at its inbox.
 */
export const DELIVERY_STAGES = ['held', 'released', 'refused', 'denied', 'expired', 'dropped'] as const
export type DeliveryStage = (typeof DELIVERY_STAGES)[number]

/** One thing that the host told a session of messages that it had sent. */
export interface DeliveryNotice {
  stage: DeliveryStage
  /** The host's ids of the messages. */
  msgIds: string[]
}

export interface RecordEvidence {
  /** Received entries of this session with this text near this time: paths below the record's folder. */
  received?: string[]
  /** Of a launcher's prompt: the chain entry whose brief it carries. */
  chain?: { file: string; parent: string; part: string; brief: string }
}

/** How a turn ended, as far as the transcript shows it. */
export const TURN_ENDS = ['done', 'interrupted', 'error', 'abandoned', 'local', 'unknown'] as const
export type TurnEnd = (typeof TURN_ENDS)[number]

/** What followed a message mechanically. It says what happened and not whether it was what the person wanted. */
export interface Trace {
  /** `abandoned`: left by a rewind; `local`: a command that no model saw; `unknown`: the transcript shows no end. */
  end: TurnEnd
  endedAt: string | null
  filesEdited: string[]
  /** `exit` is null where the transcript does not show it. */
  commands: { command: string; exit: number | null }[]
  /** Hashes that the output of git named. */
  commits: string[]
  agents: { id: string | null; description: string | null }[]
  /** The last text of the assistant in the turn. */
  lastWords: string | null
}

/** The verdicts that a reader may record about a direction. */
export const OUTCOMES = ['done', 'superseded', 'declined', 'open'] as const
export type OutcomeName = (typeof OUTCOMES)[number]

/** A message of the person with what became of it (rule.everyDirectionTraced). */
export interface Direction extends Trace {
  /** The message's id. */
  id: string
  session: string
  product: Product
  at: string | null
  cwd: string | null
  words: string
  /** The person's next message in the same session. */
  next: string | null
  /** Null until somebody who read it has said so. */
  outcome: { name: OutcomeName; evidence: string; by: string | null; decidedAt: string } | null
}
