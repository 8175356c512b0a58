import { type EntryQueue, entryQueue } from '../writer/entry-queue.ts'
import { newLoad } from '../writer/new-load.ts'
import type { Inbound } from './inbound.ts'
import type { KnownChain } from './read-chain.ts'
import type { Sending, ToolAnswer } from './sending.ts'
import type { Settings } from './settings.ts'

/**
 * What one load of the mod keeps in memory. A reload and a resume begin with an empty one; everything that must
 * outlive them is in the record.
 */
export interface Load {
  settings: Settings
  /** All that this load writes goes through it. */
  queue: EntryQueue
  /** What goes on beside the hooks and will put entries into the queue. */
  beside: Set<Promise<unknown>>
  /** The session this process is in now; changes at /clear and /resume. */
  session: RunningSession | null
  /** A person sits at it: what the host is given to show is drawn as Markdown. */
  isAtTerminal: boolean
  /** Session ids that have their start entry from this load. */
  started: Set<string>
  /** Recording is degraded, and the session was told so. */
  isDegraded: boolean
  /** Names and ids of agents of this session: messages to them are not between sessions (rule.sessionsOnly). */
  agents: Set<string>
  /** The join notice that is being sent, and the address that the host made of the parent's id. */
  ownSending: { text: string; to: string | null; msgId?: string | undefined } | null
  /** Messages whose SendMessage call has not been answered yet, and answers whose message is not noted yet. */
  pending: Sending[]
  answers: ToolAnswer[]
  /** The reading of the chain that runs, the one that comes after it, and what was read last. */
  reading: Promise<KnownChain> | null
  nextReading: Promise<KnownChain> | null
  known: KnownChain | null
  /** Whether the status line is being drawn, and whether something has happened since that began. */
  drawing: 'no' | 'now' | 'again'
  /** The inbound state as it was read last, and the status line as it was drawn last. */
  inbound: Inbound | null
  drawn: string | undefined
}

/** A session that this process is in. */
export interface RunningSession {
  id: string
  cwd: string
  /** How this load came to it: as the host names a session's start, or `reload` where it was running already. */
  cause: string
}

export function newLoadOf(settings: Settings): Load {
  return {
    settings,
    queue: entryQueue({ recordDir: settings.recordDir, load: newLoad() }),
    beside: new Set(),
    session: null,
    isAtTerminal: false,
    started: new Set(),
    isDegraded: false,
    agents: new Set(['main']),
    ownSending: null,
    pending: [],
    answers: [],
    reading: null,
    nextReading: null,
    known: null,
    drawing: 'no',
    inbound: null,
    drawn: undefined,
  }
}
