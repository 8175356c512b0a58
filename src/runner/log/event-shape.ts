import * as z from 'zod'
import type { LoggedEvent, RunEvent } from './event.ts'

const text = z.string()
const number = z.number()
const map = z.record(z.string(), z.unknown())
/** It has to be there, whatever it is: null says something too. */
const there = z.custom(value => value !== undefined)
const step = { step: text }
const process = { ...step, pid: number }

/** What each event has to hold for this program to go by it. Others may come with later versions, and are left alone. */
const SHAPES: { [Event in RunEvent['event']]: Record<string, z.ZodType> } = {
  run_started: {
    ...{ run_id: text, chain: text, chain_version: text, chain_path: text, project: text },
    ...{ yaml: text, yaml_sha256: text, primary: text, jobs: number },
    ...{ inputs: map, files: map, authors: map },
  },
  run_resumed: {},
  run_interrupted: {},
  step_started: { ...step, attempt: number, agent: text, family: text, skill: there },
  step_cut_off: step,
  orphan_ended: step,
  worktree_opened: { ...step, path: text, base: text },
  worktree_removed: { ...step, path: text },
  worktree_kept: { ...step, path: text, reason: text },
  routed: step,
  agent_called: { ...step, purpose: text },
  agent_started: { ...process, purpose: text },
  agent_answered: { ...step, purpose: text },
  command_started: { ...process, gate: number },
  command_ended: { ...step, gate: number },
  attempt_failed: { ...step, attempt: number, reason: text },
  gate: { ...step, name: text, passed: z.boolean(), on_fail: text, detail: text },
  verification: { ...step, diverged: z.boolean(), detail: text },
  step_completed: { ...step, status: text, attempts: number, output: there, halts: z.boolean() },
  warning: { text },
  escalated: { ...step, reason: text },
  decision: { ...step, decision: text },
  chain_complete: { status: text, outputs: map },
}

const EVENT = z.looseObject({ event: text, at: text })
const SCHEMAS = new Map(
  Object.entries(SHAPES).map(([event, fields]) => [event, EVENT.extend(fields)] as const),
)

/** The field that an event lacks or that is of another type; null where it is as it must be. */
export function missingField(event: LoggedEvent): string | null {
  const checked = (SCHEMAS.get(event.event) ?? EVENT).safeParse(event)
  return checked.success ? null : String(checked.error.issues[0]?.path[0] ?? 'event')
}
