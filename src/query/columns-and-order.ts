import { nearest } from '../problem/nearest.ts'
import { Problem } from '../problem/problem.ts'
import { problemAt, quoted } from './place-problem.ts'
import { findColumn, type OrderTerm, type Relation, type RelationColumn } from './relation.ts'

/** The columns of `--select a,b`, in that order; every column where nothing is chosen. */
export function selectColumns(
  relation: Relation,
  select: string | undefined,
  relations: readonly Relation[] = [],
): readonly RelationColumn[] {
  if (select === undefined) return relation.columns
  const columns: RelationColumn[] = []
  for (const { words, index } of termsOf(select)) {
    const [first, second] = words
    if (first === undefined)
      throw problemAt(
        'usage',
        'a column is missing',
        select,
        index,
        'write names with commas between: at,session_id',
      )
    if (second !== undefined)
      throw problemAt(
        'usage',
        `unexpected ${quoted(second.text)}`,
        select,
        second.index,
        'names stand with commas between',
      )
    const column = findColumn(
      relation,
      { name: first.text, source: select, index: first.index },
      'usage',
      relations,
    )
    if (columns.includes(column))
      throw problemAt('usage', `${column.name} is chosen twice`, select, first.index)
    columns.push(column)
  }
  return columns
}

/** The order of `--order "at desc, file"`, followed by the relation's own, so that ties are broken the same way every time. */
export function orderTerms(
  relation: Relation,
  order: string | undefined,
  relations: readonly Relation[] = [],
): readonly OrderTerm[] {
  if (order === undefined) return relation.order
  const terms: OrderTerm[] = []
  for (const { words, index } of termsOf(order)) {
    const [first, second, third] = words
    if (first === undefined)
      throw problemAt('usage', 'a column is missing', order, index, 'write for example at desc, file')
    const column = findColumn(
      relation,
      { name: first.text, source: order, index: first.index },
      'usage',
      relations,
    )
    const direction = second === undefined ? 'asc' : second.text.toLowerCase()
    if (direction !== 'asc' && direction !== 'desc') {
      const place = second as Word
      const near = nearest(place.text, ['desc', 'asc'])
      const fits =
        near === null ? 'asc or desc follows a column; columns have commas between' : `did you mean ${near}?`
      throw problemAt('usage', `unexpected ${quoted(place.text)}`, order, place.index, fits)
    }
    if (third !== undefined)
      throw problemAt(
        'usage',
        `unexpected ${quoted(third.text)}`,
        order,
        third.index,
        'columns have commas between',
      )
    terms.push({ column: column.name, direction })
  }
  const given = new Set(terms.map(term => term.column))
  return [...terms, ...relation.order.filter(term => !given.has(term.column))]
}

/** The number of `--limit N`. */
export function checkLimit(limit: number): number {
  if (Number.isSafeInteger(limit) && limit >= 0) return limit
  throw new Problem('usage', 'the limit is not a whole number from 0', {
    hint: 'write for example --limit 20',
  })
}

interface Word {
  readonly text: string
  readonly index: number
}

/** The words between the commas of a list, each with its place. */
function termsOf(list: string): { words: Word[]; index: number }[] {
  let start = 0
  return list.split(',').map(part => {
    const partStart = start
    start += part.length + 1
    const words = [...part.matchAll(/\S+/g)].map(match => ({
      text: match[0],
      index: partStart + match.index,
    }))
    return { words, index: partStart }
  })
}
