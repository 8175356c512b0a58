import { sequenceOf } from '../record/file-name.ts'
import { newLoad } from '../writer/new-load.ts'
import type { Inbound } from './inbound.ts'
import type { Sending, ToolAnswer } from './sending.ts'
import type { Settings } from './settings.ts'

/**
 * What one load of the mod keeps in memory. A reload and a resume begin with an empty one; everything that must
 * outlive them is in the record.
 */
export interface Load {
  settings: Settings
  nextSequence: () => string
  /** The session this process is in now; changes at /clear and /resume. */
  session: { id: string; cwd: string } | null
  /** Session ids that have their start entry from this load. */
  started: Set<string>
  /** The last write failed, and the session was told so. */
  isDegraded: boolean
  /** Names and ids of agents of this session: messages to them are not between sessions (rule.sessionsOnly). */
  agents: Set<string>
  /** The join notice that is being sent, and the address that the host made of the parent's id. */
  ownSending: { text: string; to: string | null; msgId?: string | undefined } | null
  /** Messages whose SendMessage call has not been answered yet, and answers whose message is not noted yet. */
  pending: Sending[]
  answers: ToolAnswer[]
  /** Whether the status line is being drawn, and whether something has happened since that began. */
  drawing: 'no' | 'now' | 'again'
  /** The inbound state that the status line was last drawn with. */
  inboundDrawn: Inbound | null
}

export function newLoadOf(settings: Settings): Load {
  return {
    settings,
    nextSequence: sequenceOf(newLoad()),
    session: null,
    started: new Set(),
    isDegraded: false,
    agents: new Set(['main']),
    ownSending: null,
    pending: [],
    answers: [],
    drawing: 'no',
    inboundDrawn: null,
  }
}
