import { IndexDamage } from '../database/sqlite.ts'
import { fromStored } from '../database/stored-text.ts'
import type { SessionFacts } from './chain/session-facts.ts'

/**
 * The facts that the index holds of a session.
 *
 * @throws IndexDamage where they are not as the indexer wrote them
 */
export function parseStoredFacts(stored: string): SessionFacts {
  try {
    return JSON.parse(fromStored(stored)) as SessionFacts
  } catch (error) {
    throw new IndexDamage(`facts of a session: ${(error as Error).message}`)
  }
}
