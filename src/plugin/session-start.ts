import type { EngineInterface } from 'claude-code'
import type { StartEntry } from '../record/entry.ts'
import { formatTimestamp } from '../record/timestamp.ts'
import { readInbound } from './inbound.ts'
import type { Load, RunningSession } from './load.ts'
import { recordEntry } from './record-entry.ts'

/**
 * Takes up a session id that the host has started, resumed, forked or cleared into, or that was running when this load
 * began, and writes its start entry, once for each id and load (ruling 8).
 */
export function startSession($: EngineInterface, load: Load, session: RunningSession): void {
  load.session = session
  const { id } = session
  if (load.started.has(id)) return
  load.started.add(id)
  void recordEntry($, load, id, startEntry($, session)).then(isWritten => {
    // The next event tries again, or the session would have no coverage at all.
    if (!isWritten) load.started.delete(id)
  })
}

/** Writes the start entry that could not be written before, once recording works again: coverage begins there. */
export function ensureStarted($: EngineInterface, load: Load): void {
  if (load.session && !load.isDegraded) startSession($, load, load.session)
}

async function startEntry($: EngineInterface, { id, cwd, cause }: RunningSession): Promise<StartEntry> {
  const at = formatTimestamp(new Date())
  const [{ version }, inbound] = await Promise.all([$.session.version(), readInbound($)])
  return { kind: 'start', sessionId: id, at, cwd, host: 'claude-code', version, inbound, cause }
}
