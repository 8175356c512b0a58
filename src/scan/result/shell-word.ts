import { escapeText, hiddenCharacters } from '../../hostile-text/escape-text.ts'

const HIDDEN = hiddenCharacters()

/** A path as one word of a shell; of one with hidden characters these are octal, so that it ends no line and no fence. */
export function shellWord(path: string): string {
  if (/^[\w./:@%+,-]+$/.test(path)) return path
  if (escapeText(path) === path) return `'${path.replaceAll("'", `'\\''`)}'`
  const octal = (hidden: string) =>
    [...Buffer.from(hidden)].map(byte => `\\${byte.toString(8).padStart(3, '0')}`).join('')
  return `$'${path.replace(/[\\']/g, '\\$&').replace(HIDDEN, octal)}'`
}
