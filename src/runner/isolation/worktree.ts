import { existsSync, rmdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from '../../files/make-folder.ts'
import { runCommand } from '../processes/run-command.ts'
import type { Step } from '../spec/chain-schema.ts'
import { inOwnRepository } from './git-environment.ts'

export type Cleanup = NonNullable<NonNullable<Step['isolation']>['cleanup']>

type Git = (cwd: string, ...args: string[]) => Promise<{ ok: boolean; text: string }>

const GIT_TIMEOUT_MS = 10 * 60_000

/** Git as the person has it; what it says is cut off at its end. */
function gitOf(env: NodeJS.ProcessEnv): Git {
  return async (cwd, ...args) => {
    const ended = await runCommand({
      argv: ['git', ...args],
      cwd,
      env: { ...inOwnRepository(env), LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0' },
      timeoutMs: GIT_TIMEOUT_MS,
      // A worktree is never left half made: git ends by itself.
      signal: new AbortController().signal,
    })
    return { ok: ended.problem === null, text: (ended.problem === null ? ended.stdout : ended.stderr).trim() }
  }
}

/** The commit that a worktree will begin at and where in it the project lies, or why there can be none. */
export async function commitOf(
  project: string,
  base: string,
  env: NodeJS.ProcessEnv,
): Promise<{ commit: string; prefix: string } | { problem: string }> {
  const git = gitOf(env)
  // `--end-of-options` keeps a base such as `--all` from being an option.
  const found = await git(
    project,
    ...['rev-parse', '--verify', '--quiet', '--end-of-options', `${base}^{commit}`],
  )
  if (found.ok) return { commit: found.text, prefix: (await git(project, 'rev-parse', '--show-prefix')).text }
  return { problem: `no commit "${base}" in ${project}, which a worktree could begin at` }
}

/** Makes a worktree without a branch at a commit. */
export async function makeWorktree(
  project: string,
  path: string,
  commit: string,
  env: NodeJS.ProcessEnv,
): Promise<{ problem: string } | null> {
  makeFolder(dirname(path))
  const made = await gitOf(env)(project, 'worktree', 'add', '--detach', path, commit)
  return made.ok ? null : { problem: `no worktree could be made: ${made.text.split('\n').at(-1)}` }
}

/**
 * Cleans a worktree up as its policy says, or says why it is kept: one with changes, with commits of its own, or locked
 * is never removed, whatever the policy.
 */
export async function cleanUp(
  project: string,
  { path, base }: { path: string; base: string },
  cleanup: Cleanup,
  succeeded: boolean,
  env: NodeJS.ProcessEnv,
): Promise<'removed' | { kept: string }> {
  const git = gitOf(env)
  if (!existsSync(path)) {
    await git(project, 'worktree', 'prune')
    return 'removed'
  }
  if (cleanup === 'keep') return { kept: 'its policy is keep' }
  if (cleanup === 'on_success' && !succeeded) return { kept: 'its step did not succeed' }
  const changes = await git(path, 'status', '--porcelain', '--ignored=no')
  if (!changes.ok) return { kept: `git cannot read it: ${changes.text}` }
  if (changes.text !== '') return { kept: `it holds changes (${changes.text.split('\n').length} files)` }
  const head = await git(path, 'rev-parse', 'HEAD')
  if (head.text !== base) return { kept: `it holds commits of its own (${head.text.slice(0, 12)})` }
  const removed = await git(project, 'worktree', 'remove', path)
  if (removed.ok) removeEmpty(dirname(path))
  return removed.ok ? 'removed' : { kept: removed.text.split('\n')[0] ?? 'git does not remove it' }
}

/** The run's own folder goes with its last worktree. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // It holds another worktree.
  }
}
