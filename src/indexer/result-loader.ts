import type { ResultRow } from '../database/tables.ts'

/** What the index holds of a result beside its rows. */
export type ResultHead = Pick<ResultRow, 'status' | 'made_at' | 'version' | 'revision'>

/** Puts the rows of one kind of result into an index and takes them out. */
export interface ResultLoader {
  /**
   * Adds the rows of a result of which none are in the index; where it throws, none are there afterwards either.
   *
   * @throws Problem that says what is wrong with the result
   */
  load(path: string, resultId: number): ResultHead
  remove(resultId: number): void
}
