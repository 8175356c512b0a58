import { escapeText } from '../../hostile-text/escape-text.ts'
import { Problem } from '../../problem/problem.ts'

/** One thing that is wrong with a chain's file, and where; lines and columns count from 1. */
export interface Mistake {
  message: string
  line: number
  column: number
  hint?: string
}

/** `file:line:column: what (hint)`, on one line and safe to show. */
export function mistakeLine(path: string, { message, line, column, hint }: Mistake): string {
  return escapeText(`${path}:${line}:${column}: ${message}${hint === undefined ? '' : ` (${hint})`}`)
}

/** All mistakes of a chain as one problem: the first is its message, all of them stand in its hint. */
export function mistakesProblem(path: string, mistakes: readonly Mistake[]): Problem {
  const [first, ...more] = mistakes as [Mistake, ...Mistake[]]
  const place = `${path}:${first.line}:${first.column}: ${first.message}`
  const count = more.length === 0 ? '' : `, and ${more.length} more`
  const hint =
    more.length === 0
      ? (first.hint ?? 'docs/chains.md gives the format; coord chain validate checks it')
      : [...mistakes.map(mistake => mistakeLine(path, mistake)), 'mend these; nothing was run'].join('\n')
  return new Problem('check', escapeText(place + count), { path, hint })
}
