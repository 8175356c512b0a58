import { escapeText } from './escape-text.ts'

/**
 * A text as it is shown in the host: hidden characters as escapes, and nothing in it is Markdown. Every sign that can
 * begin something is escaped wherever it stands, since nobody sees the escapes there; in a file that is also read as it
 * stands, `escapeMarkdown` escapes where a sign means something.
 */
export function escapeMarkdownSigns(text: string): string {
  return escapeText(text).replace(/[\\`*_[\]<>#|~$&!]/g, '\\$&')
}
