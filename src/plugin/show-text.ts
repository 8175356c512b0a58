import { escapeMarkdownSigns } from '../hostile-text/escape-markdown-signs.ts'

/** A text of the record as the host shows it. */
export const showText = escapeMarkdownSigns

/** The first part of a session id, by which a person knows it; never an address. */
export function shortId(sessionId: string): string {
  return sessionId.slice(0, 8)
}
