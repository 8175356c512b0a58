import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { cleanUp, commitOf, makeWorktree } from '../isolation/worktree.ts'
import type { Step } from '../spec/chain-schema.ts'
import type { LookUp } from '../template/render.ts'
import { renderToText } from '../template/render.ts'
import type { Run } from './run-context.ts'

/** Git writes its list of worktrees, so one is made or removed at a time. */
let atGit: Promise<unknown> = Promise.resolve()

function oneAtATime<Result>(work: () => Promise<Result>): Promise<Result> {
  const done = atGit.then(work, work)
  atGit = done.catch(() => {})
  return done
}

/** The folder that a step runs in: the project, or the worktree that its isolation asks for. */
export async function stepFolder(
  run: Run,
  step: Step,
  lookUp: LookUp,
): Promise<{ cwd: string } | { problem: string }> {
  const { place, journal, runId } = run
  if (!step.isolation) return { cwd: place.project }
  const base = renderToText(step.isolation.base ?? 'HEAD', lookUp)
  const found = await commitOf(place.project, base, place.env)
  if ('problem' in found) return found
  // A step that was cut off left a worktree of its own, so the name is new each time.
  const name = `${step.id}-${randomBytes(3).toString('hex')}`
  const path = join(place.runnerFolder, 'worktrees', runId, name)
  // Logged first: a crash in between leaves a name without a folder, never a folder without a name.
  journal.write({ event: 'worktree_opened', step: step.id, path, base: found.commit })
  const failed = await oneAtATime(() => makeWorktree(place.project, path, found.commit, place.env))
  if (failed) return failed
  const cwd = join(path, found.prefix)
  return existsSync(cwd)
    ? { cwd }
    : { problem: `${base} does not have the folder ${found.prefix} of the project` }
}

/**
 * Cleans up the worktrees of steps that have ended (spec, procedure 4: deferred until the next step begins, and at the
 * end of the run).
 */
export async function cleanUpWorktrees(run: Run): Promise<void> {
  const { place, journal } = run
  await oneAtATime(async () => {
    for (const worktree of journal.state.worktrees) {
      if (journal.state.inFlight.has(worktree.step)) continue
      const step = run.read.chain.steps.find(one => one.id === worktree.step)
      const succeeded = journal.state.results.get(worktree.step)?.status === 'succeeded'
      const cleanup = step?.isolation?.cleanup ?? 'on_success'
      const done = await cleanUp(place.project, worktree, cleanup, succeeded, place.env)
      const { step: id, path } = worktree
      if (done === 'removed') journal.write({ event: 'worktree_removed', step: id, path })
      else journal.write({ event: 'worktree_kept', step: id, path, reason: done.kept })
    }
  })
}
