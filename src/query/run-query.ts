import { type Expression, type Kysely, type SqlBool, sql } from 'kysely'
import type { Dialect } from '../database/dialect.ts'
import { fromStored } from '../database/stored-text.ts'
import type { IndexTables } from '../database/tables.ts'
import { checkLimit, orderTerms, selectColumns } from './columns-and-order.ts'
import { checkFilter } from './filter/checker.ts'
import { compileCondition } from './filter/compiler.ts'
import { parseFilter } from './filter/parser.ts'
import {
  type Column,
  findRelation,
  type Relation,
  type RelationColumn,
  type RelationSource,
} from './relation.ts'
import { recordRelations } from './relations.ts'

export interface QueryRequest {
  /** A name among `relations`. */
  relation: string
  filter?: string | undefined
  /** `a,b`; every column where it is left out. */
  select?: string | undefined
  /** `col desc, col2`; before the relation's own order, which breaks ties. */
  order?: string | undefined
  limit?: number | undefined
  /** The moment that `today` and ages are counted from. */
  now: Date
  /** Of the engine that holds the index. */
  dialect: Dialect
  /** What can be asked for; the record's own relations unless given. */
  relations?: readonly Relation[] | undefined
}

export type Row = Record<string, unknown>

export interface QueryResult {
  columns: readonly Column[]
  /** Read from the database one by one. The connection is taken until the last row, or until the loop over them ends. */
  rows: AsyncIterable<Row>
}

/** Answers a question to the index. What is wrong with the question is thrown as a problem before anything is read. */
export function runQuery(db: Kysely<IndexTables>, request: QueryRequest): QueryResult {
  const relations = request.relations ?? recordRelations
  const relation = findRelation(request.relation, relations)
  const columns = selectColumns(relation, request.select, relations)
  let query = filtered(db, relation, request).select(
    columns.map(column => sql`${column.expression}`.as(column.name)),
  )
  for (const { column, direction } of orderTerms(relation, request.order, relations)) {
    query = query.orderBy(expressionOf(relation, column), direction)
  }
  if (request.limit !== undefined) query = query.limit(checkLimit(request.limit))
  return {
    columns: columns.map(({ name, type, description }) => Object.freeze({ name, type, description })),
    rows: decoded(query.stream() as AsyncIterable<Row>, columns),
  }
}

/** How many rows the question has, up to its limit. */
export async function countRows(
  db: Kysely<IndexTables>,
  request: Omit<QueryRequest, 'select' | 'order'>,
): Promise<number> {
  const relation = findRelation(request.relation, request.relations ?? recordRelations)
  const limit = request.limit === undefined ? Number.POSITIVE_INFINITY : checkLimit(request.limit)
  const counting = filtered(db, relation, request).select(sql<number>`count(*)`.as('count'))
  const row = await counting.executeTakeFirstOrThrow()
  return Math.min(Number(row.count), limit)
}

/** Checks a question before the index is opened: throws what `runQuery` would throw for it. */
export function checkRequest(request: QueryRequest): void {
  const relations = request.relations ?? recordRelations
  const relation = findRelation(request.relation, relations)
  selectColumns(relation, request.select, relations)
  orderTerms(relation, request.order, relations)
  if (request.limit !== undefined) checkLimit(request.limit)
  compileFilter(request)
}

/** A filter as an expression; null where there is none. */
export function compileFilter(request: QueryRequest): Expression<SqlBool> | null {
  const relations = request.relations ?? recordRelations
  const relation = findRelation(request.relation, relations)
  const { filter, now, dialect } = request
  if (filter === undefined) return null
  const condition = checkFilter(parseFilter(filter), { filter, relation, now, dialect, relations })
  return compileCondition(condition, dialect)
}

function filtered(db: Kysely<IndexTables>, relation: Relation, request: QueryRequest): RelationSource {
  const condition = compileFilter(request)
  const source = relation.from(db)
  return condition === null ? source : source.where(condition)
}

function expressionOf(relation: Relation, name: string): Expression<unknown> {
  const column = relation.columns.find(column => column.name === name)
  if (column === undefined)
    throw new Error(`relation ${relation.name} is ordered by ${name}, which it does not have`)
  return column.expression
}

async function* decoded(rows: AsyncIterable<Row>, columns: readonly RelationColumn[]): AsyncGenerator<Row> {
  for await (const row of rows) {
    for (const { name, type } of columns) row[name] = decode(type, row[name])
    yield row
  }
}

function decode(type: RelationColumn['type'], value: unknown): unknown {
  if (value === null) return null
  if (type === 'boolean') return Boolean(value)
  return typeof value === 'string' ? fromStored(value) : value
}
