import { escapeMarkdown, escapeMarkdownCell } from '../../hostile-text/escape-markdown.ts'

/**
 * A text from a transcript as one line of Markdown that is text and nothing else.
 *
 * @param most characters to show; what is cut off is counted
 */
export function plainText(text: string, most = Number.POSITIVE_INFINITY): string {
  const characters = [...text]
  if (characters.length <= most) return escapeMarkdown(text)
  const shown = escapeMarkdown(characters.slice(0, most).join(''))
  return `${shown} … (${characters.length - most} characters more)`
}

/** The same whole, for a cell of a table. */
export const cellText = escapeMarkdownCell

/** Words of a transcript as a quotation: a line for each of theirs, none of which is anything but text. */
export function quotation(words: string, { indent = '', most = 2_000 } = {}): string[] {
  const characters = [...words]
  const shown = characters.slice(0, most).join('')
  const lines = shown.split(/\r\n|\n|\r/).map(line => `${indent}> ${plainText(line)}`.trimEnd())
  // Two blanks at the end of a line keep it a line of its own where the text is shown as HTML.
  const quoted = lines.map((line, index) => (index < lines.length - 1 ? `${line}  ` : line))
  return characters.length > most
    ? [...quoted, `${indent}> … ${characters.length - most} characters more`]
    : quoted
}
