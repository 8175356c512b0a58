import { escapeText } from '../hostile-text/escape-text.ts'

/** A text of the record as it is shown in the host: hidden characters as escapes, and nothing in it is Markdown. */
export function showText(text: string): string {
  return escapeText(text).replace(/[\\`*_{}[\]()<>#+\-!|~$&:]/g, sign =>
    MARKS.has(sign) ? `\\${sign}` : sign,
  )
}

/** The signs that begin or end something in Markdown or HTML. Dashes, colons and the like do so only at a line's start or in pairs. */
const MARKS = new Set(['\\', '`', '*', '_', '[', ']', '<', '>', '#', '|', '~', '$', '&', '!'])

/** The first part of a session id, by which a person knows it; never an address. */
export function shortId(sessionId: string): string {
  return sessionId.slice(0, 8)
}
