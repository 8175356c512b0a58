import type { Expression, Kysely, SelectQueryBuilder, SqlBool } from 'kysely'
import type { Searched } from '../database/dialect.ts'
import type { IndexTables } from '../database/tables.ts'
import { escapeText } from '../hostile-text/escape-text.ts'
import { nearest } from '../problem/nearest.ts'
import { Problem } from '../problem/problem.ts'
import { problemAt, quoted } from './place-problem.ts'

export type ColumnType = 'text' | 'number' | 'boolean' | 'time'

/** A column as a reader of an answer sees it. */
export interface Column {
  readonly name: string
  readonly type: ColumnType
  readonly description: string
}

/** A column as a query finds it. Nothing reaches SQL but these expressions and bound values. */
export interface RelationColumn extends Column {
  readonly expression: Expression<unknown>
  /** Full-text search of the column: where the text stands, and whether it is known at all. */
  readonly search?: Searched & { readonly known: Expression<SqlBool> }
}

/** Tables joined and not yet selected from. */
export type RelationSource = SelectQueryBuilder<IndexTables, never, object>

export interface OrderTerm {
  readonly column: string
  readonly direction: 'asc' | 'desc'
}

/** Something that can be asked for: an allow-list of columns over tables of the index. */
export interface Relation {
  readonly name: string
  readonly description: string
  readonly columns: readonly RelationColumn[]
  /** The columns of a table on a terminal where none are chosen. */
  readonly tableColumns: readonly string[]
  /** The order of an answer; its columns together name one row, so that no two answers differ in a tie. */
  readonly order: readonly OrderTerm[]
  from(db: Kysely<IndexTables>): RelationSource
}

/** The relation of this name; the error lists those that exist. */
export function findRelation(name: string, relations: readonly Relation[]): Relation {
  const found = relations.find(relation => relation.name === name.toLowerCase())
  if (found) return found
  const names = relations.map(relation => relation.name)
  const near = nearest(name, names)
  throw new Problem('usage', escapeText(`unknown relation ${quoted(name)}`), {
    hint: `${near === null ? '' : `did you mean ${near}? `}relations: ${names.join(', ')}`,
  })
}

/** Where a name stands in what the person typed. */
export interface NamePlace {
  name: string
  source: string
  index: number
}

/** The relation's column of this name in any letter case; the error points at the place and names what would fit. */
export function findColumn(
  relation: Relation,
  place: NamePlace,
  kind: 'filter' | 'usage',
  relations: readonly Relation[] = [],
): RelationColumn {
  const wanted = place.name.toLowerCase()
  const found = relation.columns.find(column => column.name === wanted)
  if (found) return found
  throw problemAt(
    kind,
    `unknown column ${quoted(place.name)} of ${relation.name}`,
    place.source,
    place.index,
    columnsThatFit(relation, place.name, relations),
  )
}

function columnsThatFit(relation: Relation, name: string, relations: readonly Relation[]): string {
  const names = relation.columns.map(column => column.name)
  const elsewhere = relations
    .filter(other => other.columns.some(column => column.name === name.toLowerCase()))
    .map(other => other.name)
  if (elsewhere.length > 0)
    return `${elsewhere.join(', ')} ${elsewhere.length > 1 ? 'have' : 'has'} it; columns here: ${names.join(', ')}`
  const near = nearest(name, names)
  return `${near === null ? '' : `did you mean ${near}? `}columns: ${names.join(', ')}`
}
