import type { RelationColumn } from '../relation.ts'
import type { Condition } from './condition.ts'
import { storedTime, type TimeSpan } from './time-value.ts'
import type { Comparison } from './tree.ts'

/**
 * A comparison with a time as comparisons of the stored UTC text: `=` is inside the span that the time names, `<`
 * before it, `>` after it, `<=` to its end.
 */
export function timeCompares(column: RelationColumn, operator: Comparison, span: TimeSpan): Condition {
  const is = (operator: Comparison, at: number): Condition => {
    return { kind: 'compare', column, operator, value: storedTime(at) }
  }
  switch (operator) {
    case '<':
      return is('<', span.from)
    case '>=':
      return is('>=', span.from)
    case '<=':
      return is('<', span.to)
    case '>':
      return is('>=', span.to)
    case '=':
      return { kind: 'and', terms: [is('>=', span.from), is('<', span.to)] }
    case '!=':
      return { kind: 'or', terms: [is('<', span.from), is('>=', span.to)] }
  }
}
