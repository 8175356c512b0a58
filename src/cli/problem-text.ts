import type { Problem } from '../problem.ts'
import { safeJson } from './output/safe-json.ts'

/** A problem as a person reads it: one line, and a hint where there is one. */
export function problemText(problem: Problem): string {
  const line = `coord: ${oneLine(problem.message)} (${problem.kind})`
  return problem.hint === undefined ? line : `${line}\nhint: ${problem.hint}`
}

/** A problem as a program reads it. */
export function problemJson({ kind, message, hint, path }: Problem): string {
  return safeJson({ error: { kind, message, hint: hint ?? null, path: path ?? null } })
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ')
}
