import { hash } from 'node:crypto'
import type { Findings } from '../extract/found.ts'
import type { ListedPrompt } from '../transcript-format.ts'

/** The file beside transcripts in which a program lists what was typed at its terminal. */
export const HISTORY_NAME = 'history.jsonl'

/** The kind of what only a list of typed prompts shows, until a transcript is found that holds it too. */
export const HISTORY_KIND = 'history_only'

/**
 * Tells a prompt of such a list. The list outlives the transcripts, and also holds prompts that a command line gave to
 * a session at a terminal.
 */
export function tellListed(
  { words, session, at, cwd, expanded }: ListedPrompt,
  place: { line: number; offset: number },
  findings: Findings,
): void {
  if (words === '') return
  findings.message({
    ...{ label: 'person', confidence: 'medium', kind: HISTORY_KIND, row: null },
    ...{ words, session, at, cwd, ...place },
    fields: {
      history: true,
      ...(expanded === words ? {} : { expandedSha256: hash('sha256', comparable(expanded)) }),
    },
    keys: [`history:${session}:${at}:${words}`],
  })
}

/** What stands in a listed prompt where something was pasted. */
export const PASTE_MARK = /\[Pasted text #(\d{1,9})[^[\]\n]{0,80}\]/g

/**
 * What of a listed prompt can stand in a transcript: a `!` and the marks of what was pasted do not, and blanks around
 * a paste stand in another number.
 */
export function comparable(words: string): string {
  return words.replace(/^!/, '').replace(PASTE_MARK, ' ').replace(/\s+/g, ' ').trim()
}
