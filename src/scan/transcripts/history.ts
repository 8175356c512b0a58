import { hash } from 'node:crypto'
import type { Findings, RowReader } from '../extract/found.ts'
import { type JsonObject, objectOf, textOf } from './json-row.ts'

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
        fields: { history: true, ...expanded(row, typed.words) },
        keys: [`history:${typed.session}:${typed.at}:${typed.words}`],
      })
    },
    provisional: () => ({ messages: [], traces: [] }),
  }
}

type Typed = { words: string; session: string; at: string | null; cwd: string | null }

function claudeLine(row: JsonObject): Typed | null {
  const display = textOf(row.display)
  if (display === undefined) return null
  const words = pastesAlone(row, display) ?? display
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

const PASTE_MARK = /\[Pasted text #(\d{1,9})[^[\]\n]{0,80}\]/g

/** What was pasted, where a prompt was nothing else and the list holds it; null otherwise. */
function pastesAlone(row: JsonObject, display: string): string | null {
  const marks = [...display.matchAll(PASTE_MARK)]
  if (marks.length === 0 || display.replace(PASTE_MARK, '').trim() !== '') return null
  const pastes = marks.flatMap(([, id]) => {
    const content = textOf(objectOf(objectOf(row.pastedContents)?.[id as string])?.content)
    return content === undefined ? [] : [content]
  })
  return pastes.length === marks.length ? pastes.join('\n') : null
}

/** The prompt with what was pasted in the place of its marks, as older versions sent it; nothing where there are none. */
function expanded(row: JsonObject, words: string): { expandedSha256?: string } {
  const pasted = new Map(Object.entries(objectOf(row.pastedContents) ?? {}))
  const whole = words.replace(PASTE_MARK, (mark, at) => textOf(objectOf(pasted.get(at))?.content) ?? mark)
  return whole === words ? {} : { expandedSha256: hash('sha256', comparable(whole)) }
}

/**
 * What of a listed prompt can stand in a transcript: a `!` and the marks of what was pasted do not, and blanks around
 * a paste stand in another number.
 */
export function comparable(words: string): string {
  return words.replace(/^!/, '').replace(PASTE_MARK, ' ').replace(/\s+/g, ' ').trim()
}
