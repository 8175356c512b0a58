import { isUtf8 } from 'node:buffer'
import { type ChildProcess, spawn } from 'node:child_process'

export interface Command {
  argv: readonly string[]
  cwd: string
  env: NodeJS.ProcessEnv
  /** What it reads on standard input; nothing where it is left out. */
  stdin?: string
  timeoutMs: number
  /** Ends the command where it is aborted. */
  signal: AbortSignal
  onStart?: (pid: number) => void
}

/** How a command ended. */
export interface Ended {
  exit: number | string | null
  stdout: string
  /** Whether what it said is UTF-8; what is not stands in `stdout` as replacement characters. */
  isUtf8: boolean
  /** The end of what it said beside its answer. */
  stderr: string
  /** Why there is no answer to use; null where it ended by itself with exit code 0. */
  problem: string | null
  isCancelled: boolean
  elapsedMs: number
}

/** An answer over this is cut off, and the command with it. */
const MAX_ANSWER_BYTES = 1_048_576
const STDERR_BYTES = 4_096
const PATIENCE_MS = 5_000
const REACHED_MS = 500

/**
 * Runs a command to its end: no shell, its own process group, output bounded, ended with all that it started when its
 * time is over or it is cancelled.
 */
export function runCommand(command: Command): Promise<Ended> {
  const started = Date.now()
  return new Promise((resolve, reject) => {
    const child = start(command)
    if (child instanceof Error) return resolve(notStarted(child))
    const out: Buffer[] = []
    let outBytes = 0
    let stderr = Buffer.alloc(0)
    let ended: string | null = null
    let killing: NodeJS.Timeout | undefined
    let leftOver: NodeJS.Timeout | undefined
    const end = (why: string) => {
      if (ended !== null) return
      ended = why
      signalGroup(child, 'SIGTERM')
      killing = setTimeout(() => signalGroup(child, 'SIGKILL'), PATIENCE_MS)
    }
    const timer = setTimeout(() => end(`no answer within ${command.timeoutMs / 1_000} s`), command.timeoutMs)
    const cancel = () => end('cancelled')
    if (command.signal.aborted) cancel()
    command.signal.addEventListener('abort', cancel, { once: true })
    child.stdout?.on('data', (chunk: Buffer) => {
      outBytes += chunk.length
      if (outBytes > MAX_ANSWER_BYTES) end(`an answer over ${MAX_ANSWER_BYTES / 1_048_576} MiB`)
      else out.push(chunk)
    })
    child.stderr?.on('data', (chunk: Buffer) => {
      stderr = Buffer.concat([stderr, chunk]).subarray(-STDERR_BYTES)
    })
    // A command that does not read all of it is free to.
    child.stdin?.on('error', () => {})
    child.stdin?.end(command.stdin)
    let failedStart: Error | null = null
    let unlogged: { error: unknown } | null = null
    child.on('error', error => {
      failedStart ??= error
      if (child.pid === undefined) finish(null)
    })
    child.on('spawn', () => {
      try {
        command.onStart?.(child.pid as number)
      } catch (error) {
        // Nothing goes on without its line in the log.
        unlogged = { error }
        signalGroup(child, 'SIGKILL')
      }
    })
    // What it started may hold its output open after it has ended; then its group still exists.
    child.on('exit', () => {
      leftOver = setTimeout(() => {
        signalGroup(child, 'SIGKILL')
        // One that has left the group is out of reach; what it says from now on is no part of the answer.
        leftOver = setTimeout(() => destroyOutput(child), REACHED_MS)
      }, PATIENCE_MS)
    })
    child.on('close', (code, signal) => finish(code ?? signal))
    function finish(exit: number | string | null) {
      clearTimeout(timer)
      clearTimeout(killing)
      clearTimeout(leftOver)
      command.signal.removeEventListener('abort', cancel)
      if (unlogged) return reject(unlogged.error)
      if (failedStart) return resolve(notStarted(failedStart))
      const said = Buffer.concat(out)
      const failed = exit === 0 ? null : `exit ${exit}`
      resolve({
        exit,
        stdout: said.toString('utf8'),
        isUtf8: isUtf8(said),
        stderr: stderr.toString('utf8'),
        problem: ended ?? failed,
        isCancelled: ended === 'cancelled',
        elapsedMs: Date.now() - started,
      })
    }
  })
}

/** Starts a command, or says why the system takes none of it: an argument is too long for it, or holds a zero byte. */
function start({ argv, cwd, env, stdin }: Command): ChildProcess | Error {
  const [program = '', ...args] = argv
  try {
    return spawn(program, args, {
      cwd,
      env,
      stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
  } catch (error) {
    return error as Error
  }
}

function notStarted({ message }: Error): Ended {
  return {
    exit: null,
    stdout: '',
    isUtf8: true,
    stderr: '',
    // An argument that is refused stands whole in the message.
    problem: `not started: ${message.length > 200 ? `${message.slice(0, 80).toWellFormed()}…` : message}`,
    isCancelled: false,
    elapsedMs: 0,
  }
}

function destroyOutput({ stdout, stderr }: ChildProcess): void {
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
