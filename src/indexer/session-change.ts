import {
  addEvidence,
  compareEvidence,
  type Evidence,
  isNewer,
  type SessionFacts,
  sessionFacts,
} from '../chain/session-facts.ts'
import { isSessionId } from '../record/session-id.ts'
import type { IndexWriter } from './index-writer.ts'

/** What happens to one session's entries in a load, and from that its new facts. */
export interface SessionChange {
  added(evidence: Evidence): void
  removed(): void
  /** Stores the session's facts: adds what is newer to them, or folds them anew from all that the index holds. */
  write(): void
}

export function sessionChange(writer: IndexWriter, sessionId: string): SessionChange {
  const added: Evidence[] = []
  let isRemovedFrom = false
  return {
    added: evidence => void added.push(evidence),
    removed() {
      isRemovedFrom = true
    },
    write() {
      if (!isSessionId(sessionId) || (added.length === 0 && !isRemovedFrom)) return
      const facts = newFacts()
      if (facts) writer.putSession(facts)
      else writer.removeSession(sessionId)
    },
  }

  function newFacts(): SessionFacts | null {
    const before = writer.facts(sessionId)
    const [first] = added.sort(compareEvidence)
    if (isRemovedFrom || (before && first && !isNewer(first, before))) {
      return sessionFacts(sessionId, writer.evidence(sessionId))
    }
    return added.reduce<SessionFacts | null>((facts, one) => addEvidence(sessionId, facts, one), before)
  }
}
