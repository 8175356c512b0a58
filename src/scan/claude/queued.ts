import type { RowPlace } from '../extract/found.ts'

/** What the transcript showed of its session when a queue row was written. */
export interface QueueContext {
  version: string
  cwd: string | null
  /** A person sits at this session's terminal; null where no row before said. */
  isInteractive: boolean | null
}

/** Words that a queue row holds and that no other row has shown yet. */
export interface Queued extends RowPlace, QueueContext {
  words: string
  at: string | null
  session: string
  /**
   * `put`: waiting; `absorbed`: taken into the running turn; `taken_back`: taken back into the input line at the
   * terminal; `removed`: taken out, the row does not say why.
   */
  state: 'put' | 'absorbed' | 'taken_back' | 'removed'
  /** The host's names for the command, which the row that delivers it repeats. */
  ids: string[]
  /** The rows before that held the same words. */
  before: RowPlace[]
}
