import type { LoggedEvent, RunEvent } from './event.ts'

type Kind = 'string' | 'number' | 'boolean' | 'object' | 'any'

const STEP = { step: 'string' } as const
const PROCESS = { ...STEP, pid: 'number' } as const

/** What each event has to hold for this program to go by it. Others may come with later versions, and are left alone. */
const SHAPES: { [Event in RunEvent['event']]: Record<string, Kind> } = {
  run_started: {
    ...{
      run_id: 'string',
      chain: 'string',
      chain_version: 'string',
      chain_path: 'string',
      project: 'string',
    },
    ...{ yaml: 'string', yaml_sha256: 'string', primary: 'string', jobs: 'number' },
    ...{ inputs: 'object', files: 'object', authors: 'object' },
  },
  run_resumed: {},
  run_interrupted: {},
  step_started: { ...STEP, attempt: 'number', agent: 'string', family: 'string', skill: 'any' },
  step_cut_off: STEP,
  orphan_ended: STEP,
  worktree_opened: { ...STEP, path: 'string', base: 'string' },
  worktree_removed: { ...STEP, path: 'string' },
  worktree_kept: { ...STEP, path: 'string', reason: 'string' },
  routed: STEP,
  agent_called: { ...STEP, purpose: 'string' },
  agent_started: { ...PROCESS, purpose: 'string' },
  agent_answered: { ...STEP, purpose: 'string' },
  command_started: { ...PROCESS, gate: 'number' },
  command_ended: { ...STEP, gate: 'number' },
  attempt_failed: { ...STEP, attempt: 'number', reason: 'string' },
  gate: { ...STEP, name: 'string', passed: 'boolean', on_fail: 'string', detail: 'string' },
  verification: { ...STEP, diverged: 'boolean', detail: 'string' },
  step_completed: { ...STEP, status: 'string', attempts: 'number', output: 'any', halts: 'boolean' },
  warning: { text: 'string' },
  escalated: { ...STEP, reason: 'string' },
  decision: { ...STEP, decision: 'string' },
  chain_complete: { status: 'string', outputs: 'object' },
}

/** The field that an event lacks or that is of another type; null where it is as it must be. */
export function missingField(event: LoggedEvent): string | null {
  const fields: Record<string, unknown> = { ...event }
  if (typeof fields.event !== 'string') return 'event'
  if (typeof fields.at !== 'string') return 'at'
  const shape = Object.hasOwn(SHAPES, fields.event) ? SHAPES[event.event] : {}
  for (const [name, kind] of Object.entries(shape)) {
    const value = fields[name]
    const fits = kind === 'any' ? value !== undefined : typeof value === kind && value !== null
    if (!fits) return name
  }
  return null
}
