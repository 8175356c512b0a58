import { existsSync, readdirSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { nearest } from '../../problem/nearest.ts'
import { Problem } from '../../problem/problem.ts'
import type { Chain } from '../spec/chain-schema.ts'
import { chainOfRunId } from './run-id.ts'

/** The folder of all logs that a chain does not put elsewhere. */
function logsFolder(runnerFolder: string): string {
  return join(runnerFolder, 'chain-logs')
}

/**
 * Where a run's log lies: `audit.log_path` as a folder or, where it ends in `.jsonl`, as the file; a relative one is
 * seen from the project. Else `<user folder>/chain-logs/<chain>/<run id>.jsonl`.
 */
export function logPathOf(
  chain: Chain,
  runId: string,
  place: { project: string; home: string; runnerFolder: string },
): string {
  const named = chain.audit?.log_path
  if (named === undefined) return join(logsFolder(place.runnerFolder), chain.name, `${runId}.jsonl`)
  const whole = named.startsWith('~/') ? join(place.home, named.slice(2)) : named
  const path = isAbsolute(whole) ? whole : resolve(place.project, whole)
  return path.endsWith('.jsonl') ? path : join(path, `${runId}.jsonl`)
}

/**
 * The log that a word means: a path, or a run id in the default folder.
 *
 * @throws Problem `not-found`
 */
export function findLog(word: string, runnerFolder: string): string {
  if (/[\\/]|\.jsonl$/.test(word)) {
    if (existsSync(word)) return resolve(word)
    throw new Problem('not-found', `no log ${word}`, { path: word })
  }
  const chain = chainOfRunId(word)
  const path = join(logsFolder(runnerFolder), chain ?? word, `${word}.jsonl`)
  if (chain !== null && existsSync(path)) return path
  const near = nearest(word, allRunIds(runnerFolder))
  throw new Problem('not-found', `no run "${word}" in ${logsFolder(runnerFolder)}`, {
    hint:
      near === null
        ? 'a run with a log elsewhere is named by the path of its log'
        : `did you mean "${near}"?`,
  })
}

function allRunIds(runnerFolder: string): string[] {
  const folder = logsFolder(runnerFolder)
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap(
    name => /([^\\/]+)\.jsonl$/.exec(name)?.[1] ?? [],
  )
}
