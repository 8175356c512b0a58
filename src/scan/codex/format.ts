import type { TranscriptFormat } from '../transcript-format.ts'
import { type JsonObject, momentOf, objectOf } from '../transcripts/json-row.ts'
import { listedPrompt } from './history.ts'
import { codexReader } from './read.ts'

const KINDS: ReadonlySet<unknown> = new Set([
  'session_meta',
  'response_item',
  'event_msg',
  'turn_context',
  'compacted',
  'world_state',
])

export const codexFormat: TranscriptFormat = {
  product: 'codex',
  title: 'Codex',
  home: {
    option: 'codex',
    variable: 'CODEX_HOME',
    folder: '.codex',
    transcripts: ['sessions', 'archived_sessions'],
  },
  wrote: (row: JsonObject) => (KINDS.has(row.type) && objectOf(row.payload) !== undefined) || isBareRow(row),
  describe(row, whole) {
    whole.at(momentOf(row.timestamp))
    const meta = row.type === 'session_meta' ? objectOf(row.payload) : undefined
    if (meta === undefined) return
    whole.session(meta.id)
    whole.derivedFrom(meta.forked_from_id)
    whole.cwd(meta.cwd)
    whole.version(meta.cli_version)
  },
  reader: codexReader,
  listedPrompt,
  // What was typed stands in its rows as it was typed.
  typedIn: () => null,
}

/** Version 0.20 wrote its items bare, after a first row that says what made the thread. */
function isBareRow(row: JsonObject): boolean {
  if (row.record_type === 'state') return true
  if (row.type === undefined) return typeof row.id === 'string' && 'timestamp' in row && 'instructions' in row
  return row.type === 'message' && typeof row.role === 'string' && Array.isArray(row.content)
}
