import { Problem } from '../../problem/problem.ts'

/**
 * What somebody said for a record that keeps it.
 *
 * @throws Problem `usage` where it says nothing
 */
export function saidText(option: string, text: string): string {
  if (text.trim() === '')
    throw new Problem('usage', `${option} says nothing`, { hint: 'write why, for those who read it later' })
  return text
}
