import type { EngineInterface } from 'claude-code'
import { escapeText } from '../hostile-text/escape-text.ts'
import type { Load } from './load.ts'
import { readSessionFolder } from './read-record.ts'
import type { Arrival } from './received-messages.ts'
import { keepOpenFor, recordFiles } from './record-files.ts'
import { shortId } from './show-text.ts'

/** Says that a message came, from whom as far as the record establishes it, and never its text (rule.arrivalToast). */
export async function toastArrival(
  $: EngineInterface,
  load: Load,
  { as, peerSessionId }: Arrival,
): Promise<void> {
  try {
    const name = await keepOpenFor(nameOf($, load, as, peerSessionId))
    $.ui.toast(`message from ${escapeText(name)}`)
  } catch {
    // A toast that cannot be shown must not touch the message.
  }
}

async function nameOf(
  $: EngineInterface,
  load: Load,
  as: string | null,
  peer: Promise<string | undefined>,
): Promise<string> {
  const peerSessionId = await peer
  if (peerSessionId === undefined) return as || 'unknown peer'
  const { facts } = await readSessionFolder(recordFiles($), load.settings.recordDir, peerSessionId, null)
  return facts?.join?.part ?? shortId(peerSessionId)
}
