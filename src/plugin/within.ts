import type { EngineInterface } from 'claude-code'

/** What stands for an answer that did not come in time. */
export const LATE = Symbol('late')

/** Waits for `work` so long and no longer; what it comes to later is let go. Rejects where `work` does in time. */
export function within<Result>(
  $: EngineInterface,
  ms: number,
  work: Promise<Result>,
): Promise<Result | typeof LATE> {
  return new Promise((resolve, reject) => {
    const timer = $.clock.after(ms, () => resolve(LATE))
    work.then(resolve, reject).finally(() => timer.cancel())
  })
}
