import type { TranscriptFormat } from '../transcript-format.ts'
import { type JsonObject, momentOf } from '../transcripts/json-row.ts'
import { listedPrompt } from './history.ts'
import { claudeReader } from './read.ts'
import { typedIn } from './typed-in.ts'

/** The kinds that this program alone writes, some of them without the session's id. */
const KINDS: ReadonlySet<unknown> = new Set([
  'user',
  'assistant',
  'system',
  'attachment',
  'summary',
  'queue-operation',
  'file-history-snapshot',
])

export const claudeFormat: TranscriptFormat = {
  product: 'claude-code',
  title: 'Claude Code',
  home: {
    option: 'claude',
    variable: 'CLAUDE_CONFIG_DIR',
    folder: '.claude',
    transcripts: ['projects'],
  },
  wrote: (row: JsonObject) =>
    KINDS.has(row.type) ||
    // Other kinds are known by the session alone; another program that names one keeps what it says in these fields.
    (typeof row.sessionId === 'string' && !('payload' in row || 'role' in row)),
  describe(row, whole) {
    whole.session(row.sessionId)
    if (row.session_id !== row.sessionId) whole.derivedFrom(row.session_id)
    if (row.requestSessionId !== row.sessionId) whole.derivedFrom(row.requestSessionId)
    whole.cwd(row.cwd)
    whole.version(row.version)
    whole.at(momentOf(row.timestamp))
  },
  reader: claudeReader,
  listedPrompt,
  typedIn,
}
