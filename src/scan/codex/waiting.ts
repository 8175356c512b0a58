import type { Findings } from '../extract/found.ts'
import { judgeOldMessage } from './judge.ts'
import type { CodexState } from './state.ts'
import { tell } from './tell.ts'

/**
 * Tells a waiting message once the row after it is known.
 *
 * @param event the text of a `user_message` event that repeats it; null where the row is none
 */
export function settle(state: CodexState, findings: Findings, event: string | null): void {
  const { waiting } = state
  if (waiting === null) return
  state.waiting = null
  tell(state, findings, waiting, judgeOldMessage(waiting.parts, state.thread, event))
}
