/**
 * How text stands in the index. SQLite cannot hold every JavaScript string: a lone surrogate does not read back,
 * and functions such as LIKE stop at NUL. So those, and the mark itself, are written as a mark and four digits;
 * mark and digits are Unicode noncharacters, which no text interchanges and full-text search takes for separators.
 * Stored text is compared, ordered and searched like the text itself, and reads back exactly.
 */
const MARK = '\u{FDD0}'
const FIRST_DIGIT = 0xfdd1
const TO_ESCAPE = /[\0\u{FDD0}\p{Surrogate}]/gu
const ESCAPED = /\u{FDD0}([\u{FDD1}-\u{FDE0}]{4})/gu

/** A text as the index stores it; also applied to every value that is compared with a stored text. */
export function toStored(text: string): string {
  if (text.isWellFormed() && !text.includes('\0') && !text.includes(MARK)) return text
  return text.replace(TO_ESCAPE, character => MARK + digits(character.charCodeAt(0)))
}

/** The text that was stored. */
export function fromStored(stored: string): string {
  if (!stored.includes(MARK)) return stored
  return stored.replace(ESCAPED, (_, escaped: string) => String.fromCharCode(number(escaped)))
}

function digits(unit: number): string {
  return String.fromCharCode(...[12, 8, 4, 0].map(shift => FIRST_DIGIT + ((unit >> shift) & 0xf)))
}

function number(escaped: string): number {
  return [...escaped].reduce((sum, digit) => sum * 16 + digit.charCodeAt(0) - FIRST_DIGIT, 0)
}
