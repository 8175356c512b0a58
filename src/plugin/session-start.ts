import type { EngineInterface } from 'claude-code'
import { formatTimestamp } from '../record/timestamp.ts'
import { readInbound } from './inbound.ts'
import type { Load } from './load.ts'
import { recordEntry } from './record-entry.ts'

/**
 * Takes up a session id that the host has started, resumed, forked or cleared into, and writes its start entry, once
 * for each id and load (ruling 8).
 */
export async function startSession(
  $: EngineInterface,
  load: Load,
  session: { id: string; cwd: string },
): Promise<void> {
  load.session = session
  if (load.started.has(session.id)) return
  load.started.add(session.id)
  let isWritten = false
  try {
    isWritten = await recordEntry($, load, {
      kind: 'start',
      sessionId: session.id,
      at: formatTimestamp(new Date()),
      cwd: session.cwd,
      host: 'claude-code',
      version: (await $.session.version()).version,
      inbound: await readInbound($),
    })
  } finally {
    // Also where the host did not answer: the next event tries again, or the session would have no coverage at all.
    if (!isWritten) load.started.delete(session.id)
  }
}

/** Writes the start entry that could not be written before, once recording works again: coverage begins there. */
export async function ensureStarted($: EngineInterface, load: Load): Promise<void> {
  if (load.session && !load.isDegraded) await startSession($, load, load.session)
}

/**
 * Takes up the session that this load finds itself in. A load without a start of its own is a reload, which is no new
 * coverage, or the plugin was just enabled, which is: the session's folder tells.
 */
export async function joinRunningSession($: EngineInterface, load: Load): Promise<void> {
  const session = { id: await $.session.id(), cwd: await $.session.cwd() }
  if (await hasEntries($, `${load.settings.recordDir}/${session.id}`)) load.started.add(session.id)
  await startSession($, load, session)
}

async function hasEntries($: EngineInterface, folder: string): Promise<boolean> {
  try {
    return (await $.fs.list(folder)).length > 0
  } catch {
    return false
  }
}
