import { endOf, startChild } from './child.ts'
import type { Surroundings } from './session-options.ts'

/** What a command of the host that is no session left behind. */
export interface HostOutcome {
  code: number | string
  stdout: string
  stderr: string
}

/** Runs a command such as `plugin validate <dir>` or `plugin install <name>` to its end. */
export async function hostCommand(surroundings: Surroundings, ...args: string[]): Promise<HostOutcome> {
  const child = startChild(surroundings, args, 'ignore')
  const code = await endOf(child, `claude ${args.join(' ')}`)
  return { code, stdout: child.stdout(), stderr: child.stderr() }
}
