/**
 * What must not reach a terminal or a spreadsheet as it is: C0 but LF, DEL, C1, and the characters that turn the
 * direction of text.
 */
const CONTROLS = /[\0-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Each control character in a text, as `U+001B`; tabs are left out where they separate the columns. */
export function controlsIn(text: string, { tabs = true } = {}): string[] {
  return [...text.matchAll(CONTROLS)]
    .map(([character]) => character)
    .filter(character => tabs || character !== '\t')
    .map(character => `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`)
}

/** A body with everything that a terminal would obey, and what a hostile peer would make of it. */
export const hostileText = [
  'red \u001b[31m, bell \u0007, back \b\b\b\b',
  'clipboard \u001b]52;c;ZWNobyBoaQ==\u0007',
  'link \u001b]8;;http://example.invalid\u001b\\here\u001b]8;;\u001b\\',
  'C1 \u009b31m \u0085 \u0090',
  'turned \u202eexe.txt\u202c \u2066x\u2069 \u200f \u061c',
  'NUL \0, DEL \x7f, CR \r, tab \t, vertical \v, form feed \f',
].join('\n')
