import type { Product } from '../message.ts'
import { type JsonObject, objectOf } from './json-row.ts'

const CODEX = new Set([
  'session_meta',
  'response_item',
  'event_msg',
  'turn_context',
  'compacted',
  'world_state',
])
const CLAUDE = new Set([
  'user',
  'assistant',
  'system',
  'attachment',
  'summary',
  'queue-operation',
  'file-history-snapshot',
])

/** Which program wrote a row, by its shape and not by where its file lies; null where it tells nothing. */
export function productOf(row: JsonObject): Product | null {
  const { type } = row
  if (typeof type === 'string' && CODEX.has(type) && objectOf(row.payload)) return 'codex'
  if (row.record_type === 'state') return 'codex'
  if (type === undefined && typeof row.id === 'string' && 'timestamp' in row && 'instructions' in row)
    return 'codex'
  if (type === 'message' && typeof row.role === 'string' && Array.isArray(row.content)) return 'codex'
  if (typeof row.sessionId === 'string') return 'claude-code'
  return typeof type === 'string' && CLAUDE.has(type) ? 'claude-code' : null
}
