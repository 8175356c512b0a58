import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { startProcess } from './start-process.ts'

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

/** Runs a command to its end: its output bounded, and ended when its time is over or it is cancelled. */
export async function runCommand(command: Command): Promise<Ended> {
  const began = Date.now()
  const { stdin, timeoutMs, signal } = command
  const process = startProcess({ ...command, hasInput: stdin !== undefined })
  let stopped: string | null = null
  const stop = (why: string) => {
    stopped ??= why
    process.end()
  }
  const answer = firstBytes(process.stdout, MAX_ANSWER_BYTES, () =>
    stop(`an answer over ${MAX_ANSWER_BYTES / 1_048_576} MiB`),
  )
  const said = lastBytes(process.stderr, STDERR_BYTES)
  const timer = setTimeout(() => stop(`no answer within ${timeoutMs / 1_000} s`), timeoutMs)
  const cancel = () => stop('cancelled')
  if (signal.aborted) cancel()
  signal.addEventListener('abort', cancel, { once: true })
  process.stdin?.end(stdin)
  try {
    const ended = await process.ended
    if ('problem' in ended) return { ...NOTHING_SAID, problem: ended.problem }
    const { exit } = ended
    const bytes = answer()
    return {
      exit,
      stdout: bytes.toString('utf8'),
      isUtf8: isUtf8(bytes),
      stderr: said().toString('utf8'),
      problem: stopped ?? (exit === 0 ? null : `exit ${exit}`),
      isCancelled: stopped === 'cancelled',
      elapsedMs: Date.now() - began,
    }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', cancel)
  }
}

const NOTHING_SAID = { exit: null, stdout: '', isUtf8: true, stderr: '', isCancelled: false, elapsedMs: 0 }

/** Keeps what a stream says up to a bound; the part that goes over it is not kept. */
function firstBytes(stream: Readable | null, most: number, onMore: () => void): () => Buffer {
  const parts: Buffer[] = []
  let length = 0
  stream?.on('data', (part: Buffer) => {
    length += part.length
    if (length > most) onMore()
    else parts.push(part)
  })
  return () => Buffer.concat(parts)
}

/** Keeps the end of what a stream says. */
function lastBytes(stream: Readable | null, most: number): () => Buffer {
  let last: Buffer = Buffer.alloc(0)
  stream?.on('data', (part: Buffer) => {
    last = Buffer.concat([last, part]).subarray(-most)
  })
  return () => last
}
