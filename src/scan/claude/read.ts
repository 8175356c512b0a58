import type { Findings, RowPlace, RowReader } from '../extract/found.ts'
import { closed, endTurn, noTurn } from '../extract/turn.ts'
import type { Verdict } from '../extract/verdict.ts'
import { type JsonObject, momentOf, objectOf, textOf } from '../transcripts/json-row.ts'
import { followAssistant, followResults, noteCalls } from './follow.ts'
import { judge } from './judge.ts'
import type { QueueContext, Queued } from './queued.ts'
import { contentOf, contentText, toolResults } from './row-text.ts'
import {
  beginReading,
  type ClaudeState,
  newClaudeState,
  noteSession,
  type Reading,
  stateOf,
} from './state.ts'
import { queuedAlone, tell } from './tell.ts'
import { endOf, placeInTurn } from './turns.ts'

/** Reads the rows of a Claude Code transcript (docs/transcripts.md, Claude Code). */
export function claudeReader(before: unknown, session: string, findings: Findings): RowReader {
  const state = (before as ClaudeState | null) ?? newClaudeState(session)
  const reading = beginReading(state, findings)
  return {
    get state() {
      return stateOf(reading)
    },
    read(row, place) {
      noteSession(state, row)
      switch (row.type) {
        case 'user':
          return readUser(reading, row, place)
        case 'assistant':
          return readAssistant(reading, row)
        case 'attachment':
          return readAttachment(reading, row, place)
        case 'system':
          return readSystem(reading, row, place)
        case 'queue-operation':
          return reading.queue.read(row, place, contextOf(state))
      }
    },
    provisional: () => ({
      messages: reading.queue.waiting().map(queued => queuedAlone(state, queued)),
      traces: closed(state.turn, endOf(state.turn)),
    }),
  }
}

/** What of the state a queued prompt keeps, since later rows change it. */
function contextOf({ version, cwd, isInteractive }: ClaudeState): QueueContext {
  return { version, cwd, isInteractive }
}

function readUser(reading: Reading, row: JsonObject, place: RowPlace): void {
  const content = contentOf(row)
  if (toolResults(content).length > 0) {
    readResults(reading, row, place)
    return tellAll(reading, row, place, judge(row, false), undefined)
  }
  const delivered = reading.queue.deliverPrompt(contentText(content), row.promptSource)
  const isFromQueue = delivered !== undefined && reading.queue.isDelivering
  tellAll(reading, row, place, judge(row, isFromQueue), delivered)
}

function readResults({ state, findings }: Reading, row: JsonObject, place: RowPlace): void {
  findings.toolResult()
  const at = momentOf(row.timestamp)
  const where = { ...place, row: textOf(row.uuid) ?? null, session: state.session, at }
  if (row.isSidechain !== true) state.turn.lastAt = at
  // What an agent did is not what its session's turn did, but its messages are its session's.
  const turn = row.isSidechain === true ? noTurn() : state.turn
  for (const send of followResults(turn, state.calls, row, where)) findings.send(send)
}

function readAttachment(reading: Reading, row: JsonObject, place: RowPlace): void {
  const verdicts = judge(row, false)
  if (verdicts.length === 0) return
  const attachment = objectOf(row.attachment)
  const ids = [textOf(attachment?.source_uuid), textOf(attachment?.delivery_id)]
  const delivered = reading.queue.deliverMidTurn(
    contentText(attachment?.prompt),
    ids.filter(id => id !== undefined),
  )
  tellAll(reading, row, place, verdicts, delivered)
}

function readSystem(reading: Reading, row: JsonObject, place: RowPlace): void {
  const { state, findings } = reading
  for (const verdict of judge(row, false))
    tellAll(reading, row, place, [verdict], reading.queue.deliverPrompt(verdict.words, undefined))
  if (row.subtype === 'turn_duration' && row.isSidechain !== true) {
    state.turn.lastAt = momentOf(row.timestamp) ?? state.turn.lastAt
    endTurn(state, findings, state.turn.end === 'error' ? 'error' : 'done')
  }
}

/** @param delivered what the queue held of these words */
function tellAll(
  reading: Reading,
  row: JsonObject,
  place: RowPlace,
  verdicts: Verdict[],
  delivered: Queued | undefined,
): void {
  for (const [part, verdict] of verdicts.entries()) {
    const seq = tell(reading, row, place, verdict, part, delivered)
    placeInTurn(reading, row, verdict, seq)
  }
}

function readAssistant({ state, queue, findings }: Reading, row: JsonObject): void {
  noteCalls(state.calls, row)
  if (row.isSidechain === true) return
  queue.isDelivering = false
  state.turn.lastAt = momentOf(row.timestamp) ?? state.turn.lastAt
  followAssistant(state.turn, row)
  const message = objectOf(row.message)
  const id = textOf(message?.id)
  if (id === undefined || id === state.lastAnswer || message?.model === '<synthetic>') return
  state.lastAnswer = id
  tellAnswered(state, findings, id)
}

/**
 * Copies of a session keep the ids of the model's answers, whatever else they rewrite: the same words before the same
 * answer are the same message.
 */
function tellAnswered(state: ClaudeState, findings: Findings, answer: string): void {
  const seen = new Map<string, number>()
  for (const { seq, sha256 } of state.unanswered.splice(0)) {
    const nth = seen.get(sha256) ?? 0
    seen.set(sha256, nth + 1)
    findings.key(seq, `answer:${answer}:${sha256}:${nth}`)
  }
}
