import type { Manifest } from '../manifest.ts'
import { type Confidence, type Direction, type Label, type Message, scannedLabel } from '../message.ts'
import { readDirections, readMessages, readUnresolved } from '../result/read-result.ts'

/** A message as two results are compared by: what the tool said, without what people decided since, and no words. */
export interface Measured {
  id: string
  label: Label
  confidence: Confidence
  kind: string
  sha256: string
  /** `<hash of the source's bytes>:<line>`, the first being the message's own place. */
  places: readonly string[]
  correlation: string | null
  /** What it says became of which messages of which ids, in a few words; null where it says nothing of that. */
  delivery: string | null
  trace: MeasuredTrace | null
}

/** What followed a message, as far as it can be lost. */
export interface MeasuredTrace {
  end: string
  /** Files, commands, commits and agents, each with the kind before it. */
  facts: ReadonlySet<string>
}

/** The messages of a result by their ids. */
export function measure(out: string, manifest: Manifest): Map<string, Measured> {
  const hashes = new Map(manifest.sources.map(({ file, sha256 }) => [file, sha256]))
  const measured = new Map<string, Measured>()
  for (const { row } of readMessages(out)) {
    measured.set(row.id, {
      ...{ id: row.id, confidence: row.confidence, kind: row.kind, sha256: row.sha256 },
      label: scannedLabel(row),
      places: [row.source, ...row.alsoAt].map(({ file, line }) => `${hashes.get(file) ?? file}:${line}`),
      correlation: row.evidence.correlation?.evidence ?? null,
      delivery: deliveryOf(row),
      trace: null,
    })
  }
  for (const { row } of readDirections(out)) withTrace(measured, row.id, row)
  for (const { row } of readUnresolved(out)) if (row.trace) withTrace(measured, row.id, row.trace)
  return measured
}

function deliveryOf({ label, evidence: { correlation, deliveries = [] } }: Message): string | null {
  const told = deliveries.map(({ stage, msgIds }) => [stage, ...[...msgIds].sort()].join(' '))
  if (label === 'peer' && correlation?.msgId) told.push(`read ${correlation.msgId}`)
  return told.length === 0 ? null : told.sort().join(', ')
}

type Followed = Pick<Direction, 'end' | 'filesEdited' | 'commands' | 'commits' | 'agents'>

function withTrace(measured: Map<string, Measured>, id: string, followed: Followed): void {
  const message = measured.get(id)
  if (!message) return
  const { end, filesEdited, commands, commits, agents } = followed
  const facts = new Set([
    ...filesEdited.map(file => `the edited file ${file}`),
    ...commands.map(({ command, exit }) => `the command ${command} (exit ${exit ?? 'unknown'})`),
    ...commits.map(commit => `the commit ${commit}`),
    ...agents.map(agent => `the agent ${agent.id ?? agent.description ?? 'without a name'}`),
  ])
  measured.set(id, { ...message, trace: { end, facts } })
}
