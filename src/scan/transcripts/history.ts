import type { Findings, RowReader } from '../extract/found.ts'
import { type JsonObject, textOf } from './json-row.ts'

/** The kind of what only a list of typed prompts shows, until a transcript is found that holds it too. */
export const HISTORY_KIND = 'history_only'

/**
 * Reads `history.jsonl`, in which both programs list what was typed at their terminals. It outlives the transcripts,
 * and it also lists prompts that a command line gave to a session at a terminal.
 */
export function historyReader(findings: Findings): RowReader<null> {
  return {
    state: null,
    read(row, place) {
      const typed = claudeLine(row) ?? codexLine(row)
      if (!typed || typed.words === '') return
      findings.message({
        ...{ label: 'person', confidence: 'medium', kind: HISTORY_KIND, row: null },
        ...typed,
        ...place,
        fields: { history: true },
        keys: [`history:${typed.session}:${typed.at}:${typed.words}`],
      })
    },
    provisional: () => ({ messages: [], traces: [] }),
  }
}

type Typed = { words: string; session: string; at: string | null; cwd: string | null }

function claudeLine(row: JsonObject): Typed | null {
  const words = textOf(row.display)
  if (words === undefined) return null
  const cwd = textOf(row.project) ?? null
  return { words, session: textOf(row.sessionId) ?? '', at: timeOf(row.timestamp, 1), cwd }
}

function codexLine(row: JsonObject): Typed | null {
  const words = textOf(row.text)
  if (words === undefined) return null
  return { words, session: textOf(row.session_id) ?? '', at: timeOf(row.ts, 1_000), cwd: null }
}

function timeOf(value: unknown, unit: number): string | null {
  if (typeof value !== 'number') return null
  const time = new Date(value * unit)
  return Number.isNaN(time.getTime()) ? null : time.toISOString()
}

/** What of a listed prompt can stand in a transcript: a `!` and the marks of what was pasted do not. */
export function comparable(words: string): string {
  return words
    .replace(/^!/, '')
    .replace(/\[Pasted text #\d+[^\]]*\]/g, '')
    .trim()
}
