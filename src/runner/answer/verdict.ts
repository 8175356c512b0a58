import type { Output } from '../log/event.ts'

/**
 * The verdict that an answer ends with, `VERDICT: pass`, or that stands in the field `verdict` of a JSON answer; null
 * where it gives none. Of several lines the last counts.
 */
export function verdictOf<Verdict extends string>(
  output: Output,
  verdicts: readonly Verdict[],
): Verdict | null {
  const { value } = output
  const field =
    typeof value === 'object' && value !== null && 'verdict' in value ? String(value.verdict) : undefined
  const line = [...output.text.matchAll(/^[ \t*_>#-]*VERDICT:[\s*_]*(\w+?)_*(?!\w)/gim)].at(-1)?.[1]
  const word = (field ?? line)?.toLowerCase()
  return verdicts.find(verdict => verdict === word) ?? null
}
