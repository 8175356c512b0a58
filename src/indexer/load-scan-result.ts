import type { ResultWriter } from '../database/index-writer.ts'
import { toStored } from '../database/stored-text.ts'
import type { ScanDirectionRow, ScanMessageRow, ScanSourceRow } from '../database/tables.ts'
import { Problem } from '../problem/problem.ts'
import type { ManifestSource } from '../scan/manifest.ts'
import { type Correlation, type Direction, LABELS, type Message } from '../scan/message.ts'
import { readDirections, readManifest, readMessages } from '../scan/result/read-result.ts'
import { resultFile } from '../scan/result/result-folder.ts'
import { ARRIVAL_COLUMNS, arrivalRows, DELIVERY_COLUMNS, deliveryRows } from './delivery-rows.ts'
import type { ResultHead, ResultLoader } from './result-loader.ts'

const TABLES = ['scan_arrival', 'scan_delivery', 'scan_direction', 'scan_message', 'scan_source'] as const

/** Loads results of `coord scan` (docs/scan.md), a row in memory at a time. */
export function scanResultLoader(writer: ResultWriter): ResultLoader {
  const addSource = writer.adding('scan_source', SOURCE_COLUMNS)
  const addMessage = writer.adding('scan_message', MESSAGE_COLUMNS)
  const addDirection = writer.adding('scan_direction', DIRECTION_COLUMNS)
  const addDelivery = writer.adding('scan_delivery', DELIVERY_COLUMNS)
  const addArrival = writer.adding('scan_arrival', ARRIVAL_COLUMNS)
  const removals = TABLES.map(table => writer.removing(table, 'result_id'))
  const removeRows = (resultId: number) => {
    for (const remove of removals) remove(resultId)
  }

  function addRows(path: string, resultId: number): ResultHead {
    const manifest = readManifest(path)
    for (const source of manifest.sources) addSource(stored(sourceRow(source, resultId)))
    const persons = new Map<string, number>()
    let messages = 0
    let directions = 0
    for (const { row } of readMessages(path)) {
      messages += 1
      const added = addMessage(stored(messageRow(row, resultId)))
      if (row.label === 'person') persons.set(row.id, added)
      const of = { result_id: resultId, message: added }
      for (const delivery of deliveryRows(row)) addDelivery(stored({ ...delivery, ...of }))
      for (const arrival of arrivalRows(row)) addArrival(stored({ ...arrival, ...of }))
    }
    for (const { row } of readDirections(path)) {
      const id = persons.get(row.id)
      if (id === undefined) throw withoutMessage(path, row.id)
      directions += 1
      addDirection({ ...stored(directionRow(row, resultId)), id })
    }
    const { counts } = manifest
    checkCount(
      path,
      'messages',
      LABELS.reduce((sum, label) => sum + counts.messages[label], 0),
      messages,
    )
    checkCount(path, 'directions', counts.directions, directions)
    writer.addWords(resultId)
    const { version, revision } = manifest.tool
    return { status: manifest.status, made_at: manifest.scannedAt, version, revision }
  }

  return {
    load(path, resultId) {
      try {
        return addRows(path, resultId)
      } catch (error) {
        removeRows(resultId)
        throw error
      }
    },
    remove(resultId) {
      writer.removeWords(resultId)
      removeRows(resultId)
    },
  }
}

/** Files of one result that were written at different times do not fit; so does one that somebody cut. */
function checkCount(path: string, file: 'messages' | 'directions', said: number, found: number): void {
  if (said === found) return
  throw new Problem(
    'failed',
    `${resultFile(path, file)} holds ${found} rows, and the manifest says ${said}`,
    {
      path: resultFile(path, file),
      hint: 'scan into this folder again; decisions are kept',
    },
  )
}

function withoutMessage(path: string, id: string): Problem {
  const file = resultFile(path, 'directions')
  return new Problem('failed', `${file} holds ${id}, which is no message of the person`, {
    path: file,
    hint: 'scan into this folder again; decisions are kept',
  })
}

function sourceRow(source: ManifestSource, resultId: number): Omit<ScanSourceRow, 'id'> {
  const { file, product, kind, sessions, cwd, versions, size, sha256, readTo, firstAt, lastAt, counts } =
    source
  const { lines, malformed, unfinishedBytes, toolResults, places } = counts
  const { person, launcher, peer, notice, unresolved } = places
  return {
    result_id: resultId,
    ...{ file, product, kind, cwd, size, sha256, lines, malformed },
    session_id: sessions.length === 1 ? (sessions[0] as string) : null,
    sessions: JSON.stringify(sessions),
    versions: JSON.stringify(versions),
    read_to: readTo,
    first_at: firstAt,
    last_at: lastAt,
    unfinished_bytes: unfinishedBytes,
    tool_results: toolResults,
    ...{ person, launcher, peer, notice, unresolved },
  }
}

function messageRow(message: Message, resultId: number): Omit<ScanMessageRow, 'id'> {
  const { id, label, confidence, kind, words, sha256, product, session, at, cwd, source, alsoAt } = message
  const { correlation, decision } = message.evidence
  return {
    result_id: resultId,
    message_id: id,
    ...{ label, confidence, kind, words, sha256, product, at, cwd },
    session_id: session,
    file: source.file,
    line: source.line,
    offset: source.offset,
    row: source.row,
    places: 1 + alsoAt.length,
    is_decided: decision === undefined ? 0 : 1,
    correlation: correlation?.evidence ?? null,
    msg_id: correlation?.msgId ?? null,
    sender_session_id: senderOf(correlation),
  }
}

/** The session on whose side the host's message id stands, where all places of it are of one. */
function senderOf(correlation: Correlation | undefined): string | null {
  const sessions = new Set(correlation?.sent.map(({ session }) => session))
  return sessions.size === 1 ? ([...sessions][0] as string) : null
}

function directionRow(direction: Direction, resultId: number): Omit<ScanDirectionRow, 'id'> {
  const { end, endedAt, filesEdited, commands, commits, agents, lastWords, next, outcome } = direction
  return {
    result_id: resultId,
    turn_end: end,
    ended_at: endedAt,
    files_edited: filesEdited.length,
    commands: commands.length,
    commits: commits.length === 0 ? null : commits.join(' '),
    agents: agents.length,
    last_words: lastWords,
    next,
    outcome: outcome?.name ?? null,
    outcome_evidence: outcome?.evidence ?? null,
    outcome_by: outcome?.by ?? null,
    outcome_at: outcome?.decidedAt ?? null,
  }
}

const SOURCE_COLUMNS = [
  ...['result_id', 'file', 'product', 'kind', 'session_id', 'sessions', 'cwd', 'versions', 'size', 'sha256'],
  ...['read_to', 'first_at', 'last_at', 'lines', 'malformed', 'unfinished_bytes', 'tool_results'],
  ...['person', 'launcher', 'peer', 'notice', 'unresolved'],
]
const MESSAGE_COLUMNS = [
  ...['result_id', 'message_id', 'label', 'confidence', 'kind', 'words', 'sha256', 'product', 'session_id'],
  ...['at', 'cwd', 'file', 'line', 'offset', 'row', 'places', 'is_decided', 'correlation', 'msg_id'],
  'sender_session_id',
]
const DIRECTION_COLUMNS = [
  ...['id', 'result_id', 'turn_end', 'ended_at', 'files_edited', 'commands', 'commits', 'agents'],
  ...['last_words', 'next', 'outcome', 'outcome_evidence', 'outcome_by', 'outcome_at'],
]

function stored<Row extends object>(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'string' ? toStored(value) : value]),
  ) as Row
}
