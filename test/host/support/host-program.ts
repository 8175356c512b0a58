import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

const PROGRAM = resolve(import.meta.dirname, '../../../node_modules/.bin/claude')

/** The host's program, as npm installed it. Its absence fails a test and never skips it. */
export function hostProgram(): string {
  if (!existsSync(PROGRAM)) {
    throw new Error(
      `${PROGRAM} is missing: the tests of the host need the development dependency @anthropic-ai/claude-code; run "npm install" with its optional dependencies and install scripts`,
    )
  }
  return PROGRAM
}
