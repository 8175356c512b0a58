import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type RecordBuilder, recordBuilder } from './record-builder.ts'
import { sharedTempFolder, tempFolder } from './temp-folder.ts'

const PROGRAM = resolve(import.meta.dirname, '../../dist/coord.js')
/** A command that has not ended by then hangs; no test asserts that one is fast. */
const HANGS_AFTER_MS = 90_000

/** What one run of `coord` left behind. */
export interface Outcome {
  /** The exit code, or the signal that ended the process. */
  code: number | string
  stdout: string
  stderr: string
  /** The one JSON document on stdout; throws where stdout holds anything else. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into documents whose shape they check
  json(): any
  /** The `error` of the JSON object on stderr; throws where there is none. */
  error(): { kind: string; message: string; hint?: string; path?: string }
}

export interface RunOptions {
  env?: Record<string, string | undefined>
  cwd?: string
  /** Runs the program under another one, for example `['setpriv', '--bounding-set=…']`. */
  under?: string[]
  /** Another copy of the program than the built one. */
  program?: string
}

/** A run that is still going on. */
export interface Running {
  readonly process: ChildProcess
  /** What it has printed so far. */
  stdout(): string
  stderr(): string
  kill(signal?: NodeJS.Signals): void
  ended: Promise<Outcome>
}

/** A record with a home of its own, in which commands run as on another person's machine. */
export interface Place {
  readonly dir: string
  readonly record: RecordBuilder
  readonly cache: string
  /** Runs `coord` to its end. */
  run(...args: string[]): Promise<Outcome>
  runWith(options: RunOptions, ...args: string[]): Promise<Outcome>
  /** Starts `coord` and leaves it running. */
  start(options: RunOptions, ...args: string[]): Running
}

/** A place for one test. */
export function place(): Place {
  return placeIn(tempFolder())
}

/** A place for all tests of a file or `describe`. */
export function sharedPlace(): Place {
  return placeIn(sharedTempFolder())
}

/** A place in a folder that the caller looks after. */
export function placeIn(dir: string): Place {
  const home = join(dir, 'home')
  mkdirSync(home, { recursive: true })
  const record = recordBuilder(join(dir, 'record'))
  const cache = join(dir, 'cache')
  const surroundings = {
    PATH: process.env.PATH,
    HOME: home,
    XDG_DATA_HOME: join(dir, 'data'),
    XDG_CACHE_HOME: cache,
    TMPDIR: process.env.TMPDIR,
    TZ: 'Asia/Kolkata',
    LC_ALL: 'C.UTF-8',
    COORD_RECORD_DIR: record.dir,
  }
  const start = (options: RunOptions, ...args: string[]) =>
    startCoord({ cwd: home, ...options, env: { ...surroundings, ...options.env } }, args)
  return {
    dir,
    record,
    cache,
    start,
    run: (...args) => toItsEnd(start({}, ...args), args),
    runWith: (options, ...args) => toItsEnd(start(options, ...args), args),
  }
}

function startCoord(options: RunOptions, args: string[]): Running {
  const program = options.program ?? PROGRAM
  if (!existsSync(program)) {
    throw new Error(`${program} is missing: run "npm run build" before the tests ("npm test" does)`)
  }
  const [command, ...rest] = [...(options.under ?? []), process.execPath, program, ...args]
  const child = spawn(command as string, rest, {
    cwd: options.cwd,
    env: options.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  child.stdout.on('data', chunk => stdout.push(chunk))
  child.stderr.on('data', chunk => stderr.push(chunk))
  const text = (chunks: Buffer[]) => Buffer.concat(chunks).toString('utf8')
  const ended = new Promise<Outcome>((done, failed) => {
    child.on('error', failed)
    child.on('close', (code, signal) =>
      done(outcome(code ?? signal ?? 'unknown', text(stdout), text(stderr))),
    )
  })
  return {
    process: child,
    stdout: () => text(stdout),
    stderr: () => text(stderr),
    kill: signal => child.kill(signal ?? 'SIGKILL'),
    ended,
  }
}

async function toItsEnd(running: Running, args: string[]): Promise<Outcome> {
  let hangs = false
  const timer = setTimeout(() => {
    hangs = true
    running.kill('SIGKILL')
  }, HANGS_AFTER_MS)
  try {
    const result = await running.ended
    if (hangs) {
      throw new Error(`coord ${args.join(' ')} hangs; so far it said:\n${result.stdout}\n${result.stderr}`)
    }
    return result
  } finally {
    clearTimeout(timer)
  }
}

function outcome(code: number | string, stdout: string, stderr: string): Outcome {
  return {
    code,
    stdout,
    stderr,
    json() {
      try {
        return JSON.parse(stdout)
      } catch (error) {
        throw new Error(
          `stdout is not one JSON document (exit ${code}): ${(error as Error).message}\nstdout: ${stdout.slice(0, 2000)}\nstderr: ${stderr.slice(0, 2000)}`,
        )
      }
    },
    error() {
      const line = stderr.trimEnd().split('\n').at(-1) ?? ''
      for (const text of [stderr, line]) {
        try {
          return JSON.parse(text).error
        } catch {
          // Notes may stand before the error's own line.
        }
      }
      throw new Error(`no error object on stderr (exit ${code}): ${stderr.slice(0, 2000)}`)
    },
  }
}

/** Waits until `check` holds; fails with `what` when it never does. */
export async function until(
  what: string,
  check: () => boolean | Promise<boolean>,
  ms = 90_000,
): Promise<void> {
  const end = Date.now() + ms
  while (!(await check())) {
    if (Date.now() > end) throw new Error(`never came true: ${what}`)
    await pause(50)
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise(done => setTimeout(done, ms))
}
