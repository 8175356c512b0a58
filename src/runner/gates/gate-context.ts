import type { Ask } from '../agents/prompt.ts'
import type { RunnerSettings } from '../agents/runner-settings.ts'
import type { Output } from '../log/event.ts'
import type { LookUp } from '../template/render.ts'

/** What a gate is evaluated with. */
export interface GateContext {
  /** The folder that the step ran in. */
  cwd: string
  env: NodeJS.ProcessEnv
  settings: RunnerSettings
  signal: AbortSignal
  /** The answer that the step gave. */
  output: Output
  lookUp: LookUp
  /** Takes secrets out of what a command or a file says, before it is cut: a part of one would not be found. */
  redact(text: string): string
  /** Tells that a command of the gate began, and that it ended. */
  commandStarted(pid: number): void
  commandEnded(): void
  /** Asks an agent of a family that is independent of who wrote what is checked. */
  askVerifier(ask: Ask, timeout: string | undefined): Promise<{ answer: string } | { problem: string }>
  /** The skill of a reference, as it was found before the run began. */
  skill(reference: string): Ask['skill']
}

export interface GateResult {
  passed: boolean
  /** One sentence of what was found. */
  detail: string
}

export const GATE_TIMEOUT = '60s'
