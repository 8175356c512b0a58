import type { EngineInterface } from 'claude-code'
import type { SessionFacts } from '../chain/session-facts.ts'
import { escapeText } from '../hostile-text/escape-text.ts'
import { joinNotice } from '../record/join-notice.ts'
import { isSessionId } from '../record/session-id.ts'
import { formatTimestamp } from '../record/timestamp.ts'
import type { Load, RunningSession } from './load.ts'
import { type LivePeer, livePeers, reachWords } from './peer-registry.ts'
import { type FolderFacts, readSessionFolder } from './read-record.ts'
import { recordEntry } from './record-entry.ts'
import { keepOpenFor, openWindow, recordFiles } from './record-files.ts'
import { recordSending } from './sent-messages.ts'
import { LATE, within } from './within.ts'

/** What a lead gives to join (toolJoin). */
export interface JoinInput {
  parent?: unknown
  part?: unknown
  brief?: unknown
}

/** The full ids that a host of sessions gives: a UUID as it writes it, or Remote Control's and the cloud's own. */
const FULL_ID = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|session_[A-Za-z0-9]{8,})$/

/** Whatever ends a line for some reader. */
const LINE_BREAK = /[\n\v\f\r\u0085\u2028\u2029]/

/** The notice that names the part is one short message. */
const LONGEST_PART = 200

/** The tool waits so long for the record, and then answers with what is known. */
const LIMIT_MS = 900

/** Why a call is refused; null where it may join. A refusal changes nothing (rule.joinRefusals, rule.agentsAreNotMembers). */
export function whyRefused(input: JoinInput, agentId: string | undefined, sessionId: string): string | null {
  const { parent, part, brief } = input
  if (agentId !== undefined) {
    return 'an agent or a Workflow role never joins a chain; only the session itself may call this'
  }
  if (typeof parent !== 'string' || !isSessionId(parent) || !FULL_ID.test(parent)) {
    return 'parent is not a full session id, such as 7d1f0c1e-5b0a-4c38-9f51-0d5a3b0c1a01; ask whoever started you for it'
  }
  if (parent === sessionId) return 'a session cannot be its own parent'
  if (typeof part !== 'string' || part.trim() === '')
    return 'part is missing: one line that says what this session is to do'
  if (LINE_BREAK.test(part)) return 'part is more than one line; put the rest into the brief'
  if (part.length > LONGEST_PART)
    return `part is longer than ${LONGEST_PART} characters; put the rest into the brief`
  if (brief !== undefined && typeof brief !== 'string')
    return 'brief must say where the brief is, or be left out'
  return null
}

/** Declares the session a lead and tells its parent (rule.leadJoins, rule.joinTellsParent). The input has been checked. */
export async function join(
  $: EngineInterface,
  load: Load,
  input: { parent: string; part: string; brief?: string },
): Promise<string> {
  const session = load.session as RunningSession
  const { parent, part, brief } = input
  const written = recordEntry($, load, session.id, {
    kind: 'chain',
    sessionId: session.id,
    at: formatTimestamp(new Date()),
    cwd: session.cwd,
    parent,
    part,
    ...(brief === undefined ? {} : { brief }),
  })
  openWindow($)
  // Whoever hears of the join is to find it in the record, where the disk answers.
  const isWritten = await within($, LIMIT_MS, written)
  const text = joinNotice({ sessionId: session.id, part })
  const at = formatTimestamp(new Date())
  load.ownSending = { text, to: null }
  const known = within(
    $,
    LIMIT_MS,
    keepOpenFor(readSessionFolder(recordFiles($), load.settings.recordDir, parent, null)),
  )
  openWindow($)
  const result = await sendNotice($, parent, text)
  // The address as the host spelled it; where it never tried, the id as it was given.
  const { to, msgId } = load.ownSending
  load.ownSending = null
  const peerSessionId = Promise.resolve(parent)
  const sending = { to: to ?? parent, text, at, agentId: undefined, result, peerSessionId }
  void recordSending($, load, sending, msgId)
  const read = await known
  const peer = (await livePeers($)).get(parent)
  return [
    joinWords(isWritten, parent, part),
    `This session is ${session.id}.`,
    ...noticeWords(result, read === LATE ? null : read.facts),
    ...growthWords(read),
    ...reportWords(peer, new Date()),
  ].join('\n')
}

function joinWords(isWritten: boolean | typeof LATE, parent: string, part: string): string {
  if (isWritten === LATE)
    return `Joined as a lead of ${parent}. Part: ${part}\nRecording is degraded: the join waits to be written, so the chain does not show it yet.`
  return isWritten
    ? `Joined as a lead of ${parent}. Part: ${part}`
    : 'Recording is degraded: the join could not be written, so the chain does not show it.'
}

async function sendNotice(
  $: EngineInterface,
  parent: string,
  text: string,
): Promise<{ isDelivered: boolean; reason?: string | undefined }> {
  try {
    return await $.session.send({ to: { sessionId: parent }, text })
  } catch (error) {
    return { isDelivered: false, reason: error instanceof Error ? error.message : String(error) }
  }
}

/** What is known of the notice: the host tells the sender later where a message was held or refused. */
function noticeWords(
  { isDelivered, reason }: { isDelivered: boolean; reason?: string | undefined },
  parent: SessionFacts | null,
): string[] {
  if (!isDelivered) {
    const heard = parent === null ? '' : ` The record knows it: last heard ${parent.lastHeard}.`
    return [
      `The notice to the parent was NOT delivered: ${reason}${heard}`,
      'Say so in your first words to the person.',
    ]
  }
  const start = parent?.latestStart
  if (start?.inbound !== 'hold' && start?.inbound !== 'refuse') {
    return [
      'The notice to the parent was delivered to its inbox: not read. Where the parent holds or refuses it, a delivery notice says so later.',
    ]
  }
  return [
    `The notice was handed over, and whether the parent takes it is not known: its inbound setting was ${start.inbound} as it started. A delivery notice says later what became of it; tell the person.`,
  ]
}

/** A lead below a lead is told so; nothing refuses it (rule.depthIsShown). */
function growthWords(read: FolderFacts | typeof LATE): string[] {
  if (read === LATE) return ['Whether the parent is itself a lead is not known: the record has not answered.']
  const grown = read.facts?.join
  return grown ? [`The chain has grown a level: your parent is itself a lead, of ${grown.parent}.`] : []
}

/** The host's SendMessage takes a name or an address, and no session id. */
function reportWords(peer: LivePeer | undefined, now: Date): string[] {
  const words = peer && reachWords(peer)
  if (!words) {
    return [
      'Report to the parent with ordinary messages, to its name or address: SendMessage takes no session id. The host’s registry of this profile does not list it now.',
    ]
  }
  return [
    `Report to the parent with ordinary messages. SendMessage takes its name or address, and no session id: ${escapeText(words)} (as of ${now.toISOString()}; chain_tree gives it anew).`,
  ]
}
