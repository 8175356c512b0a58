import { escapeText } from '../../hostile-text/escape-text.ts'

/**
 * What inside a line Markdown, HTML or a program that shows them takes for more than itself. What stands where it means
 * nothing is left alone, so that paths, dates and sentences read as they are also where nobody renders them.
 */
const INSIDE = [
  // An escape is one only before punctuation; at the end of a line it would break it.
  /\\(?=[!-/:-@[-`{-~]|$)/,
  /[`$]/,
  // Emphasis needs something at its side, and an underscore inside a word is none.
  /(?<!\s)\*|\*(?!\s|$)/,
  /(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/u,
  // What is struck out ends with a mark behind something.
  /(?<=\S)~|~(?=~)/,
  // Links and pictures; footnotes; links of a wiki.
  /\](?=[(:[])|\[(?=[\^[])/,
  // Tags, comments, addresses between angles; entities.
  /<(?=[A-Za-z/!?])/,
  /&(?=#|[A-Za-z][A-Za-z0-9]*;)/,
  // Addresses of the web and of mail, and names of people, that become links without any markup.
  /(?<=https?|ftp):(?=\/\/)|(?<=www)\./,
  /@(?=[\p{L}\p{N}])/u,
]

/** What means something at the beginning of a line: headings and their underlines, quotations, lists, tables, tasks. */
const AT_BEGINNING = [
  /^#{1,6}(?=\s|$)/,
  /^>/,
  /^[-+*](?=\s|$)/,
  /(?<=^\d{1,9})[.)](?=\s|$)/,
  /^=(?==*\s*$)/,
  /^[-:|](?=[-:|\s]*$)/,
  /^\[/,
]

const MARKS = anyOf([...AT_BEGINNING, ...INSIDE])
const MARKS_IN_CELL = anyOf([/\|/, ...AT_BEGINNING, ...INSIDE])

function anyOf(marks: readonly RegExp[]): RegExp {
  return new RegExp(marks.map(({ source }) => source).join('|'), 'giu')
}

/**
 * A text from a transcript as one line of Markdown that shows just these characters: hidden ones as escapes, and no
 * heading, list, code, link, picture, HTML or table that a program would make of it, wherever in a line it stands.
 *
 * @param most characters to show; what is cut off is counted
 */
export function plainText(text: string, most = Number.POSITIVE_INFINITY): string {
  const characters = [...text]
  if (characters.length <= most) return escaped(text, MARKS)
  const shown = escaped(characters.slice(0, most).join(''), MARKS)
  return `${shown} … (${characters.length - most} characters more)`
}

/** The same for a cell of a table, which a bar would end. */
export function cellText(text: string): string {
  return escaped(text, MARKS_IN_CELL)
}

function escaped(text: string, marks: RegExp): string {
  return withoutIndent(escapeText(text)).replace(marks, '\\$&')
}

/** Four blanks before a line make code of it; blanks that do not break look the same and make nothing. */
function withoutIndent(line: string): string {
  return line.replace(/^ +/, blanks => '\u00a0'.repeat(blanks.length))
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
