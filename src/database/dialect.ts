import type { Expression, SqlBool } from 'kysely'

/** What an engine says in its own words where the question is the same for all (docs/design.md). */
export interface Dialect {
  /** How many values one statement may bind. */
  readonly mostValues: number
  /** Bytes of the longest pattern of `like`. */
  readonly longestPattern: number
  /** Whether its full-text search can find anything of a text: a character that is part of words. */
  isSearchable(text: string): boolean
  /** `%` stands for any characters, `_` for one, and a letter of a to z for both its cases; values are stored text. */
  like(text: Expression<unknown>, pattern: string, escapedBy: string | null): Expression<SqlBool>
  /** Whether the text of a row is found by a search of whole words. */
  isFound(searched: Searched, search: Search): Expression<SqlBool>
}

/** A text that can be searched: the table that holds it, and the id in that table of the row that is asked about. */
export interface Searched {
  readonly table: SearchedTable
  readonly id: Expression<unknown>
}

export type SearchedTable = 'message_text' | 'scan_message'

/** What is searched for: any of the groups, and of a group every term. Terms are stored text. */
export type Search = readonly (readonly SearchTerm[])[]

/** A word, or words in their order; the last one may be only the beginning of a word. */
export interface SearchTerm {
  readonly text: string
  readonly isPrefix: boolean
}
