import { sql } from 'kysely'
import type { Relation, RelationSource } from '../relation.ts'
import { columnsOf } from './columns.ts'

const { text, number, time } = columnsOf('session')

const role = sql`(case when ${sql.ref('session.parent')} is not null then 'lead' else 'top' end)`

/** The sessions that the record holds entries of. */
export const sessions: Relation = {
  name: 'sessions',
  description: 'sessions with entries in the record',
  columns: [
    text('session_id', 'full id of the session'),
    text('role', 'lead where it joined a parent, else top', role),
    text('parent', 'full id of the session it joined'),
    text('part', 'the part of the work it was given'),
    time('first_heard', 'time of its first entry'),
    time('last_heard', 'time of its last entry'),
    number('entries', 'number of its entries'),
    text('inbound', "the host's setting for messages from other sessions, of its last start entry"),
    text('host', 'the program that ran it'),
    text('version', "that program's version"),
    text('cwd', 'its working directory'),
    text('brief', 'where its brief stands'),
    time('joined_at', 'when it joined its parent'),
  ],
  tableColumns: ['session_id', 'role', 'part', 'parent', 'last_heard', 'entries'],
  order: [
    { column: 'first_heard', direction: 'asc' },
    { column: 'session_id', direction: 'asc' },
  ],
  from: db => db.selectFrom('session') as unknown as RelationSource,
}
