import { hostProgram } from './host-program.ts'
import type { Profile, Registered } from './profile.ts'

/** In what surroundings the host runs. */
export interface Surroundings {
  profile: Profile
  cwd?: string
  env?: Record<string, string>
  /** Runs the host under another program, for example `['setpriv', '--bounding-set=…']`. */
  under?: string[]
}

/** What a session can be started with. */
export interface SessionOptions extends Surroundings {
  name?: string
  pluginDirs?: string[]
  /** Flag settings, `--settings`. */
  settings?: object
  /** A session id to resume, or `continue` for the latest of the folder. */
  resume?: string
  continue?: boolean
  /** Goes on under a new id; with `resume` or `continue`. */
  fork?: boolean
  allowedTools?: string[]
  disallowedTools?: string[]
  permissionMode?: 'acceptEdits' | 'auto' | 'manual' | 'dontAsk' | 'plan'
  /** `--dangerously-skip-permissions`; to root the host allows it only in what it is told is a sandbox. */
  bypassPermissions?: boolean
  /** More arguments, as the host takes them. */
  args?: string[]
}

/** A running session. */
export interface Session {
  readonly pid: number
  /** The id that the session has now: `/clear` and `/resume` change it. */
  sessionId(): string
  /** Under this address other sessions reach it: `uds:<socket>`. */
  address(): string
  /** Lets it end by itself, as a person does; gives its exit code. */
  end(): Promise<number | string>
  /** Kills it, with all it started, as a crash would: its line in the registry stays. */
  kill(): Promise<void>
  readonly isRunning: boolean
}

/** The arguments of a session. */
export function argumentsOf(options: SessionOptions): string[] {
  return [
    ...(options.resume !== undefined ? ['--resume', options.resume] : []),
    ...(options.continue ? ['--continue'] : []),
    ...(options.fork ? ['--fork-session'] : []),
    ...(options.name ? ['--name', options.name] : []),
    ...(options.pluginDirs ?? []).flatMap(dir => ['--plugin-dir', dir]),
    ...(options.settings ? ['--settings', JSON.stringify(options.settings)] : []),
    ...(options.permissionMode ? ['--permission-mode', options.permissionMode] : []),
    ...(options.bypassPermissions ? ['--dangerously-skip-permissions'] : []),
    ...(options.args ?? []),
    // These two take several values, so they stand last.
    ...(options.allowedTools?.length ? ['--allowedTools', ...options.allowedTools] : []),
    ...(options.disallowedTools?.length ? ['--disallowedTools', ...options.disallowedTools] : []),
  ]
}

/** What is run, with which arguments, and where. */
export function commandOf({ profile, cwd = profile.cwd, env, under = [] }: Surroundings, args: string[]) {
  profile.trust(cwd)
  const [program, ...rest] = [...under, hostProgram(), ...args]
  return { program: program as string, args: rest, place: { cwd, env: { ...profile.env, ...env } } }
}

/** The session's line in the host's registry. */
export function registered({ profile }: SessionOptions, pid: number): Registered | undefined {
  return profile.registered().find(one => one.pid === pid)
}

/**
 * Whether other sessions can reach it, also by its name: at first the line holds a name that the host made up, and a
 * name that is taken gets a suffix.
 */
export function isReachable(options: SessionOptions, pid: number): boolean {
  const line = registered(options, pid)
  return line?.messagingSocketPath !== undefined && (line.name ?? '').startsWith(options.name ?? '')
}
