/**
 * Characters that act on a reader's terminal or hide from the eye: C0 and C1 controls, DEL, bidi controls, line and
 * paragraph separators, lone surrogates, tag characters and every other invisible one. Joiners and variation
 * selectors stay, since scripts and emoji need them; so do the Arabic and Syriac signs that are formats by name but
 * have a shape.
 */
const SHOWN_AS_THEY_ARE =
  '\\u200C\\u200D\\uFE00-\\uFE0F\\u{E0100}-\\u{E01EF}\\u180B-\\u180D\\u180F' +
  '\\u0600-\\u0605\\u06DD\\u070F\\u0890\\u0891\\u08E2\\u{110BD}\\u{110CD}'
const HIDDEN_KINDS = '\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}'

/** Matches each hidden character; `except` names more characters to leave alone. */
export function hiddenCharacters(except = ''): RegExp {
  return new RegExp(`(?![${SHOWN_AS_THEY_ARE}${except}])[${HIDDEN_KINDS}]`, 'gu')
}

const HIDDEN = hiddenCharacters()
const HIDDEN_BUT_LINE_FEED = hiddenCharacters('\\n')
const SHORT: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * The text with every hidden character as a visible escape: `\n`, `\x1b`, `\u{202e}`. For people: a backslash of the
 * text's own is left as it is, so it does not read back, and escaping twice changes nothing.
 */
export function escapeText(text: string): string {
  return text.replace(HIDDEN, escapeCharacter)
}

/** Like `escapeText`, with line feeds left in place; for texts of several lines such as a hint. */
export function escapeLines(text: string): string {
  return text.replace(HIDDEN_BUT_LINE_FEED, escapeCharacter)
}

function escapeCharacter(character: string): string {
  const short = SHORT[character]
  if (short !== undefined) return short
  const hex = (character.codePointAt(0) as number).toString(16)
  return hex.length <= 2 ? `\\x${hex.padStart(2, '0')}` : `\\u{${hex}}`
}
