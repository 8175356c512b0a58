import { hash } from 'node:crypto'
import type { Findings, Found, Provisional, RowPlace, RowReader } from '../extract/found.ts'
import { closed, emptyTrace, noTurn, type Turn } from '../extract/open-traces.ts'
import type { TurnEnd } from '../message.ts'
import { type JsonObject, momentOf, objectOf, textOf } from '../transcripts/json-row.ts'
import { followAssistant, followResults, type ToolCalls } from './follow-turn.ts'
import { judgeAttachment } from './judge-attachment.ts'
import { judgeSystemRow } from './judge-system-row.ts'
import { judgeUserRow } from './judge-user-row.ts'
import { type MainLine, mainLine, type Prompt } from './main-line.ts'
import {
  deliverMidTurn,
  deliverPrompt,
  emptyQueue,
  judgeQueuedAlone,
  type PromptQueue,
  type QueueContext,
  type Queued,
  readQueueRow,
} from './prompt-queue.ts'
import { contentOf, contentText, slashCommand, toolResults } from './row-text.ts'
import type { SessionEvidence, Verdict } from './verdict.ts'

/** What is remembered between rows; JSON. */
export interface ClaudeState {
  session: string
  cwd: string | null
  version: string
  isInteractive: boolean
  queue: PromptQueue
  turn: Turn
  calls: ToolCalls
  prompts: Prompt[]
  /** Messages that no answer has followed yet. */
  unanswered: { seq: number; sha256: string }[]
  /** The last answer's id: one answer may stand in several rows, with results of tools between them. */
  lastAnswer: string | null
}

/** @param session the session's id where no row states one */
export function newClaudeState(session: string): ClaudeState {
  return {
    session,
    cwd: null,
    version: '',
    isInteractive: false,
    queue: emptyQueue(),
    turn: noTurn(),
    calls: {},
    prompts: [],
    unanswered: [],
    lastAnswer: null,
  }
}

/** Reads the rows of a Claude Code transcript (docs/transcripts.md, Claude Code). */
export function claudeReader(state: ClaudeState, findings: Findings): RowReader<ClaudeState> {
  const line = mainLine(state.prompts)
  return {
    state,
    read(row, place) {
      noteSession(state, row)
      switch (row.type) {
        case 'user':
          return readUser(state, line, findings, row, place)
        case 'assistant':
          return readAssistant(state, findings, row)
        case 'attachment':
          return readOther(state, line, findings, row, place, judgeAttachment(row))
        case 'system':
          return readSystem(state, line, findings, row, place)
        case 'queue-operation':
          return readQueueRow(state.queue, row, place, contextOf(state))
      }
    },
    provisional: () => ({
      messages: state.queue.waiting.map(queued => queuedAlone(state, queued)),
      traces: closed(state.turn, endOf(state.turn)),
    }),
  }
}

function contextOf({ version, cwd, isInteractive }: ClaudeState): QueueContext {
  return { version, cwd, isInteractive }
}

function noteSession(state: ClaudeState, row: JsonObject): void {
  state.session = textOf(row.sessionId) ?? state.session
  state.cwd = textOf(row.cwd) ?? state.cwd
  state.version = textOf(row.version) ?? state.version
  if (row.entrypoint === 'cli' || row.thinkingMetadata !== undefined) state.isInteractive = true
  else if (typeof row.entrypoint === 'string') state.isInteractive = false
}

function readUser(
  state: ClaudeState,
  line: MainLine,
  findings: Findings,
  row: JsonObject,
  place: RowPlace,
): void {
  const content = contentOf(row)
  const isResult = toolResults(content).length > 0
  if (isResult) {
    findings.toolResult()
    const at = momentOf(row.timestamp)
    const where = { ...place, row: textOf(row.uuid) ?? null, session: state.session, at }
    if (row.isSidechain !== true) state.turn.lastAt = at
    for (const send of followResults(state.turn, state.calls, row, where)) findings.send(send)
  }
  const text = contentText(content)
  const forms = [slashCommand(text) ?? text, text]
  const delivered = isResult ? undefined : deliverPrompt(state.queue, forms, row.promptSource)
  const session: SessionEvidence = {
    isInteractive: state.isInteractive,
    isFromQueue: delivered !== undefined && state.queue.isDelivering,
  }
  const verdicts = judgeUserRow(row, session)
  for (const [part, verdict] of verdicts.entries()) {
    const seq = tell(state, findings, row, place, verdict, part, delivered)
    followUser(state, line, findings, row, verdict, seq)
  }
}

function readSystem(
  state: ClaudeState,
  line: MainLine,
  findings: Findings,
  row: JsonObject,
  place: RowPlace,
): void {
  readOther(state, line, findings, row, place, judgeSystemRow(row))
  if (row.subtype === 'turn_duration' && row.isSidechain !== true) {
    state.turn.lastAt = momentOf(row.timestamp) ?? state.turn.lastAt
    endTurn(state, findings, state.turn.end === 'error' ? 'error' : 'done')
  }
}

function readOther(
  state: ClaudeState,
  line: MainLine,
  findings: Findings,
  row: JsonObject,
  place: RowPlace,
  verdict: Verdict | null,
): void {
  if (verdict === null) return
  const attachment = objectOf(row.attachment)
  const ids = [attachment?.source_uuid, attachment?.delivery_id].filter(id => typeof id === 'string')
  const delivered = attachment
    ? deliverMidTurn(state.queue, contentText(attachment.prompt), ids as string[])
    : deliverPrompt(state.queue, [verdict.words], undefined)
  followUser(state, line, findings, row, verdict, tell(state, findings, row, place, verdict, 0, delivered))
}

function readAssistant(state: ClaudeState, findings: Findings, row: JsonObject): void {
  if (row.isSidechain === true) return
  const message = objectOf(row.message)
  const id = textOf(message?.id)
  state.queue.isDelivering = false
  state.turn.lastAt = momentOf(row.timestamp) ?? state.turn.lastAt
  followAssistant(state.turn, state.calls, row)
  if (id === undefined || id === state.lastAnswer || message?.model === '<synthetic>') return
  state.lastAnswer = id
  // Copies of a session keep the ids of the model's answers, whatever else they rewrite: the same words before the
  // same answer are the same message.
  const seen = new Map<string, number>()
  for (const { seq, sha256 } of state.unanswered.splice(0)) {
    const nth = seen.get(sha256) ?? 0
    seen.set(sha256, nth + 1)
    findings.key(seq, `answer:${id}:${sha256}:${nth}`)
  }
}

/** Tells a message, and the places in the queue that held its words before. */
function tell(
  state: ClaudeState,
  findings: Findings,
  row: JsonObject,
  place: RowPlace,
  verdict: Verdict,
  part: number,
  delivered: Queued | undefined,
): number {
  const sha256 = hash('sha256', verdict.words)
  // A plugin's note is written twice; its own id is the same in both rows.
  const uuid = textOf(objectOf(row.attachment)?.rowUuid) ?? textOf(row.uuid)
  const key = uuid === undefined ? `${state.session}:${place.line}` : uuid
  const common = { session: state.session, cwd: textOf(row.cwd) ?? state.cwd }
  const { label, confidence, kind, words, fields } = verdict
  const found: Omit<Found, 'seq'> = {
    ...{ label, confidence, kind, words, fields, ...common, ...place },
    at: momentOf(row.timestamp),
    row: textOf(row.uuid) ?? uuid ?? null,
    keys: [`row:${key}:${part}:${sha256}`],
  }
  const seq = findings.message(found)
  // The queue's rows may hold a shortened text: then they hold other words.
  const isWhole = delivered?.words.includes(verdict.words) ?? false
  for (const { line, offset } of delivered && isWhole ? [...delivered.before, delivered] : [])
    findings.alsoAt(seq, { line, offset, row: null })
  if (row.isSidechain !== true) state.unanswered.push({ seq, sha256 })
  return seq
}

/** Kinds of what is typed for the terminal: the model need not see it. */
const LOCAL = new Set(['slash_command', 'bash_input', 'plugin_command_in_system_row'])

function followUser(
  state: ClaudeState,
  line: MainLine,
  findings: Findings,
  row: JsonObject,
  verdict: Verdict,
  seq: number,
): void {
  if (row.isSidechain === true) return
  const { turn } = state
  if (verdict.kind === 'interrupt') {
    turn.lastAt = momentOf(row.timestamp) ?? turn.lastAt
    return endTurn(state, findings, 'interrupted')
  }
  const isMidTurn = turn.open.length > 0 && turn.end === 'unknown' && turn.hasReply && LOCAL.has(verdict.kind)
  if (verdict.startsTurn && !isMidTurn) {
    const { isSeen, left } = line.add(row, seq)
    for (const one of left) findings.abandoned(one)
    if (isSeen) return
    endTurn(state, findings, endOf(turn))
    state.turn.isLocal = LOCAL.has(verdict.kind)
  } else if (verdict.label === 'notice') return
  else line.join(seq)
  state.turn.open.push({ seq, trace: emptyTrace() })
  state.turn.lastAt = momentOf(row.timestamp) ?? state.turn.lastAt
}

function endOf(turn: Turn): TurnEnd {
  return turn.isLocal && !turn.hasReply ? 'local' : turn.end
}

function endTurn(state: ClaudeState, findings: Findings, end: TurnEnd): void {
  for (const [seq, trace] of closed(state.turn, end)) findings.trace(seq, trace)
  state.turn = noTurn()
}

/** Words that only the queue holds: in the running turn, lost, or still waiting. */
function queuedAlone(state: ClaudeState, queued: Queued): Provisional {
  const { startsTurn: _, ...verdict } = judgeQueuedAlone(queued)
  const { line, offset, at, cwd } = queued
  return {
    ...{ ...verdict, line, offset, at, cwd, row: null },
    session: queued.session || state.session,
    keys: [`queue:${queued.session}:${at}:${hash('sha256', queued.words)}`],
    also: queued.before.map(place => ({ ...place, row: null })),
  }
}
