import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

/** A new empty folder that is removed when the running test ends; outside of a test, when its file ends. */
export function endingFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'coord-host-'))
  // A process that was just killed may still leave a file.
  atEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}
