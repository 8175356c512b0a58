import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'

export interface ToStart {
  argv: readonly string[]
  cwd: string
  env: NodeJS.ProcessEnv
  /** Whether it is given something on standard input. */
  hasInput: boolean
  /** Told its id before anything waits for it. What this throws ends the process, and is what `ended` rejects with. */
  onStart?: ((pid: number) => void) | undefined
}

/** How a process ended; `problem` says why it did not begin. */
export type HowEnded = { exit: number | string | null } | { problem: string }

/** A process that runs, with all that it starts. */
export interface Process {
  stdin: Writable | null
  stdout: Readable | null
  stderr: Readable | null
  /** Asks it and its group to end, and ends them where they do not heed it. */
  end(): void
  /** Settled once it has ended and its output with it. */
  ended: Promise<HowEnded>
}

const PATIENCE_MS = 5_000
const REACHED_MS = 500

/**
 * Starts a command: no shell, and a process group of its own, so that it is ended with all that it started. A process
 * that outlives it and holds its output open is ended too; one that has left the group is no longer listened to.
 */
export function startProcess({ argv, cwd, env, hasInput, onStart }: ToStart): Process {
  const [program = '', ...args] = argv
  let child: ChildProcess
  try {
    child = spawn(program, args, {
      cwd,
      env,
      stdio: [hasInput ? 'pipe' : 'ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
  } catch (error) {
    // The system takes no argument that is too long for it or holds a zero byte.
    return { stdin: null, stdout: null, stderr: null, end() {}, ended: Promise.resolve(notStarted(error)) }
  }
  // A command that does not read all of its input is free to.
  child.stdin?.on('error', () => {})
  let killing: NodeJS.Timeout | undefined
  let isOver = false
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    end() {
      // Its id may be another process's by now.
      if (isOver || killing !== undefined) return
      signalGroup(child, 'SIGTERM')
      killing = setTimeout(() => signalGroup(child, 'SIGKILL'), PATIENCE_MS)
    },
    ended: endOf(child, onStart).finally(() => {
      isOver = true
      clearTimeout(killing)
    }),
  }
}

function endOf(child: ChildProcess, onStart: ToStart['onStart']): Promise<HowEnded> {
  return new Promise((resolve, reject) => {
    let failed: unknown
    let unlogged: { error: unknown } | null = null
    let leftOver: NodeJS.Timeout | undefined
    child.on('error', error => {
      failed ??= error
      if (child.pid === undefined) resolve(notStarted(failed))
    })
    child.on('spawn', () => {
      try {
        onStart?.(child.pid as number)
      } catch (error) {
        // Nothing goes on without its line in the log.
        unlogged = { error }
        signalGroup(child, 'SIGKILL')
      }
    })
    child.on('exit', () => {
      leftOver = setTimeout(() => {
        signalGroup(child, 'SIGKILL')
        leftOver = setTimeout(() => stopListening(child), REACHED_MS)
      }, PATIENCE_MS)
    })
    child.on('close', (code, signal) => {
      clearTimeout(leftOver)
      if (unlogged) reject(unlogged.error)
      else resolve(failed === undefined ? { exit: code ?? signal } : notStarted(failed))
    })
  })
}

function notStarted(error: unknown): HowEnded {
  const { message } = error as Error
  // An argument that is refused stands whole in the message.
  const why = message.length > 200 ? `${message.slice(0, 80).toWellFormed()}…` : message
  return { problem: `not started: ${why}` }
}

function stopListening({ stdout, stderr }: ChildProcess): void {
  stdout?.destroy()
  stderr?.destroy()
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill(signal)
    else process.kill(-child.pid, signal)
  } catch {
    // It has ended.
  }
}
