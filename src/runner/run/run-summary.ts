import type { RunStatus, StepStatus } from '../log/event.ts'

/** What a run came to (spec, procedure 5). */
export interface RunSummary {
  runId: string
  chain: string
  status: RunStatus
  reason: string | null
  outputs: Record<string, unknown>
  steps: {
    id: string
    status: StepStatus | 'escalated' | 'not run'
    attempts: number
    agent: string | null
    family: string | null
    elapsedMs: number
    reason: string | null
  }[]
  warnings: string[]
  modelCalls: number
  budgetRemaining: number | null
  logPath: string
  /** The hash of the log's last line: kept elsewhere, it proves that the log was not cut short or written anew. */
  head: string
  /** Whether `coord chain resume` can go on with it: it was interrupted, or waits for a decision. */
  isResumable: boolean
  escalated: { step: string; reason: string } | null
  /** Whether a check refused it, not an agent that failed. */
  refused: boolean
}
