/**
 * An open index to be asked, whichever engine and driver holds it (docs/design.md). Questions are SQL that any engine
 * understands, with `?` for values; what only one engine knows stands in that engine's room.
 */
export interface Database {
  prepare(sql: string): Statement
  close(): unknown
}

/** A question that can be asked again and again; values are bound in their order. */
export interface Statement {
  get(...values: unknown[]): unknown
  all(...values: unknown[]): unknown[]
  /** Rows one by one. */
  iterate(...values: unknown[]): IterableIterator<unknown>
  /** From now on a row is the value of its first column. */
  pluck(): Statement
}

/** The index holds what no indexer writes. */
export class IndexDamage extends Error {
  override readonly name = 'IndexDamage'
}
