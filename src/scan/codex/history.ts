import type { ListedPrompt } from '../transcript-format.ts'
import { type JsonObject, momentOfNumber, textOf } from '../transcripts/json-row.ts'

/** A line of Codex's `history.jsonl`; null where it is none. */
export function listedPrompt(row: JsonObject): ListedPrompt | null {
  const words = textOf(row.text)
  if (words === undefined) return null
  return {
    words,
    session: textOf(row.session_id) ?? '',
    at: momentOfNumber(row.ts, 1_000),
    cwd: null,
    expanded: words,
  }
}
