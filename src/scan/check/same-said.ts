import { hash } from 'node:crypto'
import type { LabelDecision, Message } from '../message.ts'
import type { Decision } from '../result/rows.ts'

/** What a direction must have in common with its message, as a hash. */
export function saidOfDirection({ sha256: words, session, product, at, cwd }: SaidFields): string {
  return hash('sha256', JSON.stringify([words, session, product, at, cwd]))
}

type SaidFields = Pick<Message, 'sha256' | 'session' | 'product' | 'at' | 'cwd'>

/** What a row of an unresolved message must have in common with the message, whatever was decided since. */
export function saidOfOpen(row: Message): string {
  const { words, kind, source, alsoAt, evidence } = row
  return hash('sha256', JSON.stringify([saidOfDirection(row), words, kind, source, alsoAt, evidence.fields]))
}

/** Of a decision, what a resolved message says of it. */
export function reasonOf({ reason, by, decidedAt }: LabelDecision): LabelDecision {
  return { reason, by, decidedAt }
}

/** Of a decision, what a traced direction says of it. */
export function verdictOf({
  outcome: name,
  evidence,
  by,
  decidedAt,
}: Extract<Decision, { decision: 'trace' }>) {
  return { name, evidence, by, decidedAt }
}

/** Whether a row holds just the values of a decision; it may hold more, which a later version adds. */
export function isSame(row: object | undefined, decision: object | undefined): boolean {
  if (row === undefined || decision === undefined) return row === decision
  const held = row as Record<string, unknown>
  return Object.entries(decision).every(([name, value]) => held[name] === value)
}
