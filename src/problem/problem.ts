/** What kind of thing went wrong; decides the exit code (README.md, exit codes). */
export type ProblemKind =
  | 'usage'
  | 'filter'
  | 'not-found'
  | 'record'
  | 'index'
  | 'environment'
  | 'check'
  | 'failed'

/**
 * An error that a person can act on: one sentence of what went wrong and where, and the way out where there is one.
 * Everything else that is thrown is a fault of this program.
 */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly kind: ProblemKind
  readonly hint: string | undefined
  readonly path: string | undefined

  constructor(
    kind: ProblemKind,
    message: string,
    more: { hint?: string; path?: string; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause })
    this.kind = kind
    this.hint = more.hint
    this.path = more.path
  }
}
