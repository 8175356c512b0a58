import {
  addEvidence,
  compareEvidence,
  type Evidence,
  isNewer,
  type SessionFacts,
  sessionFacts,
} from '../chain/session-facts.ts'
import type { IndexWriter } from '../database/index-writer.ts'
import { parseStoredFacts } from '../database/stored-facts.ts'
import { isSessionId } from '../record/session-id.ts'
import { evidenceFrom } from './evidence-row.ts'
import { sessionRow } from './session-row.ts'

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
      if (facts) writer.putSession(sessionRow(facts))
      else writer.removeSession(sessionId)
    },
  }

  function* indexedEvidence(): Generator<Evidence> {
    for (const row of writer.evidence(sessionId)) yield evidenceFrom(row)
  }

  function newFacts(): SessionFacts | null {
    const stored = writer.facts(sessionId)
    const before = stored === null ? null : parseStoredFacts(stored)
    const [first] = added.sort(compareEvidence)
    if (isRemovedFrom || (before && first && !isNewer(first, before))) {
      return sessionFacts(sessionId, indexedEvidence())
    }
    return added.reduce<SessionFacts | null>((facts, one) => addEvidence(sessionId, facts, one), before)
  }
}
