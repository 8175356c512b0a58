import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { endingFolder } from './endings.ts'
import type { MessagesApi } from './messages-api.ts'

const API_KEY = 'sk-ant-no-real-key-of-anyone'

/** A live session as the host registers it in `<config>/sessions/<pid>.json`; only what tests look at. */
export interface Registered {
  pid: number
  sessionId: string
  cwd: string
  name?: string
  messagingSocketPath?: string
  formerNames?: { name: string; sessionId: string }[]
}

/** The home of a person on whose machine the host runs: nothing of it is shared with another profile. */
export interface Profile {
  readonly dir: string
  readonly home: string
  /** The host's own folder, `CLAUDE_CONFIG_DIR`. */
  readonly config: string
  /** The project folder in which sessions run unless they say otherwise. */
  readonly cwd: string
  /** `XDG_DATA_HOME`. */
  readonly data: string
  /** Holds the sockets of the sessions. */
  readonly runtime: string
  readonly env: Record<string, string>
  /** Writes a settings file; `project` and `local` are those of `cwd`. Flag settings are an option of a session. */
  writeSettings(source: 'user' | 'project' | 'local', settings: object, cwd?: string): void
  /** Makes a project folder in which the host does not ask whether it is trusted. Call it before sessions run. */
  trust(cwd: string): void
  /** The sessions that the host has registered; those that were killed stay. */
  registered(): Registered[]
}

export interface ProfileOptions {
  api: MessagesApi
  /** Where the profile lies; else in a folder that is removed when the test, or the file, ends. */
  dir?: string
  env?: Record<string, string>
}

/** Makes a profile (docs/host.md, running the host in a test). */
export function newProfile({ api, dir = endingFolder(), env }: ProfileOptions): Profile {
  const root = realpathSync(mkdirs(dir))
  const folder = (name: string) => mkdirs(join(root, name))
  const home = folder('home')
  const config = folder('home/.claude')
  const [cwd, data, runtime] = [folder('work'), folder('data'), folder('run')]
  const stateFile = join(config, '.claude.json')
  if (!existsSync(stateFile)) {
    writeJson(stateFile, {
      hasCompletedOnboarding: true,
      theme: 'dark',
      customApiKeyResponses: { approved: [API_KEY.slice(-20)], rejected: [] },
      projects: {},
    })
  }
  const profile: Profile = {
    dir: root,
    home,
    config,
    cwd,
    data,
    runtime,
    env: {
      PATH: process.env.PATH ?? '',
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      HOME: home,
      CLAUDE_CONFIG_DIR: config,
      TMPDIR: runtime,
      XDG_RUNTIME_DIR: runtime,
      XDG_DATA_HOME: data,
      XDG_CACHE_HOME: folder('cache'),
      XDG_CONFIG_HOME: folder('home/.config'),
      ANTHROPIC_BASE_URL: api.url,
      ANTHROPIC_API_KEY: API_KEY,
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      IS_SANDBOX: '1',
      ...env,
    },
    writeSettings(source, settings, project = cwd) {
      const name = source === 'local' ? 'settings.local.json' : 'settings.json'
      writeJson(source === 'user' ? join(config, name) : join(project, '.claude', name), settings)
    },
    trust(project) {
      const state = JSON.parse(readFileSync(stateFile, 'utf8'))
      const path = realpathSync(mkdirs(project))
      if (state.projects[path]?.hasTrustDialogAccepted) return
      state.projects[path] = { ...state.projects[path], hasTrustDialogAccepted: true }
      writeJson(stateFile, state)
    },
    registered: () => registeredIn(join(config, 'sessions')),
  }
  profile.trust(cwd)
  return profile
}

function registeredIn(folder: string): Registered[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter(name => /^\d+\.json$/.test(name))
    .flatMap(name => registeredBy(join(folder, name)))
}

/** The host writes a session's line in place: one that does not parse is looked at again, until it is whole or gone. */
function registeredBy(path: string): Registered[] {
  for (let looks = 0; looks < 100; looks++) {
    try {
      return [JSON.parse(readFileSync(path, 'utf8')) as Registered]
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
  return []
}

function mkdirs(path: string): string {
  mkdirSync(path, { recursive: true })
  return path
}

function writeJson(path: string, value: object): void {
  mkdirs(dirname(path))
  writeFileSync(path, JSON.stringify(value, null, 2))
}
