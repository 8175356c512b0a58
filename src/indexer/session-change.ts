import { compareEvidence, type Evidence } from '../chain/evidence.ts'
import { addEvidence, isNewer, type SessionFacts, sessionFacts } from '../chain/session-facts.ts'
import type { IndexWriter } from '../database/index-writer.ts'
import { parseStoredFacts } from '../database/stored-facts.ts'
import { isSessionId } from '../record/session-id.ts'
import { evidenceFrom } from './evidence-row.ts'
import { gapRows } from './gap-rows.ts'
import { sessionRow } from './session-row.ts'

/** What happens to one session's entries in a load, and from that its new facts. */
export interface SessionChange {
  added(evidence: Evidence): void
  removed(): void
  /** Something else became known of a file of its folder, or is no longer so. */
  touched(): void
  /**
   * Stores the session's facts: adds what is newer to them, or folds them anew from all that the index holds. And what
   * they show to be missing.
   *
   * @param names of all that lies in its folder
   */
  write(names: readonly string[], now: string): void
}

export function sessionChange(writer: IndexWriter, sessionId: string): SessionChange {
  const added: Evidence[] = []
  let isRemovedFrom = false
  let isTouched = false
  return {
    added: evidence => void added.push(evidence),
    removed() {
      isRemovedFrom = true
    },
    touched() {
      isTouched = true
    },
    write(names, now) {
      const isChanged = added.length > 0 || isRemovedFrom
      if (!isSessionId(sessionId) || !(isChanged || isTouched)) return
      const before = storedFacts()
      const facts = isChanged ? newFacts(before) : before
      if (isChanged && facts) writer.putSession(sessionRow(facts))
      else if (isChanged) writer.removeSession(sessionId)
      writeGaps(before !== null, facts, names, now)
    },
  }

  function* indexedEvidence(): Generator<Evidence> {
    for (const row of writer.evidence(sessionId)) yield evidenceFrom(row)
  }

  function storedFacts(): SessionFacts | null {
    const stored = writer.facts(sessionId)
    return stored === null ? null : parseStoredFacts(stored)
  }

  /** A row that stays as it is keeps the time when it was first seen. */
  function writeGaps(
    isKnown: boolean,
    facts: SessionFacts | null,
    names: readonly string[],
    now: string,
  ): void {
    const rows = facts ? gapRows(facts, [...names, ...writer.goneIn(sessionId)]) : []
    const wanted = new Map(rows.map(row => [`${row.name} ${row.missing} ${row.reason}`, row]))
    for (const { id, name, missing, reason } of isKnown ? writer.gaps(sessionId) : []) {
      if (!wanted.delete(`${name} ${missing} ${reason}`)) writer.removeGap(id)
    }
    for (const row of wanted.values()) writer.addGap(row, now)
  }

  function newFacts(before: SessionFacts | null): SessionFacts | null {
    const [first] = added.sort(compareEvidence)
    if (isRemovedFrom || (before && first && !isNewer(first, before))) {
      return sessionFacts(sessionId, indexedEvidence())
    }
    return added.reduce<SessionFacts | null>((facts, one) => addEvidence(sessionId, facts, one), before)
  }
}
