import type { RelationColumn } from '../relation.ts'
import type { Comparison } from './tree.ts'

/** A filter whose columns and types are checked: what the compiler, and a later dialect's, has to put into SQL. */
export type Condition =
  | { readonly kind: 'and' | 'or'; readonly terms: readonly Condition[] }
  | { readonly kind: 'not'; readonly term: Condition }
  | {
      readonly kind: 'compare'
      readonly column: RelationColumn
      readonly operator: Comparison
      readonly value: Bound
    }
  | { readonly kind: 'in'; readonly column: RelationColumn; readonly values: readonly Bound[] }
  | { readonly kind: 'is-null'; readonly column: RelationColumn; readonly isNegated: boolean }
  | {
      readonly kind: 'like'
      readonly column: RelationColumn
      readonly pattern: string
      readonly escapedBy: string | null
    }
  /** `query` is FTS5's, made of quoted phrases only. */
  | { readonly kind: 'match'; readonly column: RelationColumn; readonly query: string }

/** A value that is bound; true and false are 1 and 0. */
export type Bound = string | number
