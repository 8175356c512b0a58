import type { SessionFacts } from '../chain/session-facts.ts'
import { IndexDamage } from './database.ts'
import { fromStored } from './stored-text.ts'

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
