import { escapeText } from '../../hostile-text/escape-text.ts'

/** What Markdown or HTML takes for more than itself inside a line; an underscore inside a word is none. */
const MARKUP = /[\\`*[\]<>|~&$]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu
/** The same at the beginning of a line: headings, lists, underlines of headings. */
const AT_BEGINNING = /^(\s*)([#+\-=!])/
const NUMBERED = /^(\s*\d+)([.)])/
/** What many programs make a link of without any markup. */
const ADDRESS = /\b(https?|ftp)(:\/\/)|\b(www)(\.)/gi

/**
 * A text from a transcript as one line of Markdown that shows just these characters: hidden ones as escapes, and no
 * heading, list, link, picture, HTML or table that a program would make of it.
 *
 * @param most characters to show; what is cut off is counted
 */
export function plainText(text: string, most = Number.POSITIVE_INFINITY): string {
  const characters = [...text]
  const shown = characters.length > most ? characters.slice(0, most).join('') : text
  const escaped = escapeText(shown)
    .replace(MARKUP, '\\$&')
    .replace(AT_BEGINNING, '$1\\$2')
    .replace(NUMBERED, '$1\\$2')
    .replace(ADDRESS, (_, scheme, colon, www, dot) => `${scheme ?? www}\\${colon ?? dot}`)
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
