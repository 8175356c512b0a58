import type { Family } from '../agents/family.ts'

/** What an agent was asked for. */
export type Purpose = 'step' | 'verification' | 'gate'

/** A skill as it was found: the hash is that of the SKILL.md whose text the agent was given. */
export interface SkillUsed {
  reference: string
  path: string
  sha256: string
}

/** How a step ended. `blocked` is a step that could not run because one that it reads from has no output. */
export type StepStatus = 'succeeded' | 'failed' | 'skipped' | 'blocked'

export type RunStatus = 'succeeded' | 'partial' | 'failed' | 'halted'

/** An answer that fits the declared form: its text, and what templates see of it. */
export interface Output {
  text: string
  value: unknown
  fields?: Record<string, unknown>
}

/** What happens in a run, in the order in which it happens (docs/chains.md, the audit log). */
export type RunEvent =
  | {
      event: 'run_started'
      run_id: string
      chain: string
      chain_version: string
      chain_path: string
      yaml_sha256: string
      yaml: string
      inputs: Record<string, unknown>
      inputs_sha256: string
      /** The hash of each file that an input names. */
      files: Record<string, string>
      authors: Record<string, Family | 'person'>
      primary: string
      primary_family: Family
      /** Where this log lies: a copy of it is no run. */
      log_path: string
      project: string
      jobs: number
      max_model_calls: number | null
      session_id: string | null
      program: string
    }
  | { event: 'run_resumed'; session_id: string | null; torn_bytes: number; torn_sha256: string | null }
  | { event: 'step_cut_off'; step: string; attempt: number }
  | { event: 'orphan_ended'; step: string; pid: number }
  | {
      event: 'step_started'
      step: string
      attempt: number
      input_sha256: string
      agent: string
      family: Family
      skill: SkillUsed | null
    }
  | { event: 'worktree_opened'; step: string; path: string; base: string }
  | { event: 'worktree_removed'; step: string; path: string }
  | { event: 'worktree_kept'; step: string; path: string; reason: string }
  | {
      event: 'routed'
      step: string
      purpose: Purpose
      agent: string
      family: Family
      excluded: Family[]
      authors: Record<string, Family>
    }
  | {
      event: 'agent_called'
      step: string
      purpose: Purpose
      agent: string
      family: Family
      prompt_sha256: string
      skill: SkillUsed | null
    }
  | { event: 'agent_started'; step: string; purpose: Purpose; pid: number; identity: string | null }
  | {
      event: 'agent_answered'
      step: string
      purpose: Purpose
      ok: boolean
      exit: number | string | null
      bytes: number
      elapsed_ms: number
      output_sha256: string
      problem: string | null
    }
  | { event: 'command_started'; step: string; gate: number; pid: number; identity: string | null }
  | { event: 'command_ended'; step: string; gate: number }
  | { event: 'attempt_failed'; step: string; attempt: number; reason: string; retries_left: number }
  | {
      event: 'gate'
      step: string
      attempt: number
      gate: number
      type: string
      name: string
      passed: boolean
      on_fail: 'halt' | 'retry' | 'warn'
      detail: string
    }
  | {
      event: 'verification'
      step: string
      agent: string
      family: Family
      diverged: boolean
      detail: string
      other: unknown
    }
  | {
      event: 'step_completed'
      step: string
      status: StepStatus
      reason: string | null
      output: Output | null
      output_sha256: string | null
      attempts: number
      elapsed_ms: number
      agent: string | null
      family: Family | null
      halts: boolean
      /** Whether a check of the chain refused it, not an agent that did not answer. */
      refused: boolean
    }
  | { event: 'warning'; step: string | null; text: string }
  | { event: 'escalated'; step: string; reason: string; refused: boolean }
  | { event: 'decision'; step: string; decision: Decision; by: 'terminal' | 'option' }
  | { event: 'run_interrupted'; signal: string }
  | {
      event: 'chain_complete'
      status: RunStatus
      reason: string | null
      outputs: Record<string, unknown>
      model_calls: number
      budget_remaining: number | null
      warnings: string[]
      refused: boolean
    }

export type Decision = 'retry' | 'continue' | 'halt'

/** An event as a line of the log holds it. */
export type LoggedEvent = RunEvent & { seq: number; at: string }
