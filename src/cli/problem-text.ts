import type { Problem } from '../problem/problem.ts'
import { safeJson } from './output/safe-json.ts'

/** A problem as a person reads it: one line; the place where it points at one; a hint where there is one. */
export function problemText(problem: Problem): string {
  const lines = problem.hint?.split('\n') ?? []
  // A hint that ends with the caret has nothing more to say.
  const hint = /^\s*\^+$/.test(lines.at(-1) ?? '') ? undefined : lines.pop()
  return [
    `coord: ${oneLine(problem.message)} (${problem.kind})`,
    ...lines.map(line => `  ${line}`),
    ...(hint === undefined ? [] : [`hint: ${hint}`]),
  ].join('\n')
}

/** A problem as a program reads it. */
export function problemJson({ kind, message, hint, path }: Problem): string {
  return safeJson({ error: { kind, message, hint: hint ?? null, path: path ?? null } })
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ')
}
