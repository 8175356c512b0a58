import type { Family } from '../agents/family.ts'
import type { InstalledSkill } from '../agents/installed-skills.ts'
import type { Agent, RunnerSettings } from '../agents/runner-settings.ts'
import type { Decision, LoggedEvent } from '../log/event.ts'
import type { Secrets } from '../log/secrets.ts'
import type { Dependencies } from '../plan/dependencies.ts'
import type { ReadChain } from '../spec/read-chain.ts'
import type { Journal } from './journal.ts'

/** Where things lie for this person and this project. */
export interface RunPlace {
  project: string
  runnerFolder: string
  home: string
  /** The host's folder, in which its plugins are listed. */
  host: string
  env: NodeJS.ProcessEnv
}

/** The person, as a run needs them. */
export interface RunObserver {
  /** Sees each event once it is written. */
  event(event: LoggedEvent): void
  /** Asks what is to become of a step that was escalated; null where nobody can be asked. */
  decide(step: string, reason: string): Promise<Decision | null>
}

/** What was found out before anything runs. */
export interface Prepared {
  read: ReadChain
  dependencies: ReadonlyMap<string, Dependencies>
  settings: RunnerSettings
  secrets: Secrets
  primary: Agent
  skills: ReadonlyMap<string, InstalledSkill>
  inputs: Record<string, unknown>
  /** Who wrote the inputs that a person named with `--author`. */
  authors: Record<string, Family | 'person'>
}

/** A run while it runs. */
export interface Run extends Prepared {
  runId: string
  place: RunPlace
  jobs: number
  journal: Journal
  observer: RunObserver
  /** Aborted when the person interrupts the run. */
  signal: AbortSignal
}

/** The run was interrupted; what was begun begins anew when it is resumed. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}
