import { type Expression, type SqlBool, sql } from 'kysely'
import type { Dialect } from '../../database/dialect.ts'
import { toStored } from '../../database/stored-text.ts'
import type { Bound, Condition } from './condition.ts'

type Sql = Expression<SqlBool>

/**
 * A checked filter as a kysely expression. Columns come from the relation's allow-list; every value is bound, texts
 * as stored text. Unknown (null) is neither true nor false, under `not` too, as in SQL.
 */
export function compileCondition(condition: Condition, dialect: Dialect): Sql {
  return compile(condition, { dialect, isUnderNot: false })
}

interface Context {
  dialect: Dialect
  isUnderNot: boolean
}

function compile(condition: Condition, context: Context): Sql {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return joined(
        condition.kind,
        condition.terms.map(term => compile(term, context)),
      )
    case 'not':
      return sql<SqlBool>`(not ${compile(condition.term, { ...context, isUnderNot: true })})`
    case 'compare':
      return compare(condition)
    case 'in':
      return sql<SqlBool>`(${condition.column.expression} in (${sql.join(condition.values.map(bound))}))`
    case 'is-null':
      return condition.isNegated
        ? sql<SqlBool>`(${condition.column.expression} is not null)`
        : sql<SqlBool>`(${condition.column.expression} is null)`
    case 'like':
      return like(condition, context)
    case 'match':
      return match(condition, context)
  }
}

/** As a balanced tree: SQL databases bound the depth of an expression, and `a or b or c …` is as deep as it is long. */
function joined(operator: 'and' | 'or', terms: readonly Sql[]): Sql {
  if (terms.length === 1) return terms[0] as Sql
  const middle = Math.ceil(terms.length / 2)
  const left = joined(operator, terms.slice(0, middle))
  const right = joined(operator, terms.slice(middle))
  return operator === 'and' ? sql<SqlBool>`(${left} and ${right})` : sql<SqlBool>`(${left} or ${right})`
}

const OPERATORS = {
  '=': sql.raw('='),
  '!=': sql.raw('<>'),
  '<': sql.raw('<'),
  '<=': sql.raw('<='),
  '>': sql.raw('>'),
  '>=': sql.raw('>='),
}

function compare({ column, operator, value }: Extract<Condition, { kind: 'compare' }>): Sql {
  return sql<SqlBool>`(${column.expression} ${OPERATORS[operator]} ${bound(value)})`
}

function like(
  { column, pattern, escapedBy }: Extract<Condition, { kind: 'like' }>,
  { dialect }: Context,
): Sql {
  return dialect.like(column.expression, toStored(pattern), escapedBy === null ? null : toStored(escapedBy))
}

/** Without a `not` above it, unknown and false leave a row out alike, and the plain form lets the index drive. */
function match(
  { column, search }: Extract<Condition, { kind: 'match' }>,
  { dialect, isUnderNot }: Context,
): Sql {
  const { known, ...searched } = column.search as NonNullable<typeof column.search>
  const stored = search.map(terms => terms.map(term => ({ ...term, text: toStored(term.text) })))
  const found = dialect.isFound(searched, stored)
  return isUnderNot ? sql<SqlBool>`(case when ${known} then ${found} end)` : found
}

function bound(value: Bound) {
  // Truth stands as a literal: how an engine keeps it is its own affair.
  if (typeof value === 'boolean') return sql.lit(value)
  return sql.val(typeof value === 'string' ? toStored(value) : value)
}
