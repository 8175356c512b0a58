import type { Search } from '../../database/dialect.ts'
import type { RelationColumn } from '../relation.ts'
import type { Comparison } from './tree.ts'

/** A filter whose columns and types are checked: what the compiler has to put into SQL. */
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
  | { readonly kind: 'match'; readonly column: RelationColumn; readonly search: Search }

/** What a column is compared with. */
export type Bound = string | number | boolean
