import { hash } from 'node:crypto'
import type { Provisional, RowPlace } from '../extract/found.ts'
import type { Verdict } from '../extract/verdict.ts'
import { type JsonObject, momentOf, objectOf, textOf } from '../transcripts/json-row.ts'
import { judgeQueuedAlone } from './judge-queued.ts'
import type { Queued } from './queued.ts'
import { promptWords } from './row-text.ts'
import type { ClaudeState, Reading } from './state.ts'

/**
 * Tells a message, and the places in the queue that held its words before; returns its number.
 *
 * @param part which of the row's messages it is
 * @param delivered what the queue held
 */
export function tell(
  { state, findings }: Reading,
  row: JsonObject,
  place: RowPlace,
  { startsTurn: _, ...judged }: Verdict,
  part: number,
  delivered: Queued | undefined,
): number {
  const { words, fields } = judged
  const sha256 = hash('sha256', words)
  // A plugin's note is written twice; its own id is the same in both rows.
  const uuid = textOf(objectOf(row.attachment)?.rowUuid) ?? textOf(row.uuid)
  const msgId = textOf(objectOf(fields.origin)?.msg_id)
  const seq = findings.message({
    ...{ ...judged, ...place, session: state.session, cwd: textOf(row.cwd) ?? state.cwd },
    ...(msgId === undefined ? {} : { msgId }),
    at: momentOf(row.timestamp),
    row: textOf(row.uuid) ?? uuid ?? null,
    keys: [`row:${uuid ?? `${state.session}:${place.line}`}:${part}:${sha256}`],
  })
  if (delivered && isWhole(delivered, words))
    for (const { line, offset } of [...delivered.before, delivered])
      findings.alsoAt(seq, { line, offset, row: null })
  if (row.isSidechain !== true) state.unanswered.push({ seq, sha256 })
  return seq
}

/** The queue's rows may hold a shortened text: then they hold other words. */
function isWhole(delivered: Queued, words: string): boolean {
  return delivered.words.includes(words) || promptWords(delivered.words).words === words
}

/** Words that only the queue holds: in the running turn, lost, or still waiting. */
export function queuedAlone(state: ClaudeState, queued: Queued): Provisional {
  // A queue row may be written before the first row that says what session it is.
  const isInteractive = queued.isInteractive ?? state.isInteractive
  const { startsTurn: _, ...judged } = judgeQueuedAlone({ ...queued, isInteractive })
  const { line, offset, at, cwd } = queued
  return {
    ...{ ...judged, line, offset, at, cwd, row: null },
    session: queued.session || state.session,
    keys: [`queue:${queued.session}:${at}:${hash('sha256', queued.words)}`],
    also: queued.before.map(place => ({ ...place, row: null })),
    isAbandoned: queued.state === 'taken_back',
  }
}
