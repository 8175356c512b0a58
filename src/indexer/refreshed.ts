import type { LoadWork } from './loading.ts'

/** What a refresh found and did. */
export interface Refreshed {
  rebuilt: boolean
  /** The time up to which the index now agrees with the record. */
  at: Date
  work: LoadWork & { rowsWritten: number }
}
