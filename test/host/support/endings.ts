import { afterAll, onTestFinished } from 'vitest'

type Ending = () => void | Promise<void>

/** What was opened outside of a test, for example in a `beforeAll`; vitest loads this module anew for each test file. */
const endOfFile: Ending[] = []

afterAll(async () => {
  while (endOfFile.length > 0) await endOfFile.pop()?.()
})

/** Runs `ending` when the running test ends, passed or failed; outside of a test, when its file ends. */
export function atEnd(ending: Ending): void {
  try {
    onTestFinished(ending)
  } catch {
    endOfFile.push(ending)
  }
}
