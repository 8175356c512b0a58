import { type ChildProcess, spawn } from 'node:child_process'
import { atEnd } from './endings.ts'
import { killGroup } from './processes.ts'
import { commandOf, type Surroundings } from './session-options.ts'
import { PATIENCE_MS, waitFor } from './wait-for.ts'

/** The host as a child without a terminal. */
export interface HostChild {
  readonly process: ChildProcess
  readonly pid: number
  stdout(): string
  stderr(): string
  /** The exit code, or the signal that ended it; undefined while it runs. */
  code(): number | string | undefined
  /** Everything it printed, for a failure to tell. */
  told(): string
  readonly ended: Promise<void>
  kill(): Promise<void>
}

/** Starts the host; it is killed, with all it started, when the test or the file ends. */
export function startChild(options: Surroundings, args: string[], stdin: 'pipe' | 'ignore'): HostChild {
  // A group of its own, so that it can be killed with its children.
  const command = commandOf(options, args)
  const child = spawn(command.program, command.args, {
    ...command.place,
    stdio: [stdin, 'pipe', 'pipe'],
    detached: true,
  })
  const out: Buffer[] = []
  const err: Buffer[] = []
  let code: number | string | undefined
  child.stdout?.on('data', chunk => out.push(chunk))
  child.stderr?.on('data', chunk => err.push(chunk))
  const ended = new Promise<void>(resolve => {
    child.on('error', error => {
      code = `not started: ${error.message}`
      resolve()
    })
    child.on('close', (exit, signal) => {
      code = exit ?? signal ?? 'unknown'
      resolve()
    })
  })
  const text = (chunks: Buffer[]) => Buffer.concat(chunks).toString('utf8')
  const host: HostChild = {
    process: child,
    pid: child.pid ?? 0,
    stdout: () => text(out),
    stderr: () => text(err),
    code: () => code,
    told: () =>
      `claude ${args.join(' ')}\nexit: ${code ?? 'still running'}\nstdout:\n${text(out)}\nstderr:\n${text(err)}`,
    ended,
    async kill() {
      if (child.pid !== undefined) killGroup(child.pid)
      await ended
    },
  }
  atEnd(host.kill)
  return host
}

/** Waits for the host to end; kills it, and fails with all it printed, where it hangs. */
export async function endOf(child: HostChild, what: string, timeoutMs = PATIENCE_MS) {
  try {
    return await waitFor(() => child.code(), { what: `${what} to end`, timeoutMs, seen: child.told })
  } catch (error) {
    await child.kill()
    throw error
  }
}
