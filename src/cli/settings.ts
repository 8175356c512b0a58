import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { type Place, placeOf } from '../indexer/place.ts'
import { Problem } from '../problem/problem.ts'
import {
  cacheFolder,
  dataFolder,
  type FolderResult,
  recordFolder,
  runnerFolder,
  type Surroundings,
} from '../record/folders.ts'

/** The options that every command takes. */
export interface CommonOptions {
  recordDir?: string
  index?: string
  json?: boolean
}

/** Adds the options that every command takes. */
export function withCommonOptions(command: Command): Command {
  return command
    .option('--record-dir <dir>', 'the record (else COORD_RECORD_DIR, else the default folder)')
    .option('--index <path>', 'the index (else COORD_INDEX, else one in the cache folder)')
    .option('--json', 'print one JSON document')
}

/** Adds the option to every command that answers from the index. */
export function withRefreshOption(command: Command): Command {
  return command.option('--no-refresh', 'answer from the index as it is, without looking at the record')
}

/**
 * Where the record and what is made of it lie: option, else environment, else default.
 *
 * @throws Problem `environment` where there is no home folder to derive a default from
 */
export function placeFrom(options: CommonOptions, env: NodeJS.ProcessEnv = process.env): Place {
  const around = surroundings(env)
  const named = given('--record-dir', options.recordDir) ?? (env.COORD_RECORD_DIR || undefined)
  const index = given('--index', options.index) ?? (env.COORD_INDEX || undefined)
  const recordDir = folderOf(recordFolder(around, named === undefined ? undefined : fullPath(around, named)))
  const data = dataFolder(around)
  return placeOf(recordDir, folderOf(cacheFolder(around)), {
    indexPath: index === undefined ? undefined : fullPath(around, index),
    dataDir: 'folder' in data ? data.folder : undefined,
  })
}

/** The folder of what a scan has read, for the next one; it can be deleted at any time. */
export function transcriptCache(env: NodeJS.ProcessEnv = process.env): string {
  return join(folderOf(cacheFolder(surroundings(env))), 'transcripts')
}

/**
 * What an option names as a path; an empty one, as an unset variable of a shell gives it, is never the current folder.
 *
 * @throws Problem `usage` where it names nothing
 */
export function given<Path extends string | undefined>(option: string, path: Path): Path {
  if (path === '')
    throw new Problem('usage', `${option} names nothing`, { hint: `leave ${option} out, or name a path` })
  return path
}

/** A path as a person names it: `~/` is the home folder also where no shell has seen it, all else is seen from the current folder. */
function fullPath(around: Surroundings, path: string): string {
  return path === '~' || path.startsWith('~/') ? folderOf(recordFolder(around, path)) : resolve(path)
}

/** What the default folders depend on, as this process sees it. */
export function surroundings(env: NodeJS.ProcessEnv): Surroundings {
  return {
    platform: process.platform,
    home: env.HOME || homedir(),
    xdgDataHome: env.XDG_DATA_HOME,
    xdgCacheHome: env.XDG_CACHE_HOME,
    localAppData: env.LOCALAPPDATA,
  }
}

/** Where Claude Code keeps its settings, plugins and transcripts. */
export function claudeFolder(env: NodeJS.ProcessEnv): string {
  return env.CLAUDE_CONFIG_DIR || join(surroundings(env).home ?? '', '.claude')
}

/**
 * The user's folder of the runner: chains, logs, settings.
 *
 * @throws Problem `environment` where there is no home folder to derive it from
 */
export function runnerFolderFrom(env: NodeJS.ProcessEnv): string {
  return folderOf(runnerFolder(surroundings(env)))
}

function folderOf(result: FolderResult): string {
  if ('folder' in result) return result.folder
  throw new Problem('environment', result.problem, { hint: result.hint })
}
