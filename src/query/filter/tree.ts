/** A filter as it was read, before anything is known of columns. Offsets point into the filter's text. */
export interface Place {
  readonly start: number
  readonly end: number
}

export type Value = Place &
  (
    | { readonly kind: 'string'; readonly text: string }
    | { readonly kind: 'number'; readonly value: number }
    /** `true`, `null`, `today`, a name, or a time without quotes. */
    | { readonly kind: 'word'; readonly text: string }
  )

export interface Name extends Place {
  readonly text: string
}

export type Comparison = '=' | '!=' | '<' | '<=' | '>' | '>='

export type FilterNode = Place &
  (
    | { readonly kind: 'and' | 'or'; readonly terms: readonly FilterNode[] }
    | { readonly kind: 'not'; readonly term: FilterNode }
    /** A boolean column on its own. */
    | { readonly kind: 'flag'; readonly column: Name }
    | {
        readonly kind: 'compare'
        readonly column: Name
        readonly operator: Comparison
        readonly value: Value
      }
    | { readonly kind: 'in'; readonly column: Name; readonly values: readonly Value[] }
    | { readonly kind: 'is-null'; readonly column: Name; readonly isNegated: boolean }
    | { readonly kind: 'between'; readonly column: Name; readonly low: Value; readonly high: Value }
    | {
        readonly kind: 'like'
        readonly column: Name
        readonly pattern: Value
        readonly escapedBy: Value | null
      }
    | { readonly kind: 'match'; readonly column: Name; readonly query: Value }
  )
