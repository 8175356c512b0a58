import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from '../../files/make-folder.ts'
import { syncFolder } from '../../files/whole-file.ts'
import { Problem } from '../../problem/problem.ts'
import { formatTimestamp } from '../../record/timestamp.ts'
import type { LoggedEvent, RunEvent } from './event.ts'
import { NO_LINE_BEFORE, sealLine } from './log-line.ts'
import type { ReadLog } from './read-log.ts'

/** The one way into a run's log. */
export interface LogWriter {
  readonly path: string
  /** The hash of the last line. */
  readonly head: () => string
  /** Appends one event and waits until the disk has it; gives it as it was written. */
  append(event: RunEvent): LoggedEvent
  close(): void
}

/**
 * Makes the log of a new run.
 *
 * @throws Problem `environment` where it cannot be made or stands there already: nothing runs without a log
 */
export function newLog(path: string): LogWriter {
  try {
    makeFolder(dirname(path))
    const file = openSync(path, 'ax', 0o600)
    syncFolder(dirname(path))
    return writerOn(file, path, 0, NO_LINE_BEFORE)
  } catch (error) {
    throw new Problem('environment', `the audit log cannot be made: ${(error as Error).message}`, {
      path,
      hint: 'nothing was run; check the folder, or name another one under audit.log_path',
      cause: error,
    })
  }
}

/**
 * Goes on with a log that was read whole; the torn beginning of a last line is cut off.
 *
 * @throws Problem `environment` where it cannot be written
 */
export function continueLog(log: ReadLog): LogWriter {
  try {
    if (log.torn) {
      const file = openSync(log.path, 'r+')
      ftruncateSync(file, log.torn.offset)
      fsyncSync(file)
      closeSync(file)
    }
    return writerOn(openSync(log.path, 'a'), log.path, log.events.length, log.head)
  } catch (error) {
    throw new Problem('environment', `the audit log cannot be written: ${(error as Error).message}`, {
      path: log.path,
      hint: 'nothing was begun; make the file and its folder writable',
      cause: error,
    })
  }
}

function writerOn(file: number, path: string, lines: number, before: string): LogWriter {
  let seq = lines
  let head = before
  let size = fstatSync(file).size
  return {
    path,
    head: () => head,
    append(event) {
      const logged: LoggedEvent = { ...event, seq: seq + 1, at: formatTimestamp(new Date()) }
      const line = sealLine(logged, head)
      const bytes = Buffer.from(`${line.text}\n`)
      refuseOtherWriters(file, path, size)
      writeWhole(file, path, bytes, size)
      size += bytes.length
      seq += 1
      head = line.hash
      return logged
    },
    close: () => closeSync(file),
  }
}

/** A line behind what somebody else wrote would not follow the one before, and one in a removed file is in no log. */
function refuseOtherWriters(file: number, path: string, size: number): void {
  const now = fstatSync(file)
  if (now.size === size && now.nlink > 0) return
  const what = now.nlink === 0 ? 'removed' : 'written to by something else'
  throw new Problem('check', `the audit log was ${what} while the run went on`, {
    path,
    hint: 'nothing more was begun: nothing runs without its log; look at what the agents may change',
  })
}

/** Writes a line and waits until the disk has it; what of it could not be written whole is taken back. */
function writeWhole(file: number, path: string, bytes: Buffer, size: number): void {
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written)
    fsyncSync(file)
  } catch (error) {
    try {
      ftruncateSync(file, size)
    } catch {
      // A line that is cut off in the middle is one that resuming knows.
    }
    throw new Problem('environment', `the audit log cannot be written: ${(error as Error).message}`, {
      path,
      hint: 'nothing more was begun; make room, then coord chain resume goes on',
      cause: error,
    })
  }
}
