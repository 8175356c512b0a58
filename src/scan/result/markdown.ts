import { escapeText } from '../../hostile-text/escape-text.ts'

/** Every character that Markdown or HTML takes for more than itself, wherever it stands in a line. */
const MARKUP = /[\\`*_{}[\]()<>#+\-.!|~&:=@$^"']/g

/**
 * A text from a transcript as one line of Markdown that shows just these characters: hidden ones as escapes, and no
 * heading, list, link, picture, HTML, table or address that a program would make of it.
 *
 * @param most characters to show; what is cut off is counted
 */
export function plainText(text: string, most = Number.POSITIVE_INFINITY): string {
  const characters = [...text]
  const shown = characters.length > most ? characters.slice(0, most).join('') : text
  // A digit reference is plain in every flavour of Markdown, where a backslash is not (`:` `@` of autolinks).
  const escaped = escapeText(shown).replace(MARKUP, mark => `&#${mark.charCodeAt(0)};`)
  return characters.length > most ? `${escaped} … (${characters.length - most} characters more)` : escaped
}

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
