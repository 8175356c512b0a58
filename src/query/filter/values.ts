import { nearest } from '../../problem/nearest.ts'
import { problemAt, quoted } from '../place-problem.ts'
import type { Relation, RelationColumn } from '../relation.ts'
import { readTime, TIME_FORMS, TIME_WORDS, type TimeSpan } from './time-value.ts'
import { inSingleQuotes } from './tokens.ts'
import type { Value } from './tree.ts'

/** Reads a filter's values as the type of the column they are compared with; each error says how to write the value. */
export class ValueReader {
  readonly #options: { readonly filter: string; readonly relation: Relation; readonly now: Date }

  constructor(options: { readonly filter: string; readonly relation: Relation; readonly now: Date }) {
    this.#options = options
  }

  text(column: RelationColumn, value: Value): string {
    if (value.kind === 'string') return value.text
    this.#refuseWordsOfOtherKinds(value, `${column.name} is null`)
    const written = this.#written(value)
    throw this.#problem(
      `${column.name} compares with a text, not with ${quoted(written)}`,
      value,
      written.length <= 60
        ? `a text stands in single quotes: ${inSingleQuotes(written)}`
        : 'a text stands in single quotes',
    )
  }

  number(column: RelationColumn, value: Value): number {
    if (value.kind === 'number') return value.value
    this.#refuseWordsOfOtherKinds(value, `${column.name} is null`)
    const isNumber = value.kind === 'string' && /^-?\d{1,15}(\.\d{1,15})?$/.test(value.text)
    throw this.#problem(
      `${column.name} compares with a number, not with ${quoted(this.#written(value))}`,
      value,
      `a number stands without quotes: ${isNumber ? value.text : '10'}`,
    )
  }

  boolean(column: RelationColumn, value: Value): boolean {
    const word = value.kind === 'word' ? value.text.toLowerCase() : ''
    if (word === 'true') return true
    if (word === 'false') return false
    this.#refuseWordsOfOtherKinds(value, `${column.name} is null`)
    throw this.#problem(
      `${column.name} is true or false, not ${quoted(this.#written(value))}`,
      value,
      `write ${column.name} = true, or ${column.name} on its own`,
    )
  }

  time(column: RelationColumn, value: Value): TimeSpan {
    const text = value.kind === 'number' ? null : value.text
    const span = text === null ? null : readTime(text, this.#options.now)
    if (span !== null) return span
    this.#refuseWordsOfOtherKinds(value, `${column.name} is null`)
    const near = value.kind === 'word' ? nearest(value.text, TIME_WORDS) : null
    throw this.#problem(
      `${column.name} compares with a time, not with ${quoted(this.#written(value))}`,
      value,
      `${near === null ? '' : `did you mean ${near}? `}${TIME_FORMS}`,
    )
  }

  /** `= null` is never true in SQL, which nobody means. */
  refuseNull(value: Value, instead: string): void {
    if (value.kind === 'word' && value.text.toLowerCase() === 'null') {
      throw this.#problem('nothing compares with null', value, `write ${instead}`)
    }
  }

  #refuseWordsOfOtherKinds(value: Value, instead: string): void {
    this.refuseNull(value, instead)
    if (value.kind !== 'word') return
    const name = value.text.toLowerCase()
    if (!this.#options.relation.columns.some(column => column.name === name)) return
    throw this.#problem(
      `the column ${name} where a value belongs`,
      value,
      `a column compares with a value; the text ${name} would be ${inSingleQuotes(name)}`,
    )
  }

  #written(value: Value): string {
    return value.kind === 'string' ? value.text : this.#options.filter.slice(value.start, value.end)
  }

  #problem(what: string, value: Value, fits: string) {
    return problemAt('filter', what, this.#options.filter, value.start, fits)
  }
}
