import { writeWholeFiles } from '../../files/whole-file.ts'
import { Problem } from '../../problem/problem.ts'
import { emptyTrace } from '../extract/turn.ts'
import { type Direction, type Label, type Message, noneOfEach, type Trace } from '../message.ts'
import type { Decisions } from './decisions.ts'
import { readDirections, readMessages, readUnresolved } from './read-result.ts'
import { RESULT_FILES, resultFile } from './result-folder.ts'
import { rowLine } from './row-line.ts'
import type { UnresolvedRow } from './rows.ts'

/** What rows a result holds once its decisions are taken into account. */
export interface Settled {
  messages: Record<Label, number>
  places: number
  directions: number
  /** Ids of decisions that no message here bears any more; the decisions are kept all the same. */
  orphaned: string[]
  /** Ids of decisions about a message that needs none now: it is not unresolved, or no direction. */
  unneeded: string[]
}

/**
 * Writes messages, unresolved messages and directions anew with every decision applied: an unresolved message gets the
 * label that was decided, a message of the person is a direction, and a direction has the outcome that was traced. It
 * starts from rows with or without earlier decisions, and gives the same from both.
 *
 * @param from folder of the rows; may be `to`
 */
export function settleResult(from: string, to: string, decisions: Decisions): Settled {
  const { next, known } = personsOrder(from, decisions)
  const settled: Settled = {
    messages: noneOfEach(),
    places: 0,
    directions: 0,
    orphaned: idsOf(decisions).filter(id => !known.has(id)),
    unneeded: [],
  }
  const used = new Set<string>()
  const paths = [
    resultFile(to, 'messages'),
    resultFile(to, 'unresolved'),
    resultFile(to, 'directions'),
  ] as const
  writeWholeFiles(paths, ([messages, unresolved, directions]) => {
    const open = follower(readUnresolved(from))
    const traces = follower(readDirections(from))
    for (const { row } of readMessages(from)) {
      const left = open.rowOf(row.id)
      const trace = traces.rowOf(row.id)
      const message = left ? withDecision(row, left, decisions) : row
      if (left) {
        unresolved.write(rowLine(unresolvedWith(left, message)))
        if (message.evidence.decision) used.add(`resolve ${row.id}`)
      }
      messages.write(rowLine(message))
      settled.messages[message.label] += 1
      settled.places += 1 + message.alsoAt.length
      if (message.label !== 'person') continue
      settled.directions += 1
      if (decisions.traced.has(row.id)) used.add(`trace ${row.id}`)
      const followed = trace ?? left?.trace ?? emptyTrace()
      directions.write(rowLine(directionOf(message, followed, next.get(row.id) ?? null, decisions)))
    }
    open.end(resultFile(from, 'unresolved'))
    traces.end(resultFile(from, 'directions'))
  })
  for (const id of decisions.resolved.keys())
    if (known.has(id) && !used.has(`resolve ${id}`)) settled.unneeded.push(id)
  for (const id of decisions.traced.keys())
    if (known.has(id) && !used.has(`trace ${id}`)) settled.unneeded.push(id)
  return settled
}

/** The same where nothing but outcomes was decided: only the directions are written. */
export function settleOutcomes(out: string, decisions: Decisions): void {
  writeWholeFiles([resultFile(out, 'directions')], ([directions]) => {
    for (const { row } of readDirections(out))
      directions.write(rowLine({ ...row, outcome: outcomeOf(row.id, decisions) }))
  })
}

/** Each message of the person with the next one of its session, and which of the decided messages are there. */
function personsOrder(from: string, decisions: Decisions): { next: Map<string, string>; known: Set<string> } {
  const next = new Map<string, string>()
  const known = new Set<string>()
  const last = new Map<string, string>()
  for (const { row } of readMessages(from)) {
    const isDecided = decisions.resolved.has(row.id)
    if (isDecided || decisions.traced.has(row.id)) known.add(row.id)
    const wasOpen = row.label === 'unresolved' || row.evidence.decision !== undefined
    const label = wasOpen && isDecided ? decisions.resolved.get(row.id)?.label : row.label
    if (label !== 'person') continue
    const before = last.get(row.session)
    if (before !== undefined) next.set(before, row.id)
    last.set(row.session, row.id)
  }
  return { next, known }
}

function withDecision(row: Message, left: UnresolvedRow, decisions: Decisions): Message {
  const decided = decisions.resolved.get(row.id)
  if (!decided) return { ...row, label: left.label, evidence: left.evidence }
  const { label, reason, by, decidedAt } = decided
  const before = left.evidence.before ?? {
    label: left.label,
    confidence: left.confidence,
    because: 'a decision of somebody who read it',
  }
  return { ...row, label, evidence: { ...left.evidence, before, decision: { reason, by, decidedAt } } }
}

/** The row as the scan left it, with what was decided beside it. */
function unresolvedWith(left: UnresolvedRow, message: Message): UnresolvedRow {
  const { decision } = message.evidence
  return { ...left, decision: decision ? { label: message.label, ...decision } : null }
}

function directionOf(message: Message, trace: Trace, next: string | null, decisions: Decisions): Direction {
  const { id, session, product, at, cwd, words } = message
  const { end, endedAt, filesEdited, commands, commits, agents, lastWords } = trace
  return {
    ...{ id, session, product, at, cwd, words, next, outcome: outcomeOf(id, decisions) },
    ...{ end, endedAt, filesEdited, commands, commits, agents, lastWords },
  }
}

function outcomeOf(id: string, decisions: Decisions): Direction['outcome'] {
  const traced = decisions.traced.get(id)
  if (!traced) return null
  const { outcome: name, evidence, by, decidedAt } = traced
  return { name, evidence, by, decidedAt }
}

function idsOf({ resolved, traced }: Decisions): string[] {
  return [...new Set([...resolved.keys(), ...traced.keys()])]
}

interface Follower<Row> {
  /** The row of this id where it is the next one. */
  rowOf(id: string): Row | null
  /** Makes sure that every row was met, so that none is lost when the file is written again. */
  end(path: string): void
}

/** Follows rows that stand in the order of the messages. */
function follower<Row extends { id: string }>(rows: Iterable<{ row: Row }>): Follower<Row> {
  const iterator = rows[Symbol.iterator]()
  let head = iterator.next()
  return {
    rowOf(id) {
      if (head.done || head.value.row.id !== id) return null
      const { row } = head.value
      head = iterator.next()
      return row
    },
    end(path) {
      if (head.done) return
      throw new Problem(
        'failed',
        `${path} holds ${head.value.row.id}, which ${RESULT_FILES.messages} does not`,
        {
          path,
          hint: 'scan into this folder again; decisions are kept',
        },
      )
    },
  }
}
