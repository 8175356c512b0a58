import { resolve } from 'node:path'
import { Problem } from '../../problem/problem.ts'

/**
 * The folder of a result as an absolute path, seen from the current folder.
 *
 * @throws Problem `usage` where nothing is named, as an unset variable of a shell gives it
 */
export function resultPath(out: string): string {
  if (out === '')
    throw new Problem('usage', 'the folder of the result is missing', { hint: 'coord scan --help' })
  return resolve(out)
}
