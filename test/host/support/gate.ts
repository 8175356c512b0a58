import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { endingFolder } from './endings.ts'

/** What a command of the Bash tool waits for until the test says so: no clock decides what happens while it runs. */
export interface Gate {
  /** The command; add what is to be run after it. */
  readonly command: string
  open(): void
}

export function gate(): Gate {
  const file = join(endingFolder(), 'open')
  return {
    command: `until [ -e '${file}' ]; do sleep 0.1; done`,
    open: () => writeFileSync(file, ''),
  }
}
