import { escapeText } from './escape-text.ts'

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
 * A text as one line of Markdown that shows just these characters: hidden ones as escapes, and no heading, list, code,
 * link, picture, HTML or table that a program would make of it, wherever in a line it stands.
 */
export function escapeMarkdown(text: string): string {
  return escaped(text, MARKS)
}

/** The same for a cell of a table, which a bar would end. */
export function escapeMarkdownCell(text: string): string {
  return escaped(text, MARKS_IN_CELL)
}

function escaped(text: string, marks: RegExp): string {
  return withoutIndent(escapeText(text)).replace(marks, '\\$&')
}

/** Four blanks before a line make code of it; blanks that do not break look the same and make nothing. */
function withoutIndent(line: string): string {
  return line.replace(/^ +/, blanks => '\u00a0'.repeat(blanks.length))
}
