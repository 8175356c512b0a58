import type { EngineInterface } from 'claude-code'
import type { Entry } from '../record/entry.ts'
import { entryWriter } from '../writer/entry-writer.ts'
import { hostStorage } from '../writer/host-storage.ts'
import type { Load } from './load.ts'

/**
 * Writes one entry. Never throws: when it cannot be written the session says so once, and once when it can again
 * (rule.recordingMayFail).
 *
 * @returns whether it was written
 */
export async function recordEntry($: EngineInterface, load: Load, entry: Entry): Promise<boolean> {
  const writer = entryWriter({
    recordDir: load.settings.recordDir,
    storage: hostStorage($),
    sequence: load.nextSequence,
  })
  const result = await writer.write(entry)
  if ('degraded' in result) {
    if (!load.isDegraded) $.ui.log(`recording is degraded: ${result.degraded}. Messages go on, unrecorded.`)
    load.isDegraded = true
    return false
  }
  if (load.isDegraded)
    $.ui.log('recording works again; what was not written in between is unknown to the record.')
  load.isDegraded = false
  return true
}
