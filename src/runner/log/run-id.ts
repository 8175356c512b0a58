import { randomBytes } from 'node:crypto'

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789'

/**
 * `<chain-name>_<ISO 8601>_<6 random>` (spec, procedure 3); the time is in the basic form, whose name every file
 * system takes.
 */
export function newRunId(chain: string, at: Date): string {
  const time = at.toISOString().replace(/[-:]|\.\d+/g, '')
  const random = [...randomBytes(6)].map(byte => LETTERS[byte % LETTERS.length]).join('')
  return `${chain}_${time}_${random}`
}

const RUN_ID = /^([a-z][a-z0-9-]*)_\d{8}T\d{6}Z_[a-z0-9]{6}$/

/** The chain that a run id names; null where it is no run id. */
export function chainOfRunId(runId: string): string | null {
  return RUN_ID.exec(runId)?.[1] ?? null
}
