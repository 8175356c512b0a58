import { Script } from 'node:vm'

const CHECK_MS = 5_000

export type InTime<Result> = { result: Result } | { problem: string }

/**
 * Does work on what somebody else wrote that may take for ever, such as matching a pattern, or need more stack than
 * there is; the engine itself ends it, since nothing else could while it works.
 */
export function withinTime<Result>(work: () => Result, timeout = CHECK_MS): InTime<Result> {
  try {
    return { result: WORK.runInNewContext({ work }, { timeout }) }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      return { problem: `it could not be checked within ${timeout / 1_000} s` }
    if (error instanceof RangeError) return { problem: 'it is too deep to be checked' }
    throw error
  }
}

const WORK = new Script('work()')
