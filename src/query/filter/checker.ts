import type { Dialect } from '../../database/dialect.ts'
import { toStored } from '../../database/stored-text.ts'
import { problemAt } from '../place-problem.ts'
import { findColumn, type Relation, type RelationColumn } from '../relation.ts'
import type { Bound, Condition } from './condition.ts'
import { readSearch } from './match-text.ts'
import { timeCompares } from './time-compares.ts'
import { inSingleQuotes, placeInString } from './tokens.ts'
import type { Comparison, FilterNode, Name, Place, Value } from './tree.ts'
import { ValueReader } from './values.ts'

export interface CheckOptions {
  readonly filter: string
  readonly relation: Relation
  readonly now: Date
  readonly dialect: Dialect
  /** Where else a column might be that this relation lacks. */
  readonly relations?: readonly Relation[]
}

/** Checks a filter's tree against a relation's columns and their types; throws a problem that points at what does not fit. */
export function checkFilter(tree: FilterNode, options: CheckOptions): Condition {
  return new Checker(options).condition(tree)
}

class Checker {
  readonly #options: CheckOptions
  readonly #values: ValueReader
  #count = 0

  constructor(options: CheckOptions) {
    this.#options = options
    this.#values = new ValueReader(options)
  }

  condition(node: FilterNode): Condition {
    switch (node.kind) {
      case 'and':
      case 'or':
        return { kind: node.kind, terms: node.terms.map(term => this.condition(term)) }
      case 'not':
        return { kind: 'not', term: this.condition(node.term) }
      case 'flag':
        return this.#flag(node.column)
      case 'compare':
        return this.#compare(this.#column(node.column), node.operator, node.value)
      case 'in':
        return this.#in(this.#column(node.column), node.values)
      case 'is-null':
        return { kind: 'is-null', column: this.#column(node.column), isNegated: node.isNegated }
      case 'between':
        return this.#between(node.column, node.low, node.high)
      case 'like':
        return this.#like(node.column, node.pattern, node.escapedBy)
      case 'match':
        return this.#match(node.column, node.query)
    }
  }

  #column(name: Name): RelationColumn {
    const { relation, filter, relations } = this.#options
    return findColumn(relation, { name: name.text, source: filter, index: name.start }, 'filter', relations)
  }

  #flag(name: Name): Condition {
    const column = this.#column(name)
    if (column.type === 'boolean') return { kind: 'compare', column, operator: '=', value: true }
    throw this.#problem(
      `${column.name} is a ${column.type} and stands alone`,
      name,
      `compare it: ${exampleOf(column)}`,
    )
  }

  #compare(column: RelationColumn, operator: Comparison, value: Value): Condition {
    this.#values.refuseNull(value, `${column.name} is ${operator === '!=' ? 'not ' : ''}null`)
    if (column.type === 'boolean' && operator !== '=' && operator !== '!=') {
      throw this.#problem(
        `${column.name} is true or false and has no order`,
        value,
        `write ${column.name} or not ${column.name}`,
      )
    }
    if (column.type === 'time') {
      this.#countValues(value, 2)
      return timeCompares(column, operator, this.#values.time(column, value))
    }
    return { kind: 'compare', column, operator, value: this.#bound(column, value) }
  }

  #in(column: RelationColumn, values: readonly Value[]): Condition {
    if (column.type === 'time') {
      return { kind: 'or', terms: values.map(value => this.#compare(column, '=', value)) }
    }
    return { kind: 'in', column, values: values.map(value => this.#bound(column, value)) }
  }

  #between(name: Name, low: Value, high: Value): Condition {
    const column = this.#column(name)
    if (column.type === 'boolean') {
      throw this.#problem(
        `${column.name} is true or false and has no order`,
        name,
        `write ${column.name} or not ${column.name}`,
      )
    }
    return { kind: 'and', terms: [this.#compare(column, '>=', low), this.#compare(column, '<=', high)] }
  }

  #like(name: Name, patternValue: Value, escapeValue: Value | null): Condition {
    const column = this.#column(name)
    if (column.type !== 'text') {
      throw this.#problem(
        `like needs a text, ${column.name} is a ${column.type}`,
        name,
        `write for example ${exampleOf(column)}`,
      )
    }
    this.#countValues(patternValue, 2)
    const pattern = this.#values.text(column, patternValue)
    const { longestPattern } = this.#options.dialect
    if (Buffer.byteLength(toStored(pattern)) > longestPattern) {
      throw this.#problem('a pattern that is too long', patternValue, `at most ${longestPattern} bytes`)
    }
    const escapedBy = escapeValue === null ? null : this.#values.text(column, escapeValue)
    if (
      escapeValue !== null &&
      escapedBy !== null &&
      (!isOneCharacter(escapedBy) || toStored(escapedBy) !== escapedBy)
    ) {
      throw this.#problem(
        'escape needs one character',
        escapeValue,
        "write for example like '100!%' escape '!'",
      )
    }
    return { kind: 'like', column, pattern, escapedBy }
  }

  #match(name: Name, value: Value): Condition {
    const column = this.#column(name)
    if (column.search === undefined) {
      const searched = this.#options.relation.columns.filter(other => other.search).map(other => other.name)
      const fits =
        searched.length > 0
          ? `match searches ${searched.join(', ')}`
          : `no column of ${this.#options.relation.name} can be searched`
      throw this.#problem(`match cannot search ${column.name}`, name, `${fits}; for others: like '%…%'`)
    }
    this.#countValues(value, 1)
    const search = this.#values.text(column, value)
    const result = readSearch(search, this.#options.dialect.isSearchable)
    if ('search' in result) return { kind: 'match', column, search: result.search }
    throw problemAt(
      'filter',
      result.what,
      this.#options.filter,
      placeInString(value, search, result.index),
      result.fits,
    )
  }

  #bound(column: RelationColumn, value: Value): Bound {
    this.#countValues(value, 1)
    if (column.type === 'number') return this.#values.number(column, value)
    if (column.type === 'boolean') return this.#values.boolean(column, value)
    return this.#values.text(column, value)
  }

  #countValues(place: Place, count: number): void {
    this.#count += count
    const { mostValues } = this.#options.dialect
    if (this.#count > mostValues)
      throw this.#problem(
        'more values than a filter can hold',
        place,
        `at most ${mostValues}, times and patterns count twice`,
      )
  }

  #problem(what: string, place: Place, fits: string) {
    return problemAt('filter', what, this.#options.filter, place.start, fits)
  }
}

function isOneCharacter(text: string): boolean {
  return text !== '' && String.fromCodePoint(text.codePointAt(0) as number) === text
}

function exampleOf(column: RelationColumn): string {
  const values = { text: inSingleQuotes('…'), number: '10', boolean: 'true', time: "'2026-11-01'" }
  return `${column.name} ${column.type === 'number' || column.type === 'time' ? '>=' : '='} ${values[column.type]}`
}
