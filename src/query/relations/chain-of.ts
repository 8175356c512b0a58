import { type Kysely, sql } from 'kysely'
import type { IndexTables } from '../../database/tables.ts'
import type { RelationColumn } from '../relation.ts'
import { columnsOf } from './columns.ts'

/** A session of the record, with the root of its chain. */
interface ChainOf {
  session_id: string
  root: string
}

/**
 * The index with a table more, `chain_of`. It goes down from the tops, and from the parents that have no entries here
 * (boundaries), so that each session is met once; what is in a cycle or below one is never met, and has no chain.
 */
export function withChains(db: Kysely<IndexTables>) {
  return db.withRecursive(
    'chain_of(session_id, root)',
    () => sql<ChainOf>`(
      select session_id, session_id from session where parent is null
      union all
      select session_id, parent from session lead where parent is not null
        and not exists (select 1 from session above where above.session_id = lead.parent)
      union all
      select below.session_id, chain_of.root from chain_of join session below on below.parent = chain_of.session_id)`,
  )
}

/** A session that others name as their parent is the root of its chain, also where it has no entries here. */
const isNamed = (session: string) =>
  sql`exists (select 1 from session named where named.parent = ${sql.ref(session)})`

/** The root of a session's chain; null in and below a cycle, and of a session that the record does not know. */
export function chainOf(session: string) {
  return sql`(case
    when chain_of.root is not null then chain_of.root
    when session.session_id is null and ${isNamed(session)} then ${sql.ref(session)}
  end)`
}

/** top, lead or boundary (rule.rolesFollowParents); null of a session that the record does not know. */
export function roleOf(session: string) {
  return sql`(case
    when session.parent is not null then 'lead'
    when session.session_id is not null then 'top'
    when ${isNamed(session)} then 'boundary'
  end)`
}

/** What the record says of the session that a row belongs to, as columns. `session` and `chain_of` have to be joined. */
export function sessionColumns(sessionId: string): RelationColumn[] {
  const { text } = columnsOf('session')
  return [
    text('role', 'of the session in the record: top, lead or boundary', roleOf(sessionId)),
    text('parent', 'full id of the session it joined'),
    text('part', 'the part of the work it was given'),
    text(
      'chain',
      'the session at the root of its chain; null in a cycle, and where the record does not know it',
      chainOf(sessionId),
    ),
  ]
}
