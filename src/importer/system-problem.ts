import { Problem } from '../problem/problem.ts'

/** What the system answers where it will answer the same for every further file. */
const OF_THE_PLACE: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EROFS: 'the disk cannot be written to',
  EACCES: 'the rights are missing',
  EPERM: 'the rights are missing',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EIO: 'the disk does not work',
}

/** The code of a system error; undefined for every other error, which is a fault of this program. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
}

/** Whether an error is of the place and not of the one file, so that going on is of no use. */
export function isOfThePlace(error: unknown): boolean {
  return (systemCode(error) ?? '') in OF_THE_PLACE
}

/** A system error as one line a person can act on; `what` could not be done. All others stay what they are. */
export function systemProblem(what: string, error: unknown, path: string, hint: string): unknown {
  const code = systemCode(error)
  if (code === undefined || error instanceof Problem) return error
  const why = OF_THE_PLACE[code]
  return new Problem(
    why === undefined ? 'failed' : 'environment',
    `${what}: ${why === undefined ? (error as Error).message : `${why} (${code})`}`,
    { path, hint, cause: error },
  )
}
