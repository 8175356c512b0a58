import type { SessionFacts } from '../chain/session-facts.ts'
import { toStored } from '../database/stored-text.ts'
import type { SessionRow } from '../database/tables.ts'

/** The facts of a session as a row of the index: stored text in every text column. */
export function sessionRow(facts: SessionFacts): SessionRow {
  const { join, latestStart } = facts
  return {
    session_id: facts.sessionId,
    first_heard: facts.firstHeard,
    last_heard: facts.lastHeard,
    entries: facts.entries,
    cwd: toStored(facts.cwd),
    host: latestStart && toStored(latestStart.host),
    version: latestStart && toStored(latestStart.version),
    inbound: latestStart && toStored(latestStart.inbound),
    parent: join?.parent ?? null,
    part: join && toStored(join.part),
    brief: typeof join?.brief === 'string' ? toStored(join.brief) : null,
    joined_at: join?.at ?? null,
    join_entry_name: join?.name ?? null,
    facts: toStored(JSON.stringify(facts)),
  }
}
