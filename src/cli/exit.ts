import { Problem, type ProblemKind } from '../problem/problem.ts'
import { isBusy, isDamage, isUnwritable } from '../sqlite/sqlite-error.ts'

/** Exit codes of every command (README.md). */
export const EXIT = { done: 0, failed: 1, usage: 2, environment: 3, refused: 4, partial: 8 } as const

const EXIT_OF_KIND: Record<ProblemKind, number> = {
  usage: EXIT.usage,
  filter: EXIT.usage,
  environment: EXIT.environment,
  check: EXIT.refused,
  'not-found': EXIT.failed,
  record: EXIT.failed,
  index: EXIT.failed,
  failed: EXIT.failed,
}

/** The exit code that says what kind of problem ended a command. */
export function exitCodeOf(problem: Problem): number {
  return EXIT_OF_KIND[problem.kind]
}

const RIGHTS = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'EFBIG', 'EMFILE'])

/** Any error as a problem that can be told: the system's own say which file, all others that this program is at fault. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  const { code, message, path } = error as NodeJS.ErrnoException
  if (isBusy(error)) {
    return new Problem('index', 'the index is in use by another process that does not let go of it', {
      hint: 'end that process, or name another index with --index',
      cause: error,
    })
  }
  if (isDamage(error)) {
    return new Problem('index', `the index is damaged: ${message}`, {
      hint: 'coord index sets it aside and builds a new one',
      cause: error,
    })
  }
  if (RIGHTS.has(code ?? '') || isUnwritable(error)) {
    return new Problem('environment', message, {
      ...(path === undefined ? {} : { path }),
      hint: 'check the rights and the free space of its folder; coord doctor looks at all of them',
      cause: error,
    })
  }
  if (code !== undefined && path !== undefined) return new Problem('failed', message, { path, cause: error })
  return new Problem('failed', `unexpected: ${message ?? String(error)}`, {
    hint: 'this is a fault of coord; set COORD_DEBUG=1 to see where',
    cause: error,
  })
}
