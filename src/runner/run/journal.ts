import type { LoggedEvent, RunEvent } from '../log/event.ts'
import type { LogWriter } from '../log/log-writer.ts'
import { redactDeep, type Secrets } from '../log/secrets.ts'
import { type RunState, stateAfter } from '../plan/run-state.ts'

/** The log of a running run together with the state that its events lead to. */
export interface Journal {
  readonly log: LogWriter
  readonly state: RunState
  /** Writes an event; the state follows only when the disk has it. */
  write(event: RunEvent): void
}

/**
 * @param observe sees each event once it is written
 */
export function journalOn(
  log: LogWriter,
  before: RunState,
  secrets: Secrets,
  observe: (event: LoggedEvent) => void,
): Journal {
  let state = before
  return {
    log,
    get state() {
      return state
    },
    write(event) {
      const logged = log.append(redactDeep(event, secrets) as RunEvent)
      state = stateAfter(state, logged)
      observe(logged)
    },
  }
}
