import { digestText } from './text-digest.ts'

/** What the default folders depend on: all of it from the operating system, none of it from a project (ruling 11). */
export interface Surroundings {
  /** As Node and the host name it: `linux`, `darwin`, `win32`, … */
  platform: string
  home: string | undefined
  xdgDataHome?: string | undefined
  xdgCacheHome?: string | undefined
  localAppData?: string | undefined
}

export type FolderResult = { folder: string } | { problem: string; hint: string }

/**
 * The record's folder (ruling 11, recordDir): the option where one is set, else the default of the operating
 * system. `~/` in the option is the home folder; a relative path is a problem, since each session would mean
 * another folder by it.
 */
export function recordFolder(around: Surroundings, option?: string): FolderResult {
  if (option) return optionFolder(around, option)
  const data = dataFolder(around)
  return 'folder' in data ? { folder: join(around, data.folder, 'record') } : data
}

/** The folder of what is kept beside records and cannot be made again: the default record lies in it, and where results lie. */
export function dataFolder(around: Surroundings): FolderResult {
  if (around.xdgDataHome && isAbsolute(around, around.xdgDataHome)) {
    return { folder: join(around, around.xdgDataHome, 'coordination') }
  }
  return underHome(around, {
    win32: ['coordination'],
    darwin: ['Library', 'Application Support', 'coordination'],
    other: ['.local', 'share', 'coordination'],
  })
}

/** The folder of all that can be deleted and made again: indexes and projections, one subfolder for each record. */
export function cacheFolder(around: Surroundings): FolderResult {
  if (around.xdgCacheHome && isAbsolute(around, around.xdgCacheHome)) {
    return { folder: join(around, around.xdgCacheHome, 'coordination') }
  }
  return underHome(around, {
    win32: ['coordination', 'cache'],
    darwin: ['Library', 'Caches', 'coordination'],
    other: ['.cache', 'coordination'],
  })
}

/**
 * The user's folder of the runner (spec of YAML chains, 1 and 3): chains of the user, logs of their runs, and the
 * settings that no project can set.
 */
export function runnerFolder(around: Surroundings): FolderResult {
  if (around.platform === 'linux' && around.xdgDataHome && isAbsolute(around, around.xdgDataHome)) {
    return { folder: join(around, around.xdgDataHome, 'agent-collab') }
  }
  return underHome(around, {
    win32: ['agent-collab'],
    darwin: ['Library', 'Application Support', 'agent-collab'],
    other: ['.local', 'share', 'agent-collab'],
  })
}

/** The name of a record's subfolder in the cache: derived from the record's absolute path alone, so that the mod finds it too. */
export function recordKey(recordDir: string): string {
  return digestText(recordDir).textSha256.slice(0, 16)
}

function optionFolder(around: Surroundings, option: string): FolderResult {
  if (
    option === '~' ||
    option.startsWith('~/') ||
    (around.platform === 'win32' && option.startsWith('~\\'))
  ) {
    if (!around.home || !isAbsolute(around, around.home)) return NO_HOME
    return { folder: normal(around, join(around, around.home, option.slice(2))) }
  }
  if (isAbsolute(around, option)) return { folder: normal(around, option) }
  return {
    problem: `recordDir is not an absolute path: ${option}`,
    hint: 'name the folder from the root, or from the home folder with ~/',
  }
}

function underHome(
  around: Surroundings,
  parts: { win32: string[]; darwin: string[]; other: string[] },
): FolderResult {
  if (around.platform === 'win32') {
    if (around.localAppData) return { folder: join(around, around.localAppData, ...parts.win32) }
    return { problem: 'LOCALAPPDATA is not set', hint: 'set it, or name the folder' }
  }
  if (!around.home || !isAbsolute(around, around.home)) return NO_HOME
  return { folder: join(around, around.home, ...(around.platform === 'darwin' ? parts.darwin : parts.other)) }
}

const NO_HOME = { problem: 'HOME is not set to an absolute path', hint: 'set it, or name the folder' }

/** One spelling of a path: its key in the cache is made of it. Links are not followed, since a mod could not follow them. */
function normal(around: Surroundings, path: string): string {
  const separator = around.platform === 'win32' ? '\\' : '/'
  // A server's share begins with two, which mean something.
  const lead = around.platform === 'win32' && path.startsWith('\\\\') ? '\\' : ''
  const parts: string[] = []
  for (const part of path.split(around.platform === 'win32' ? /[\\/]+/ : /\/+/)) {
    if (part === '..' && parts.length > 1) parts.pop()
    else if (part !== '.' && part !== '..' && (part !== '' || parts.length === 0)) parts.push(part)
  }
  return lead + (parts.length === 1 ? `${parts[0]}${separator}` : parts.join(separator))
}

function isAbsolute(around: Surroundings, path: string): boolean {
  return around.platform === 'win32' ? /^([A-Za-z]:[\\/]|\\\\)/.test(path) : path.startsWith('/')
}

function join(around: Surroundings, first: string, ...rest: string[]): string {
  const separator = around.platform === 'win32' ? '\\' : '/'
  return [first.replace(/[\\/]+$/, ''), ...rest].join(separator)
}
