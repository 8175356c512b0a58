import type { EngineInterface } from 'claude-code'
import type { Entry } from '../record/entry.ts'
import type { QueueHost, RecordingState } from '../writer/entry-queue.ts'
import { hostStorage } from '../writer/host-storage.ts'
import type { Load } from './load.ts'
import { keepOpenFor, recordFiles } from './record-files.ts'
import { lossWords } from './recording-words.ts'
import { drawStatus } from './status-line.ts'

/**
 * Gives one entry to the queue and returns at once; never throws. Where it cannot be written the session is told once,
 * and once when it can again (rule.recordingMayFail).
 *
 * @returns whether it has been written, once that is known: no hook, tool or command may wait for it without a limit
 */
export function recordEntry(
  $: EngineInterface,
  load: Load,
  sessionId: string,
  entry: Entry | Promise<Entry>,
  length = 0,
): Promise<boolean> {
  return keepOpenFor(load.queue.put({ sessionId, entry, length }, queueHost($, load)))
}

function queueHost($: EngineInterface, load: Load): QueueHost {
  const files = recordFiles($, 'forWriting')
  return {
    storage: hostStorage(files),
    after(ms, act) {
      const timer = $.clock.after(ms, act)
      return () => timer.cancel()
    },
    look: () => files.fs.stat(load.settings.recordDir),
    changed: state => tell($, load, state),
  }
}

function tell($: EngineInterface, load: Load, { degraded, lost }: RecordingState): void {
  if (degraded !== null && !load.isDegraded)
    $.ui.log(`recording is degraded: ${degraded}. Messages go on, unrecorded.`)
  if (degraded === null && load.isDegraded) $.ui.log(`recording works again; ${lossWords(lost)}.`)
  load.isDegraded = degraded !== null
  drawStatus($, load)
}
