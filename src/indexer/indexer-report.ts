import type { Change } from './loading.ts'

/** Whom an indexer tells how it goes; all of it may be ignored. */
export interface IndexerReport {
  /** About once for every file opened. */
  progress(filesOpened: number): void
  /** About once a second while another indexer is at work. */
  waiting(): void
  /** Something a person should know, in one sentence; the answer is right all the same. */
  note(text: string): void
  change(change: Change): void
}

/** For a caller that nobody listens to. */
export const SILENT: IndexerReport = { progress() {}, waiting() {}, note() {}, change() {} }
