import { hash } from 'node:crypto'
import { readWhole } from '../../files/read-whole.ts'
import { Problem } from '../../problem/problem.ts'
import type { LoggedEvent } from './event.ts'
import { missingField } from './event-shape.ts'
import { NO_LINE_BEFORE, openLine } from './log-line.ts'

/** A log is read whole; a thousand answers of the largest size fit in. */
const LARGEST_LOG = 2 ** 31 - 2

/** What a log holds, as far as it is whole. */
export interface ReadLog {
  path: string
  events: LoggedEvent[]
  /** The hash of the last whole line; the next one names it. */
  head: string
  /** The first line that is not whole, counted from 1. */
  broken: { line: number; what: string } | null
  /** What stands after the last line feed: the beginning of a line whose writer died. */
  torn: { offset: number; bytes: number; sha256: string } | null
  isComplete: boolean
}

/**
 * Reads a log and checks that it is whole: each line is canonical, fits its own hash and follows the one before.
 *
 * @throws Problem `not-found`, `check` where it is no file, `environment`
 */
export function readLog(path: string): ReadLog {
  const bytes = bytesOf(path)
  const events: LoggedEvent[] = []
  let head = NO_LINE_BEFORE
  let offset = 0
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const found = (broken: ReadLog['broken'], torn: ReadLog['torn']): ReadLog => ({
    path,
    events,
    head,
    broken,
    torn,
    isComplete: events.at(-1)?.event === 'chain_complete',
  })
  for (;;) {
    const end = bytes.indexOf(0x0a, offset)
    const line = events.length + 1
    const slice = bytes.subarray(offset, end < 0 ? undefined : end)
    if (end < 0 && slice.length === 0) return found(null, null)
    let opened: ReturnType<typeof openLine>
    try {
      opened = openLine(decoder.decode(slice), line, head)
    } catch {
      opened = { broken: 'it is not UTF-8' }
    }
    if (end < 0) {
      const torn = { offset, bytes: slice.length, sha256: hash('sha256', slice) }
      // The beginning of a line cannot be told from its damage, but a whole object with more behind it was changed.
      if ('broken' in opened && !isBeginning(slice))
        return found({ line, what: 'it does not end as a line does' }, null)
      return found(null, torn)
    }
    if ('broken' in opened) return found({ line, what: opened.broken }, null)
    const wrong = misplacement(opened.event, events)
    if (wrong !== null) return found({ line, what: wrong }, null)
    events.push(opened.event)
    head = opened.hash
    offset = end + 1
  }
}

/** Whether bytes can be the beginning of a line: an object that is not closed yet. */
function isBeginning(bytes: Buffer): boolean {
  let depth = 0
  let inText = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = String.fromCharCode(bytes[at] as number)
    if (inText) {
      if (byte === '\\') at += 1
      else if (byte === '"') inText = false
    } else if (byte === '"') inText = true
    else if (byte === '{' || byte === '[') depth += 1
    else if (byte === '}' || byte === ']') depth -= 1
    if (depth === 0) return false
  }
  return true
}

function misplacement(event: LoggedEvent, before: LoggedEvent[]): string | null {
  const missing = missingField(event)
  if (missing !== null) return `it has no ${missing} as this program writes it`
  if ((before.length === 0) !== (event.event === 'run_started'))
    return before.length === 0 ? 'a log begins with run_started' : 'a second run begins'
  if (before.at(-1)?.event === 'chain_complete') return 'it stands after the end of the run'
  return null
}

function bytesOf(path: string): Buffer {
  const read = readWhole(path, { largest: LARGEST_LOG })
  if ('bytes' in read) return read.bytes
  if (read.unread === 'no-file') {
    throw new Problem('check', `${path} is no audit log: it is no file`, {
      path,
      hint: 'name the file of a log, or a run by its id',
    })
  }
  throw new Problem(read.unread === 'missing' ? 'not-found' : 'environment', `the log ${read.why}`, {
    path,
    hint: 'name a log that is there and that you may read, or a run by its id',
  })
}

/**
 * The log of a run that may go on or be asked about.
 *
 * @throws Problem `check` where it is not whole
 */
export function readWholeLog(path: string): ReadLog {
  const log = readLog(path)
  if (log.broken) {
    throw new Problem(
      'check',
      `${path} is not as it was written: line ${log.broken.line}: ${log.broken.what}`,
      {
        path,
        hint: 'an audit log is only appended to; this one proves nothing from that line on',
      },
    )
  }
  return log
}
