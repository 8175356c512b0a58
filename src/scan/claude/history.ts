import type { ListedPrompt } from '../transcript-format.ts'
import { PASTE_MARK } from '../transcripts/history.ts'
import { type JsonObject, momentOfNumber, objectOf, textOf } from '../transcripts/json-row.ts'

/** A line of Claude Code's `history.jsonl`; null where it is none. */
export function listedPrompt(row: JsonObject): ListedPrompt | null {
  const display = textOf(row.display)
  if (display === undefined) return null
  const words = pastesAlone(row, display) ?? display
  return {
    words,
    session: textOf(row.sessionId) ?? '',
    at: momentOfNumber(row.timestamp),
    cwd: textOf(row.project) ?? null,
    expanded: words.replace(PASTE_MARK, (mark, id) => pasted(row, id) ?? mark),
  }
}

/** What was pasted, where a prompt was nothing else and the list holds it; null otherwise. */
function pastesAlone(row: JsonObject, display: string): string | null {
  const marks = [...display.matchAll(PASTE_MARK)]
  if (marks.length === 0 || display.replace(PASTE_MARK, '').trim() !== '') return null
  const pastes = marks.flatMap(([, id]) => pasted(row, id as string) ?? [])
  return pastes.length === marks.length ? pastes.join('\n') : null
}

function pasted(row: JsonObject, id: string): string | undefined {
  const contents = objectOf(row.pastedContents) ?? {}
  return Object.hasOwn(contents, id) ? textOf(objectOf(contents[id])?.content) : undefined
}
